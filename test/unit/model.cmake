foreach(name def shape section structure slider matrices read expand schema)
  fb_test(test_model_${name} SOURCES test_model_${name}.c MODULES base math model LIBS fb::yaml fb::klu fb::lapack)
endforeach()

# The schema of this build against a validator. Debian's Python has the modules; without them the test says so and is skipped.
add_executable(print_schema print_schema.c)
target_link_libraries(print_schema PRIVATE flyball_shared)
add_test(NAME schema COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/check_schema.py $<TARGET_FILE:print_schema> ${PROJECT_SOURCE_DIR})
set_tests_properties(schema PROPERTIES SKIP_RETURN_CODE 77)
