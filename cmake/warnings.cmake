# One set of compiler flags for everything of ours. A warning is an error.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(scoreline_flags INTERFACE)
target_compile_options(scoreline_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wimplicit-fallthrough -Werror
  -fstack-protector-strong -fno-omit-frame-pointer)
target_compile_definitions(scoreline_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(scoreline_flags INTERFACE -Wl,-z,relro,-z,now)
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" OR CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(scoreline_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(SCORELINE_SANITIZE)
  target_compile_options(scoreline_flags INTERFACE -fsanitize=${SCORELINE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(scoreline_flags INTERFACE -fsanitize=${SCORELINE_SANITIZE})
  if(SCORELINE_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Asio's fences: the sanitizer does not see them, and what they order is also ordered by locks it does see.
    target_compile_options(scoreline_flags INTERFACE -Wno-tsan)
  endif()
endif()
