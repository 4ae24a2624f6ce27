set(view_libs fb::yaml fb::klu fb::lapack)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND view_libs fb::sundials)
endif()
foreach(name stream chart plane report structures meshes solid)
  fb_test(test_view_${name} SOURCES test_view_${name}.c ${PROJECT_SOURCE_DIR}/test/verify/model_file.c
    MODULES ${FB_MECHANICS} solve linear record view LIBS ${view_libs})
  target_include_directories(test_view_${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/verify)
endforeach()
