fb_test(test_fem_beam_linear SOURCES test_fem_beam_linear.c MODULES base math fem LIBS fb::klu fb::lapack)
fb_test(test_fem_beam_elastic SOURCES test_fem_beam_elastic.c MODULES base math fem LIBS fb::klu fb::lapack)
fb_test(test_fem_field SOURCES test_fem_field.c MODULES base math fem LIBS fb::klu fb::lapack)
fb_test(test_fem_slider SOURCES test_fem_slider.c MODULES base math fem LIBS fb::klu fb::lapack)
