fb_test(test_compile_elements SOURCES test_compile_elements.c MODULES ${FB_MECHANICS} LIBS fb::yaml fb::klu fb::lapack)
