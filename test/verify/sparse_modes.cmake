# The lowest modes by sparse iteration. fb_test_support: verify.cmake, which is read later; a target may be linked before.
fb_test(test_sparse_modes SOURCES test_sparse_modes.c MODULES base math model law tree force system solve linear record
  LIBS fb_test_support LABELS verify)
target_compile_definitions(test_sparse_modes PRIVATE $<$<BOOL:${FLYBALL_HAS_ARPACK}>:TEST_HAS_ARPACK>)
