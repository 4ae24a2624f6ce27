# fb_solve_core (test/unit/solve.cmake): the integrators with the hand-written models, without the mechanics.
fb_test(test_orders SOURCES test_orders.c MODULES base math LIBS fb_solve_core LABELS verify)
