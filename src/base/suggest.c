// "Did you mean": the word that other programs use for a known name, or the closest known name by
// edit distance (insert, delete, replace, swap of neighbours).
#include <ctype.h>
#include <string.h>

#include "base/text.h"

enum { LONGEST = 64 };

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Upper and lower case count as equal. Three rows of the usual table are enough.
static int edit_distance(const char* a, int n_a, const char* b, int n_b) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= n_b; j++) {
        last[j] = j;
    }
    for (int i = 1; i <= n_a; i++) {
        now[0] = i;
        for (int j = 1; j <= n_b; j++) {
            int replace = last[j - 1] + !same(a[i - 1], b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, replace);
            bool is_swap = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
            if (is_swap && before[j - 2] + 1 < now[j]) {
                now[j] = before[j - 2] + 1;
            }
        }
        int* spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n_b];
}

// One is the beginning of the other: "stiff" for "stiffness".
static bool is_prefix(const char* a, int n_a, const char* b, int n_b) {
    int n = n_a < n_b ? n_a : n_b;
    for (int i = 0; i < n; i++) {
        if (!same(a[i], b[i])) {
            return false;
        }
    }
    return n >= 3;
}

// What things are called in other programs, in textbooks and in print.
static const struct {
    const char *elsewhere, *here;
} synonyms[] = {
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"continuous", "revolute"},
    {"rotational", "revolute"},
    {"slider", "prismatic"},
    {"slide", "prismatic"},
    {"translational", "prismatic"},
    {"ball", "spherical"},
    {"cardan", "universal"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"floating", "free"},
    {"parent", "between"},
    {"bodies", "between"},
    {"location", "point"},
    {"anchor", "point"},
    {"angle", "position"},
    {"pos", "position"},
    {"rotation", "orientation"},
    {"quaternion", "orientation"},
    {"com", "center"},
    {"centre", "center"},
    {"moi", "inertia"},
    {"geometry", "shapes"},
    {"k", "stiffness"},
    {"c", "damping"},
    {"d", "damping"},
    {"l0", "rest"},
    {"rest_length", "rest"},
    {"free_length", "rest"},
    {"damper", "spring"},
    {"tsda", "spring"},
    {"rotational_spring", "torsion"},
    {"torsion_spring", "torsion"},
    {"motor", "actuator"},
    {"t_end", "duration"},
    {"end_time", "duration"},
    {"end", "duration"},
    {"dt", "sample"},
    {"timestep", "sample"},
    {"\xc2\xb0", "deg"},
    {"sec", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"meter", "m"},
    {"meters", "m"},
    {"metre", "m"},
    {"metres", "m"},
    {"newton", "N"},
};

static const char* find_synonym(const char* word, const char* const* names, int n_names) {
    for (size_t k = 0; k < sizeof synonyms / sizeof synonyms[0]; k++) {
        const char* other = synonyms[k].elsewhere;
        int n = (int)strlen(other);
        if ((int)strlen(word) != n || edit_distance(word, n, other, n) != 0) {
            continue;
        }
        for (int i = 0; i < n_names; i++) {
            if (strcmp(names[i], synonyms[k].here) == 0) {
                return names[i];
            }
        }
    }
    return NULL;
}

const char* fb_did_you_mean(const char* word, const char* const* names, int n_names) {
    const char* synonym = find_synonym(word, names, n_names);
    if (synonym) {
        return synonym;
    }
    int n_word = (int)strlen(word);
    int limit = (n_word + 1) / 3;  // about one slip in three letters
    const char* best = NULL;
    int best_distance = limit + 1;
    const char* prefix = NULL;
    for (int i = 0; i < n_names && n_word <= LONGEST; i++) {
        int n_name = (int)strlen(names[i]);
        if (n_name > LONGEST || n_name == 0) {
            continue;
        }
        int distance = edit_distance(word, n_word, names[i], n_name);
        if (distance < best_distance) {
            best_distance = distance;
            best = names[i];
        }
        if (!prefix && is_prefix(word, n_word, names[i], n_name)) {
            prefix = names[i];
        }
    }
    return best ? best : prefix;
}
