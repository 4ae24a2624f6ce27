# Installs the program, both libraries, the headers, a CMake package and a pkg-config file; everything is relocatable.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/flyball)
install(TARGETS flyball_shared flyball_static EXPORT flyballTargets)
install(DIRECTORY include/flyball DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT flyballTargets NAMESPACE flyball:: DESTINATION ${package_dir})

# What a program linking libflyball.a has to link too: names where the linker finds them by itself, with -L elsewhere.
get_property(private_libraries GLOBAL PROPERTY FB_PRIVATE_LIBRARIES)
set(FLYBALL_LINK_DIRS "")
set(FLYBALL_LINK_NAMES "")
foreach(library IN LISTS private_libraries)
  if(IS_ABSOLUTE ${library})
    cmake_path(GET library PARENT_PATH directory)
    cmake_path(GET library STEM name)
    string(REGEX REPLACE "^lib" "" name ${name})
    if(NOT directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND FLYBALL_LINK_DIRS ${directory})
    endif()
    list(APPEND FLYBALL_LINK_NAMES ${name})
  else()
    list(APPEND FLYBALL_LINK_NAMES ${library})
  endif()
endforeach()
list(REMOVE_DUPLICATES FLYBALL_LINK_DIRS)
list(TRANSFORM FLYBALL_LINK_DIRS PREPEND -L OUTPUT_VARIABLE dir_flags)
list(TRANSFORM FLYBALL_LINK_NAMES PREPEND -l OUTPUT_VARIABLE name_flags)
list(JOIN dir_flags " " dir_flags)
list(JOIN name_flags " " name_flags)
string(STRIP "${dir_flags} ${name_flags}" FLYBALL_PRIVATE_FLAGS)

configure_package_config_file(cmake/flyballConfig.cmake.in flyballConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(flyballConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flyballConfig.cmake ${PROJECT_BINARY_DIR}/flyballConfigVersion.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH FLYBALL_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
cmake_path(NORMAL_PATH FLYBALL_PC_PREFIX)
string(REGEX REPLACE "/$" "" FLYBALL_PC_PREFIX ${FLYBALL_PC_PREFIX})
configure_file(cmake/flyball.pc.in flyball.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/flyball.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
