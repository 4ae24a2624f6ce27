# Models without a linearization, or with an awkward one.
fb_test(test_linear_bad SOURCES test_linear_bad.c MODULES ${FB_MECHANICS} solve record linear
  LIBS fb_test_linear_support fb_test_support LABELS robust)
target_link_options(test_linear_bad PRIVATE
  -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
