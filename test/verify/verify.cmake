# Tests of whole models: every folder up to the solvers, and what they share (model_support).
set(whole_modules base math model law tree force system solve record)
set(whole_libs fb::yaml fb::klu fb::lapack)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND whole_libs fb::sundials)
endif()

foreach(name derivatives algorithms)
  fb_test(test_${name} SOURCES test_${name}.c model_support.c random_model.c MODULES ${whole_modules} LIBS ${whole_libs} LABELS verify)
endforeach()
