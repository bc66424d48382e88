# parley_library(<folder> LINKS <libraries…> [TEST_LINKS <libraries…>] [MORE <files of subfolders…>])
#
# Makes the folder's static library `parley_<name>` from its *.cpp, and `<name>_tests` from its *_test.cpp.
# The libraries named in LINKS are the folder's whole licence to include others (`./dev check` compares).
set(PARLEY_GENERATED ${CMAKE_BINARY_DIR}/generated)

add_library(parley_options INTERFACE)
target_include_directories(parley_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${PARLEY_GENERATED})
target_compile_options(parley_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                -Werror=return-type -Werror=switch)

add_custom_target(unit_tests)  # what ./dev test also runs under the sanitizers

function(parley_library name)
  cmake_parse_arguments(ARG "" "" "LINKS;TEST_LINKS;MORE" ${ARGN})
  string(REPLACE "/" "_" target ${name})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(APPEND sources ${ARG_MORE})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  add_library(parley_${target} STATIC ${sources})
  target_link_libraries(parley_${target} PUBLIC parley_options ${ARG_LINKS})

  if(PARLEY_TESTS AND tests)
    find_package(GTest REQUIRED)
    add_executable(${target}_tests ${tests})
    target_link_libraries(${target}_tests PRIVATE parley_${target} ${ARG_TEST_LINKS} GTest::gmock GTest::gtest_main)
    add_dependencies(unit_tests ${target}_tests)
    add_test(NAME unit.${target} COMMAND ${target}_tests --gtest_brief=1)
    set_tests_properties(unit.${target} PROPERTIES
      LABELS unit
      ENVIRONMENT "PARLEY_SOURCE=${CMAKE_SOURCE_DIR};PARLEY_SHARED=$ENV{PARLEY_SHARED}")
  endif()
endfunction()
