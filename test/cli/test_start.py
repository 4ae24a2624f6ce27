"""What the program loads before it does anything: a short run must not wait for libraries that it does not need."""
import os
import subprocess
import unittest

PROGRAM = os.environ["FLYBALL"]


class Start(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("FLYBALL_IS_LATE") == "ON", "this build is linked with LAPACK")
    def test_large_libraries_are_not_loaded(self):
        # glibc's loader lists what it would load, and does not run the program.
        listed = subprocess.run([PROGRAM], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True).stdout
        self.assertIn("libfyaml", listed)
        for name in ("blas", "lapack", "arpack", "gfortran", "quadmath", "metis", "klu", "amd.", "nlopt"):
            self.assertNotIn(name, listed)


if __name__ == "__main__":
    unittest.main()
