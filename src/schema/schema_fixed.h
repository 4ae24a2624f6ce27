// Members of the schema's $defs that are the same for every set of types.
#ifndef FLYBALL_SCHEMA_SCHEMA_FIXED_H
#define FLYBALL_SCHEMA_SCHEMA_FIXED_H

extern const char fb_schema_fixed_defs[];
extern const char fb_schema_fixed_structures[];

#endif
