// Reading the fields of parts: helpers that the kinds of field share.
#ifndef FLYBALL_READ_FIELD_H
#define FLYBALL_READ_FIELD_H

#include "read/reader.h"

// Is the node a map with no other keys than these (ended by NULL)? Reports what is wrong.
bool fb_check_keys(FbReader* r, const FbNode* node, const char* what, const char* const* keys);

bool fb_read_point(FbReader* r, const FbField* field, const FbNode* node, FbPointDef* out);
bool fb_read_frame(FbReader* r, const FbField* field, const FbNode* node, FbFrameDef* out);

#endif
