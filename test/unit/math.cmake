fb_test(test_math_pattern SOURCES test_math_pattern.c MODULES base math LIBS fb::klu fb::lapack)
fb_test(test_math_dense SOURCES test_math_dense.c MODULES base math LIBS fb::klu fb::lapack)
fb_test(test_math_linear SOURCES test_math_linear.c MODULES base math LIBS fb::klu fb::lapack)
fb_test(test_math_rotation SOURCES test_math_rotation.c MODULES base math LIBS fb::klu fb::lapack)
