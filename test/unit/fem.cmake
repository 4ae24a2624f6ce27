fb_test(test_fem_beam_linear SOURCES test_fem_beam_linear.c MODULES base math fem LIBS fb::klu fb::lapack)
