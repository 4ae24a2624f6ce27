# What structures do when they move: at the start, in steady rotation, out of the linear range.
set(moving_modules ${FB_MECHANICS} solve record linear)
foreach(name carried placed linear_loads linear_turns definite turning rotating modal_amplitude node_turns)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${moving_modules} LIBS fb_test_linear_support fb_test_support LABELS verify)
endforeach()
