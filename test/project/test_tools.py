"""The project's own checks find what they are for: declarations without words, changes of the binary interface, symbols used from below."""
import fractions
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_abi  # noqa: E402
import check_headers  # noqa: E402
import check_symbols  # noqa: E402
import mutate  # noqa: E402
import powers_of_ten  # noqa: E402

GOOD = """// What it is for.
// A thing.
typedef struct FbThing {
    const char* name;
    double size;  // m
    // Above it will do.
    bool (*ask)(void* self);
    const int* items;  // [n_items]
    int n_items;
} FbThing;

// A kind.
typedef enum FbKind {
    FB_ONE,  // the first
    FB_TWO = 7,  // the other
} FbKind;

// Makes one.
FB_API FbThing* fb_thing_create(int n,
                                int m);
"""


class Headers(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "thing.h")
            path.write_text(text)
            return [p.split(": ", 1)[1] for p in check_headers.check_header(path)]

    def test_good(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_missing_words(self):
        for words, found in (("// What it is for.\n// A thing.\n", ["the header does not say what it is for", "no comment above: typedef struct FbThing {"]),
                             ("  // m", ["size has no comment"]), ("    // Above it will do.\n", ["ask has no comment"]),
                             ("  // [n_items]", ["items has no comment"]), ("// A kind.\n", ["no comment above: typedef enum FbKind {"]),
                             ("  // the other", ["FB_TWO has no comment"]),
                             ("// Makes one.\n", ["no comment above: FB_API FbThing* fb_thing_create(int n,"])):
            with self.subTest(words):
                self.assertIn(words, GOOD)
                self.assertEqual(self.problems(GOOD.replace(words, "")), found)


class PowersOfTen(unittest.TestCase):
    def test_table_is_what_the_tool_writes(self):
        table = pathlib.Path(__file__).resolve().parents[2] / "src/base/powers_of_ten.c"
        self.assertEqual(table.read_text(), powers_of_ten.text())

    def test_a_power_is_within_one_unit_above(self):
        for k in (-292, -56, -1, 0, 1, 55, 56, 324):
            exact = fractions.Fraction(10) ** k
            power = powers_of_ten.scaled_power(k)
            while exact < 2**127:
                exact *= 2
            while exact >= 2**128:
                exact /= 2
            self.assertTrue(0 <= power - exact < 1, k)


class Interface(unittest.TestCase):
    RECORDED = ["function fb_a", "struct FbThing 64", "field FbThing.size 8", "struct FbMode 64", "enum FB_TWO 7"]

    def test_layout_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "thing.h").write_text(GOOD)
            structs, enumerators = check_abi.read_headers(folder)
        self.assertEqual(structs, {"FbThing": ["name", "size", "ask", "items", "n_items"]})
        self.assertEqual(enumerators, ["FB_ONE", "FB_TWO"])

    def test_what_holds(self):
        self.assertEqual(check_abi.compare(self.RECORDED, self.RECORDED), [])

    def test_breaks_and_news(self):
        def change(line, by):
            return check_abi.compare([x for x in (by if r == line else r for r in self.RECORDED) if x], self.RECORDED)

        self.assertEqual(change("function fb_a", None), ["broken: function fb_a, now gone"])
        self.assertEqual(change("struct FbThing 64", "struct FbThing 72"), ["broken: struct FbThing 64, now struct FbThing 72"])
        self.assertEqual(change("field FbThing.size 8", "field FbThing.size 16"), ["broken: field FbThing.size 8, now field FbThing.size 16"])
        self.assertEqual(change("enum FB_TWO 7", "enum FB_TWO 8"), ["broken: enum FB_TWO 7, now enum FB_TWO 8"])
        self.assertEqual(change("struct FbMode 64", "struct FbMode 72"), ["not recorded: struct FbMode 64, now struct FbMode 72"])
        self.assertEqual(change("struct FbMode 64", "struct FbMode 56"), ["broken: struct FbMode 64, now struct FbMode 56"])
        self.assertEqual(check_abi.compare([*self.RECORDED, "function fb_b"], self.RECORDED), ["not recorded: function fb_b"])


class Symbols(unittest.TestCase):
    """On names as nm gives them: who defines, who wants, what the source file says."""

    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.build = pathlib.Path(self.temp.name)
        self.file = self.build / "a.c"
        self.file.write_text("int fb_a(void) { return 1; }\nint fb_b(void) { return fb_a(); }\n")
        self.addCleanup(self.temp.cleanup)

    def object(self, path):
        return str(self.build / path)

    def test_layers(self):
        defined = {"fb_low": self.object("src/base/x.o"), "fb_high": self.object("src/solve/y.o"), "fb_beside": self.object("src/force/z.o")}
        wanted = {self.object("src/base/x.o"): {"fb_high"}, self.object("src/solve/y.o"): {"fb_low"}, self.object("src/tree/w.o"): {"fb_beside"},
                  self.object("apps/flyball/m.o"): {"fb_high"}}
        self.assertEqual(check_symbols.find_downward(defined, wanted, self.build),
                         ["x.o: base must not use fb_high of solve", "w.o: tree must not use fb_beside of force"])

    def unused(self, **users):
        """Complaints about fb_a and fb_b of src/base/a.c, which are used by objects of these folders."""
        here = self.object("src/base/a.o")
        wanted = {self.object(f"{folder}/{name}.o"): {name} for name, folders in users.items() for folder in folders}
        return check_symbols.find_unused({"fb_a": here, "fb_b": here}, wanted, {here: self.file}, self.build, {"fb_public"})

    def test_unused(self):
        self.assertEqual(self.unused(fb_a=["src/math"], fb_b=["apps"]), [])
        self.assertEqual(self.unused(fb_a=["test"], fb_b=["src/math"]), [])
        self.assertEqual(self.unused(fb_b=["src/math"]), ["a.c: fb_a: only its own file uses it, make it static"])
        self.assertEqual(self.unused(fb_a=["src/math"], fb_b=["test"]), ["a.c: fb_b: only tests use it"])
        self.assertEqual(self.unused(fb_a=["src/math"]), ["a.c: fb_b: nothing uses it"])


class Mutations(unittest.TestCase):
    def changes(self, line):
        return set(mutate.mutate_line(line))

    def test_kinds(self):
        self.assertEqual(self.changes("    if (a < 2.0) {"), {("bound", "    if (a <= 2.0) {"), ("constant", "    if (a < 3.0) {"),
                                                              ("dropped check", "    if (false && (a < 2.0)) {")})
        self.assertEqual(self.changes("    x[i] += a - b;"), {("sign", "    x[i] -= a - b;"), ("sign", "    x[i] += a + b;"),
                                                              ("removed statement", "    ;")})
        self.assertEqual(self.changes("static const double QUIET = 1e-3;"), {("constant", "static const double QUIET = 0.1;")})
        self.assertEqual(self.changes("    fb_free(x);"), {("removed statement", "    ;")})

    def test_what_stays(self):
        for line in ("// a < b - c", '    print("a < 1.0");'.replace("print", "return text_of"), "#include <math.h>", "    return x;", "    int n = 3;",
                     "    double* p = (double*)q;", "    const char* s = \"a - b\";"):
            self.assertEqual(self.changes(line), set(), line)

    def test_seed_decides(self):
        mutants = [mutate.Mutant("a.c", i, kind, str(i), "") for i in range(50) for kind in ("sign", "bound")]
        first, again, other = (list(mutate.draw(mutants, seed)) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(sorted(first), sorted(mutants))

    def test_named_ones_fit_the_sources(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        self.assertGreaterEqual(len(list(mutate.find_named(root))), 5)


if __name__ == "__main__":
    unittest.main()
