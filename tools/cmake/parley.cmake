# parley_library(<folder> LINKS <libraries…> [TEST_LINKS <libraries…>] [MORE <files of subfolders…>])
#
# Makes the folder's static library `parley_<name>` from its *.cpp, and `<name>_tests` from its *_test.cpp.
# The libraries named in LINKS are the folder's whole licence to include others (`./dev check` compares).
set(PARLEY_GENERATED ${CMAKE_BINARY_DIR}/generated)

add_library(parley_options INTERFACE)
target_include_directories(parley_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${PARLEY_GENERATED})
target_compile_options(parley_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                -Werror=return-type -Werror=switch)
# Clang speaks of libstdc++'s own stable_partition, and of embedded documents that are longer than a compiler has to take.
target_compile_options(parley_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations -Wno-overlength-strings>)

# Compiles files of one folder together, PARLEY_UNIT of them at most: what they include costs a compiler ten times what
# they say. They share an unnamed namespace then, so names in it are unique in a folder.
function(parley_units target)
  if(PARLEY_UNIT LESS 2)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ warns of what an included file keeps to itself, as if that were a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(last_folder none)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder STREQUAL last_folder)
      set(number 0)
      set(last_folder ${folder})
    endif()
    math(EXPR unit "${number} / ${PARLEY_UNIT}")
    math(EXPR number "${number} + 1")
    get_filename_component(name "${folder}" NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${name}_${unit}")
  endforeach()
endfunction()

# What ./dev test builds: units for the sanitizers, whose tests have the label `unit`; programs that drive a part or the
# whole as users have it.
add_custom_target(unit_tests)
add_custom_target(whole_tests)

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
  parley_units(parley_${target})

  if(PARLEY_TESTS AND tests)
    find_package(GTest REQUIRED)
    add_executable(${target}_tests ${tests})
    parley_units(${target}_tests)
    target_link_libraries(${target}_tests PRIVATE parley_${target} ${ARG_TEST_LINKS} GTest::gmock GTest::gtest_main)
    add_dependencies(unit_tests ${target}_tests)
    add_test(NAME unit.${target} COMMAND ${target}_tests --gtest_brief=1)
    # PARLEY_SHARED is read when they run, not here: where it lies is no matter of the build.
    set_tests_properties(unit.${target} PROPERTIES LABELS unit ENVIRONMENT "PARLEY_SOURCE=${CMAKE_SOURCE_DIR}")
  endif()
endfunction()

# Of a target with a precompiled header. ccache keeps none of g++'s without the one flag; of clang's it would give back,
# without the other, one that is good for the files of another checkout alone.
function(parley_cached_header target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                                           "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()
