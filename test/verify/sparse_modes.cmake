# The lowest modes by sparse iteration. fb_test_support: verify.cmake, which is read later; a target may be linked before.
fb_test(test_sparse_modes SOURCES test_sparse_modes.c MODULES ${FB_MECHANICS} solve linear record
  LIBS fb_test_support LABELS verify)
