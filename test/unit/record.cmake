fb_test(test_record_csv SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_record_csv.c MODULES base)
target_sources(test_record_csv PRIVATE ${PROJECT_SOURCE_DIR}/src/record/csv_cell.c ${PROJECT_SOURCE_DIR}/src/record/csv_read.c ${PROJECT_SOURCE_DIR}/src/record/result_fbr.c
  ${PROJECT_SOURCE_DIR}/src/record/csv_write.c ${PROJECT_SOURCE_DIR}/src/record/file.c
  ${PROJECT_SOURCE_DIR}/src/read/file.c)
fb_test(test_record_compare SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_record_compare.c MODULES base)
target_sources(test_record_compare PRIVATE ${PROJECT_SOURCE_DIR}/src/record/compare.c)
fb_test(test_record_matrix_market SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_record_matrix_market.c MODULES base)
target_sources(test_record_matrix_market PRIVATE ${PROJECT_SOURCE_DIR}/src/record/matrix_market.c
  ${PROJECT_SOURCE_DIR}/src/record/file.c)
fb_test(test_record_damping SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_record_damping.c MODULES base)
target_sources(test_record_damping PRIVATE ${PROJECT_SOURCE_DIR}/src/record/curve.c
  ${PROJECT_SOURCE_DIR}/src/record/damping.c ${PROJECT_SOURCE_DIR}/src/record/damping_phase.c)
