# Operating points and linearizations: the modules of the whole models and src/linear on top.
set(linear_modules ${FB_MECHANICS} solve record linear)
add_library(fb_test_linear_support OBJECT test_linear_support.c)
target_link_libraries(fb_test_linear_support PUBLIC fb_test_support)
set(linear_libs fb_test_linear_support fb_test_support)
foreach(name linear_bicycle linear_evidence linear_closed_forms linear_differences linear_loops linear_response equilibrium frame_statics frame_modes large_structures frame_motion slider_motion section_forces carriages smooth_guides mesh_loads linear_steps inputs states streaming callbacks derivatives_inputs recompile)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${linear_modules} LIBS ${linear_libs} LABELS verify)
endforeach()
# The governor's hand-derived equations are those of the benchmark.
fb_test(test_linear_steady SOURCES test_linear_steady.c ${PROJECT_SOURCE_DIR}/bench/a05_ode.c MODULES ${linear_modules}
  LIBS ${linear_libs} LABELS verify)
target_include_directories(test_linear_steady PRIVATE ${PROJECT_SOURCE_DIR}/bench)
