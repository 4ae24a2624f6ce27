# The lowest modes by sparse iteration. fb_test_support: verify.cmake, which is read later; a target may be linked before.
foreach(name modes damped)
  fb_test(test_sparse_${name} SOURCES test_sparse_${name}.c sparse_support.c MODULES ${FB_MECHANICS} solve linear record
    LIBS fb_test_support LABELS verify)
endforeach()
fb_test(test_counted_modes SOURCES test_counted_modes.c sparse_support.c MODULES ${FB_MECHANICS} solve linear record LIBS fb_test_support LABELS verify)
