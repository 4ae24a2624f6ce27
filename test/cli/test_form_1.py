"""Form 1 on guides that shear: it has no limit as their elements shrink, and runs say so (theory 9.10)."""
import re

import test_smooth_guides
from test_smooth_guides import BEAM, SOLID


class Form1(test_smooth_guides.CantileverTest):
    @staticmethod
    def share_of(run):
        """The share of its mass, in percent, that a run says form 1 adds to the slider; 0: nothing was said."""
        found = [re.search(r"couple of form 1 makes its mass up to ([0-9.]+) % heavier", text) for text in run["warnings"]]
        return max((float(match.group(1)) for match in found if match), default=0.0)

    def test_form_1_warns_of_shear(self):
        """The share (9.45): it doubles with the elements of a beam with shear, and grows faster in solids; a thin beam and other theories have none."""
        short = ("--duration", "0.1")
        shear = [self.share_of(self.run_kind(BEAM, n, "form_1a", *short)[2]) for n in (48, 96)]
        self.assertTrue(1.8 < shear[1] / shear[0] < 2.1, shear)
        solid = [self.share_of(self.run_kind(SOLID, n, "form_1b", *short)[2]) for n in (8, 16)]
        self.assertTrue(3 < solid[1] / solid[0] < 5, solid)
        thin = BEAM.replace("    beam: timoshenko\n", "")
        for n in (6, 96):
            self.assertEqual(self.share_of(self.run_kind(thin, n, "form_1a", *short)[2]), 0)
        self.assertEqual(self.share_of(self.run_kind(SOLID, 16, "convective", *short)[2]), 0)

    def test_form_1_converges_on_thin_beams(self):
        """Of first order: the couple of form 1 breaks the curvature."""
        thin = BEAM.replace("    beam: timoshenko\n", "")
        tips = [self.run_kind(thin, n, "form_1a")[0]["tip"] for n in (12, 24, 48)]
        self.assertLess(self.differ(tips[1], tips[2]), 0.6 * self.differ(tips[0], tips[1]))

    def test_form_1_through_few_nodes(self):
        """A guide whose nodes keep their distance as the mesh is refined: form 1 settles, near the beam."""
        beam, zeta, _ = self.run_kind(BEAM, 24, "form_1a")
        few = SOLID.replace("to: [1, 0.05, 0.05]}}", "to: [1, 0.05, 0.05], spacing: 0.125}}", 1)
        errors = []
        for n in (8, 16):
            columns, _, run = self.run_kind(few, n, "form_1a")
            errors.append(self.differ(beam["tip"], columns["tip"]))
            print(f"form 1 through 9 nodes, n = {n}: motion {errors[-1]:.2g} of its range, damping ratio {run['damping']['ratio']:.5f}, beam {zeta:.5f}")
        self.assertLess(errors[1], 0.02)
        self.assertLess(errors[1], errors[0])
        self.assertLess(abs(run["damping"]["ratio"] - zeta), 0.03 * zeta)


if __name__ == "__main__":
    import unittest
    unittest.main()
