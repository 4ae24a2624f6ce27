// Looking into the tree of a model file.
#include <string.h>

#include "read/yaml.h"

const FbNode* fb_node_get(const FbNode* map, const char* key) {
    for (int i = 0; map && map->kind == FB_NODE_MAP && i < map->count; i++) {
        if (strcmp(map->entries[i].key, key) == 0) {
            return map->entries[i].value;
        }
    }
    return NULL;
}
