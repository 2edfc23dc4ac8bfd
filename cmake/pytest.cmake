# scoreline_pytest(NAME FILE [LABELS e2e …] [TIMEOUT seconds])
# One pytest file against the program, as one test of ctest. Tests pick free ports and scratch folders, so that several
# may run at once. Label `long`: only with `./dev test --long`.
function(scoreline_pytest name file)
  cmake_parse_arguments(PYTEST "" "TIMEOUT" "LABELS" ${ARGN})
  if(NOT PYTEST_TIMEOUT)
    set(PYTEST_TIMEOUT 300)
  endif()
  add_test(NAME ${name}
    COMMAND /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set(environment "SCORELINE_BINARY=$<TARGET_FILE:scoreline>" "PYTHONDONTWRITEBYTECODE=1"
    "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/support_py")
  set_tests_properties(${name} PROPERTIES
    LABELS "${PYTEST_LABELS}" TIMEOUT ${PYTEST_TIMEOUT} ENVIRONMENT "${environment}")
endfunction()
