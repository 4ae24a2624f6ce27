# Undamped modes (the support and the modules are those of linear.cmake, which comes first by name).
fb_test(test_linear_undamped SOURCES test_linear_undamped.c MODULES ${linear_modules} LIBS ${linear_libs} LABELS verify)
fb_test(test_linear_scales SOURCES test_linear_scales.c MODULES ${linear_modules} LIBS ${linear_libs} LABELS verify)
