set(study_libs fb::yaml fb::klu fb::lapack)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND study_libs fb::sundials)
endif()
fb_test(test_study SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_study.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS ${study_libs})
fb_test(test_study_samples SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_study_samples.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS ${study_libs})
fb_test(test_study_bench SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_study_bench.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS ${study_libs})
fb_test(test_study_ranks SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_study_ranks.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS ${study_libs})
