# Structures from matrices, with their modes.
fb_test(test_matrices SOURCES test_matrices.c MODULES ${FB_MECHANICS} solve record linear LIBS fb_test_support LABELS verify)
