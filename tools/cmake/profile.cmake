# A release is compiled by what a server under load was seen to do (docs/decisions/0019): which code is hot, and which way
# its branches go. `./dev profile` records that anew; what was changed since is compiled as without a profile.
set(PARLEY_PROFILE none CACHE STRING "use: compile by the recorded profile; record: build a program that writes one; none")
set(profile ${CMAKE_SOURCE_DIR}/tools/profile/parley.profdata)

if(NOT PARLEY_PROFILE STREQUAL none AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # Functions of unnamed namespaces are known by their file's name, wherever the repository and its build lie.
  add_compile_options("SHELL:-mllvm -static-func-full-module-prefix=false")
  if(PARLEY_PROFILE STREQUAL record)
    add_compile_options(-fprofile-generate)
    add_link_options(-fprofile-generate)
  else()
    add_compile_options(-fprofile-use=${profile} -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date
                        -Wno-backend-plugin)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${profile})
  endif()
endif()
