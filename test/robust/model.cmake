fb_test(test_bad_models SOURCES test_bad_models.c MODULES base math model LIBS fb::yaml fb::klu fb::lapack)
