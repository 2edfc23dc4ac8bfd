# A room is one folder of src/ and one static library: the linker checks that it uses only what it names.

# scoreline_room(NAME SOURCES a.cpp … DEPENDS base … LIBRARIES Boost::url …)
function(scoreline_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(scoreline_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(scoreline_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  list(TRANSFORM ROOM_DEPENDS PREPEND scoreline_)
  target_link_libraries(scoreline_${name} PUBLIC ${ROOM_DEPENDS} ${ROOM_LIBRARIES} PRIVATE scoreline_flags)
endfunction()

# scoreline_test(NAME SOURCES a.cpp … DEPENDS ordered … [LABELS concurrency …])
# Label `concurrency`: also run under the thread sanitizer. Label `long`: only with `./dev test --long`.
add_custom_target(concurrency_tests)
function(scoreline_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  list(TRANSFORM TEST_DEPENDS PREPEND scoreline_)
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS} ${TEST_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main
                                        scoreline_flags)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "cpp;${TEST_LABELS}" TIMEOUT 600)
  if("concurrency" IN_LIST TEST_LABELS)
    add_dependencies(concurrency_tests ${name})
  endif()
endfunction()
