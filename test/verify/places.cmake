# Where rounding could grow: far from the origin, at high speed, along ropes, near gimbal lock; numbers of steps.
set(places_modules ${FB_MECHANICS} solve record)
foreach(name places ropes gimbal_lock steps)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${places_modules} LIBS fb_test_support LABELS verify)
endforeach()
