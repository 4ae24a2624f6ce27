fb_test(test_force_laws SOURCES test_force_laws.c MODULES base math force)
fb_test(test_force_bushing SOURCES test_force_bushing.c MODULES base math force)
