// VTU files: the head says where each array begins in the raw bytes after it.
#include "view/vtu.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "view/stream.h"

// Of VTK's cells with the same nodes (vtkCellType.h).
static const unsigned char TYPES[FB_CELL_COUNT] = {
    [FB_CELL_TRI3] = 5,    [FB_CELL_TRI6] = 22,    [FB_CELL_QUAD4] = 9, [FB_CELL_QUAD8] = 23,
    [FB_CELL_TET4] = 10,   [FB_CELL_TET10] = 24,   [FB_CELL_HEX8] = 12, [FB_CELL_HEX20] = 25,
    [FB_CELL_WEDGE6] = 13, [FB_CELL_WEDGE15] = 26, [FB_CELL_LINE] = 4};

// VTK's wedges look the other way: the normal of their first triangle points outward.
static const int WEDGE[15] = {0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13};

static int node_of(const FbKeptMesh* m, int cell, int i) {
    bool is_wedge = m->shapes[cell] == FB_CELL_WEDGE6 || m->shapes[cell] == FB_CELL_WEDGE15;
    return m->nodes[m->first[cell] + (is_wedge ? WEDGE[i] : i)];
}

static void put(FbStream* s, uint64_t value, size_t width) {
    char bytes[8];
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (char)(value >> (8 * i) & 0xff);
    }
    fb_stream_raw(s, bytes, width);
}

static void put_number(FbStream* s, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(s, bits, 8);
}

static void print(FbStream* s, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void print(FbStream* s, const char* format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fb_stream_raw(s, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

// ---- The head ----

static uint64_t print_array(FbStream* s, const char* type, const char* name, int components,
                            uint64_t offset, uint64_t bytes) {
    print(s,
          "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
          "format=\"appended\" offset=\"%llu\"/>\n",
          type, name, components, (unsigned long long)offset);
    return offset + 8 + bytes;
}

static void print_head(FbStream* s, const FbKeptMesh* m, const FbVtuField* fields, int n_fields) {
    uint64_t n = (uint64_t)m->n_points, at = 0, n_cells = (uint64_t)m->n_cells;
    print(s,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n");
    print(s, "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n      <PointData%s%s%s>\n",
          m->n_points, m->n_cells, n_fields > 0 ? " Vectors=\"" : "",
          n_fields > 0 ? fields[0].name : "", n_fields > 0 ? "\"" : "");
    at = print_array(s, "Int32", "node", 1, at, 4 * n);
    for (int i = 0; i < n_fields; i++) {
        int size = fields[i].n_components;
        at = print_array(s, "Float64", fields[i].name, size, at, 8 * (uint64_t)size * n);
    }
    print(s, "      </PointData>\n      <Points>\n");
    at = print_array(s, "Float64", "Points", 3, at, 24 * n);
    print(s, "      </Points>\n      <Cells>\n");
    at = print_array(s, "Int32", "connectivity", 1, at, 4 * (uint64_t)m->first[m->n_cells]);
    at = print_array(s, "Int32", "offsets", 1, at, 4 * n_cells);
    print_array(s, "UInt8", "types", 1, at, n_cells);
    print(s,
          "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n"
          "  <AppendedData encoding=\"raw\">\n_");
}

// ---- The bytes ----

static void put_field(FbStream* s, const FbKeptMesh* m, const FbVtuField* field) {
    size_t n = (size_t)field->n_components * (size_t)m->n_points;
    put(s, 8 * (uint64_t)n, 8);
    for (size_t i = 0; i < n; i++) {
        put_number(s, field->values[i]);
    }
}

static void put_places(FbStream* s, const FbKeptMesh* m) {
    put(s, 24 * (uint64_t)m->n_points, 8);
    for (int i = 0; i < m->n_points; i++) {
        double place[3];
        fb_vec3_to(fb_kept_mesh_place(m, i), place);
        for (int d = 0; d < 3; d++) {
            put_number(s, place[d]);
        }
    }
}

static void put_cells(FbStream* s, const FbKeptMesh* m) {
    put(s, 4 * (uint64_t)m->first[m->n_cells], 8);
    for (int c = 0; c < m->n_cells; c++) {
        for (int i = 0; i < m->first[c + 1] - m->first[c]; i++) {
            put(s, (uint64_t)node_of(m, c, i), 4);
        }
    }
    put(s, 4 * (uint64_t)m->n_cells, 8);
    for (int c = 0; c < m->n_cells; c++) {
        put(s, (uint64_t)m->first[c + 1], 4);
    }
    put(s, (uint64_t)m->n_cells, 8);
    for (int c = 0; c < m->n_cells; c++) {
        put(s, TYPES[m->shapes[c]], 1);
    }
}

FbStatus fb_vtu_write(const FbKeptMesh* m, const FbVtuField* fields, int n_fields, const char* path,
                      FbError* err) {
    FbStream s;
    FB_TRY(fb_stream_open(&s, path, err));
    print_head(&s, m, fields, n_fields);
    put(&s, 4 * (uint64_t)m->n_points, 8);
    for (int i = 0; i < m->n_points; i++) {
        put(&s, (uint64_t)m->labels[i], 4);
    }
    for (int i = 0; i < n_fields; i++) {
        put_field(&s, m, &fields[i]);
    }
    put_places(&s, m);
    put_cells(&s, m);
    print(&s, "\n  </AppendedData>\n</VTKFile>\n");
    return fb_stream_close(&s, FB_OK, err);
}

FbStatus fb_pvd_write(const FbPvdEntry* entries, int n, const char* path, FbError* err) {
    FbStream s;
    FB_TRY(fb_stream_open(&s, path, err));
    print(&s,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
          "  <Collection>\n");
    for (int i = 0; i < n; i++) {
        print(&s, "    <DataSet timestep=\"%.17g\" part=\"%d\" file=\"%s\"/>\n", entries[i].time,
              entries[i].part, entries[i].file);
    }
    print(&s, "  </Collection>\n</VTKFile>\n");
    return fb_stream_close(&s, FB_OK, err);
}
