set(view_libs fb::yaml fb::klu fb::lapack)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND view_libs fb::sundials)
endif()
foreach(name stream chart report structures)
  fb_test(test_view_${name} SOURCES test_view_${name}.c
    MODULES ${FB_MECHANICS} solve linear record view LIBS ${view_libs})
endforeach()
