# After verify.cmake, whose lists it uses: every integrator on every shipped model.
fb_test(test_integrators SOURCES test_integrators.c MODULES ${whole_modules} LIBS fb_test_support LABELS verify)
