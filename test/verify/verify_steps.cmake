# After verify.cmake, whose lists it uses: steps that fail, and pieces of expressions.
foreach(name failing_steps kinks)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${whole_modules} LIBS fb_test_support LABELS verify)
endforeach()
fb_test(test_fixed_steps SOURCES test_fixed_steps.c MODULES ${whole_modules} LIBS fb_test_support LABELS verify)
