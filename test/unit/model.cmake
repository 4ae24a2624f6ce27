foreach(name def shape read expand)
  fb_test(test_model_${name} SOURCES test_model_${name}.c MODULES base math model LIBS fb::yaml fb::klu fb::lapack)
endforeach()
