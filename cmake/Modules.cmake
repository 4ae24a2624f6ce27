# fb_module(NAME sources...): the object library of one source folder. fb_add_libraries(): libflyball from all of them.
#
# Release is -O3 with IEEE semantics: no -ffast-math and no contraction, so that results do not depend on how a compiler
# pairs products; -fno-math-errno only drops the errno side effect of libm, never a value. Folders without long loops of numbers
# are built with -O2, the program's own files with -O1, which takes a fifth off a build; results are the same bits.
set(FB_WITHOUT_LONG_LOOPS describe read mesh schema compile linear study view)
# Where inputs of the fuzz targets (test/fuzz) are read; libFuzzer is guided by what they reach there.
option(FLYBALL_FUZZER "Link the fuzz targets with libFuzzer (clang)" OFF)
set(FB_FUZZED base law describe read mesh compile record study)
add_library(fb_options INTERFACE)
target_compile_options(fb_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wno-unknown-pragmas $<$<BOOL:${FLYBALL_WERROR}>:-Werror>
  -ffp-contract=off $<$<CONFIG:Release>:-fno-math-errno>)
target_compile_definitions(fb_options INTERFACE _POSIX_C_SOURCE=200809L)
# Functions with a second version for wider vectors (src/base/wide.h), where gcc and the loader choose between them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  include(CheckCSourceCompiles)
  check_c_source_compiles("__attribute__((target_clones(\"avx2\", \"default\"))) int f(void) { return 0; }
    int main(void) { return f(); }" FLYBALL_HAS_CLONES)
  if(FLYBALL_HAS_CLONES)
    target_compile_definitions(fb_options INTERFACE $<$<CONFIG:Release>:FLYBALL_HAS_CLONES>)
  endif()
endif()
target_include_directories(fb_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)

function(fb_module name)
  add_library(fb_${name} OBJECT ${ARGN})
  target_link_libraries(fb_${name} PRIVATE fb_options)
  if(name IN_LIST FB_WITHOUT_LONG_LOOPS)
    target_compile_options(fb_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  if(FLYBALL_FUZZER AND name IN_LIST FB_FUZZED)
    target_compile_options(fb_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  set_property(GLOBAL APPEND PROPERTY FB_MODULES fb_${name})
endfunction()

# libflyball, shared and static. Third-party libraries are private: the installed package names them for static linking.
function(fb_add_libraries)
  get_property(modules GLOBAL PROPERTY FB_MODULES)
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  set(libs fb::yaml fb::klu fb::lapack)
  if(FLYBALL_HAS_SUNDIALS)
    list(APPEND libs fb::sundials)
  endif()
  if(FLYBALL_HAS_ARPACK)
    list(APPEND libs fb::arpack)
  endif()
  if(FLYBALL_HAS_METIS)
    list(APPEND libs fb::metis)
  endif()
  if(FLYBALL_HAS_NLOPT)
    list(APPEND libs fb::nlopt)
  endif()
  foreach(kind shared static)
    string(TOUPPER ${kind} KIND)
    add_library(flyball_${kind} ${KIND} ${objects})
    set_target_properties(flyball_${kind} PROPERTIES OUTPUT_NAME flyball LINKER_LANGUAGE C
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(flyball_${kind} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    foreach(lib IN LISTS libs)
      target_link_libraries(flyball_${kind} PRIVATE $<BUILD_INTERFACE:${lib}>)
    endforeach()
    target_link_libraries(flyball_${kind} PRIVATE $<BUILD_INTERFACE:Threads::Threads> $<BUILD_INTERFACE:m>
      $<BUILD_INTERFACE:${CMAKE_DL_LIBS}>)
  endforeach()
  set_target_properties(flyball_shared PROPERTIES EXPORT_NAME flyball)
  # No symbol is left to the program that loads the library. The runtime of a sanitizer is one, so not with these.
  if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize" AND NOT APPLE)
    target_link_options(flyball_shared PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# What tests of a folder need below it: all that describes models, and all mechanics.
set(FB_DESCRIPTION base math fem describe mesh read schema)
set(FB_MECHANICS ${FB_DESCRIPTION} law tree force model system compile)

# The tests of units, of conformity and of robustness: what the coverage of each run of the gate needs.
add_custom_target(quick_tests)

# fb_test(NAME SOURCES source MODULES folders... [LIBS targets...] [LABELS words...]): a cmocka test of some source folders alone; labelled `unit` unless it says otherwise.
function(fb_test name)
  cmake_parse_arguments(T "" "" "SOURCES;MODULES;LIBS;LABELS" ${ARGN})
  if(FLYBALL_HAS_ARPACK AND "linear" IN_LIST T_MODULES)
    list(APPEND T_LIBS fb::arpack)
  endif()
  if(FLYBALL_HAS_METIS AND "math" IN_LIST T_MODULES)
    list(APPEND T_LIBS fb::metis)
  endif()
  if("study" IN_LIST T_MODULES)
    list(APPEND T_LIBS Threads::Threads)
    if(FLYBALL_HAS_NLOPT)
      list(APPEND T_LIBS fb::nlopt)
    endif()
  endif()
  add_executable(${name} ${T_SOURCES})
  foreach(module IN LISTS T_MODULES)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:fb_${module}>)
  endforeach()
  target_link_libraries(${name} PRIVATE fb_options ${T_LIBS} cmocka m ${CMAKE_DL_LIBS})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
  if(T_LABELS MATCHES "^(unit|conform|robust)$")
    add_dependencies(quick_tests ${name})
  endif()
endfunction()
