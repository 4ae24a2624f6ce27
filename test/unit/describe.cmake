# What descriptions are made of, read from and written as: describe, mesh, read, schema.
foreach(name describe_def describe_shape describe_stl describe_cross_section describe_slider mesh_structure mesh_structure_def mesh_matrices read_model read_expand
        schema_json)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${FB_DESCRIPTION} LIBS fb::yaml fb::klu fb::lapack)
endforeach()
fb_test(test_mesh_reduction SOURCES test_mesh_reduction.c MODULES ${FB_MECHANICS} LIBS fb::yaml fb::klu fb::lapack)

# The schema of this build against a validator. Debian's Python has the modules; without them the test says so and is skipped.
add_executable(print_schema print_schema.c)
add_dependencies(quick_tests print_schema)
target_link_libraries(print_schema PRIVATE flyball_shared)
add_test(NAME schema COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/check_schema.py $<TARGET_FILE:print_schema> ${PROJECT_SOURCE_DIR})
set_tests_properties(schema PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME study_schema COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/check_study_schema.py $<TARGET_FILE:print_schema> ${PROJECT_SOURCE_DIR})
set_tests_properties(study_schema PROPERTIES SKIP_RETURN_CODE 77)
