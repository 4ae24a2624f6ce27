"""The examples reach their goals."""
import os
import pathlib
import runpy
import unittest

FOLDER = pathlib.Path(os.environ["FLYBALL_SOURCE"]) / "python/examples"


class Examples(unittest.TestCase):
    def test_examples(self):
        paths = sorted(FOLDER.glob("*.py"))
        self.assertGreaterEqual(len(paths), 3)
        for path in paths:
            with self.subTest(path.name), self.assertRaises(SystemExit) as end:
                runpy.run_path(str(path), run_name="__main__")
            self.assertEqual(end.exception.code, 0, path)


if __name__ == "__main__":
    unittest.main()
