set(solve_libs fb::klu fb::lapack)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND solve_libs fb::sundials)
endif()
# The integrators know only the contract: their tests link the folder without the simulation, which needs the mechanics.
set(solve_core newton_create.c newton_left.c newton_matrix.c noise.c radau.c radau_coefficients.c radau_control.c radau_create.c radau_dense.c radau_end.c radau_error.c radau_form.c radau_full.c radau_newton.c radau_travel.c radau_turn.c crossing.c dop853.c dop853_coefficients.c dop853_dense.c
  alpha.c alpha_memory.c dop853_memory.c gauss_memory.c ltv_memory.c newton_memory.c radau_memory.c run_memory.c alpha_newton.c contraction.c gauss.c gauss_coefficients.c gauss_newton.c gauss_rows.c hermite.c ltv.c ltv_error.c ltv_forces.c ltv_modes.c ltv_moving.c ltv_responses.c ltv_stages.c ltv_unknowns.c integrators.c point.c weights.c run.c events.c arms.c auto.c certify.c
  blow.c failure.c kink_search.c kinks.c touches.c works.c step_log.c work.c)
if(FLYBALL_HAS_SUNDIALS)
  list(APPEND solve_core sundials.c sundials_linear.c sundials_cvode.c sundials_system.c sundials_ida.c)
else()
  list(APPEND solve_core sundials_none.c)
endif()
list(TRANSFORM solve_core PREPEND ${PROJECT_SOURCE_DIR}/src/solve/)
# What systems of deep trees are solved with.
foreach(name variation fronts fronts_plan fronts_real fronts_complex)
  list(APPEND solve_core ${PROJECT_SOURCE_DIR}/src/tree/${name}.c)
endforeach()
add_library(fb_solve_core OBJECT ${solve_core} solve_models.c)
target_include_directories(fb_solve_core PUBLIC ${PROJECT_SOURCE_DIR}/test/unit)
target_link_libraries(fb_solve_core PUBLIC fb_options ${solve_libs})

foreach(name newton_matrix radau dop853 sundials run certify arms step_log)
  fb_test(test_solve_${name} SOURCES test_solve_${name}.c MODULES base math LIBS fb_solve_core)
endforeach()

# The simulation on the whole engine.
fb_test(test_solve_simulation SOURCES test_solve_simulation.c solve_models.c ${PROJECT_SOURCE_DIR}/test/verify/model_file.c
  MODULES ${FB_MECHANICS} solve LIBS ${solve_libs} fb::yaml)
target_include_directories(test_solve_simulation PRIVATE ${PROJECT_SOURCE_DIR}/test/verify)

# Errors from differences to a looser run.
fb_test(test_solve_estimate SOURCES test_solve_estimate.c MODULES ${FB_MECHANICS} solve LIBS ${solve_libs} fb::yaml)
