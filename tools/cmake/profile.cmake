# A release is compiled by what a server under load was seen to do (docs/decisions/0019): which code is hot, and which way
# its branches go. `./dev profile` records that anew; functions that were changed since are compiled as without a profile.
set(PARLEY_PROFILE none CACHE STRING "use: compile by the recorded profile; record: build a program that writes one; none")
set_property(CACHE PARLEY_PROFILE PROPERTY STRINGS use record none)

if(PARLEY_PROFILE STREQUAL none)
  return()
elseif(NOT PARLEY_PROFILE MATCHES "^(use|record)$")
  message(FATAL_ERROR "PARLEY_PROFILE is `${PARLEY_PROFILE}`: use, record or none.")
elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)  # it has another format
  message(STATUS "No profile: it takes clang 19, and this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  return()
endif()

# Functions of unnamed namespaces are known by their file's name, wherever the repository and its build lie.
add_compile_options("SHELL:-mllvm -static-func-full-module-prefix=false")
if(PARLEY_PROFILE STREQUAL record)
  # Threads share code, and lose no counts.
  add_compile_options(-fprofile-generate -fprofile-update=atomic)
  add_link_options(-fprofile-generate)
else()
  # A compiler tells nobody that it has read it: by its name, another profile is another command.
  set(parley_recorded ${CMAKE_SOURCE_DIR}/tools/profile/parley.profdata)
  file(SHA256 ${parley_recorded} parley_profile_sum)
  string(SUBSTRING ${parley_profile_sum} 0 16 parley_profile_sum)
  configure_file(${parley_recorded} ${CMAKE_BINARY_DIR}/${parley_profile_sum}.profdata COPYONLY)
  add_compile_options(-fprofile-use=${parley_profile_sum}.profdata  # where a build runs
                      -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date -Wno-backend-plugin)
endif()
