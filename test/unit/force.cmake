fb_test(test_force_laws SOURCES test_force_laws.c MODULES base math describe force LIBS fb::klu fb::lapack)
fb_test(test_force_bushing SOURCES test_force_bushing.c MODULES base math describe force LIBS fb::klu fb::lapack)
