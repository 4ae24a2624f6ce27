# Tests of whole models: every folder up to the solvers, and what they share (model_support, run_support, random_model).
set(whole_modules base math model law tree force fem system solve record)
set(whole_libs fb::yaml fb::klu fb::lapack)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND whole_libs fb::sundials)
endif()
add_library(fb_test_support OBJECT model_support.c run_support.c random_model.c error_cases.c)
target_include_directories(fb_test_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(fb_test_support PRIVATE $<$<BOOL:${FLYBALL_HAS_SUNDIALS}>:TEST_HAS_SUNDIALS>)
target_link_libraries(fb_test_support PUBLIC fb_options ${whole_libs})

foreach(name derivatives algorithms invariants long_runs closed_forms rigid_bodies reactions reaction_points sensors branches certificate error release start_mode feedback drives structures frames)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${whole_modules} LIBS fb_test_support LABELS verify)
endforeach()
