# Deep trees: the elimination along the tree. The modules are those of the whole models.
fb_test(test_deep_trees SOURCES test_deep_trees.c MODULES ${FB_MECHANICS} solve record LIBS fb_test_support LABELS verify)
