"""Feedback from outside: the figures of the guide's page on control, events and warnings of a run."""
import csv
import re

from program import SOURCE, ProgramTest

GUIDE = SOURCE / "docs/guide"
PAGE = (GUIDE / "control.md").read_text()


def rows(title):
    """The numbers of the table whose header begins like this."""
    table = PAGE.split(f"| {title}")[1].split("\n\n")[0].splitlines()[2:]
    return [[float(cell.strip(" %")) for cell in line.strip("|").split("|")] for line in table]


class Control(ProgramTest):
    def run_model(self, name, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.expect(self.flyball("run", GUIDE / "models" / name, "--json", "--quiet", *words), 0).json()

    def test_lead(self):
        table = rows("`lead` (s)")
        self.assertEqual([row[0] for row in table], [0, 0.025, 0.05, 0.075, 0.1])
        for lead, ratio, share in table:
            damping = self.run_model("reel.yaml", f"lead={lead}")["damping"]
            self.assertAlmostEqual(damping["ratio"], ratio, delta=6e-6)
            self.assertAlmostEqual(100 * damping["ratio"] / 0.0958131993, share, delta=0.06)
        best = max(table, key=lambda row: row[1])
        self.assertEqual(best[0], 0.075)  # the centred move

    def test_lock(self):
        for guess, ratio in rows("`guess` (rad/s)"):
            damping = self.run_model("locked.yaml", f"guess={guess}")["damping"]
            self.assertAlmostEqual(damping["ratio"], ratio, delta=6e-6)

    def test_events(self):
        result = self.run_model("reel.yaml")
        names = [e["name"] for e in result["events"]]
        self.assertEqual(names[:4], ["reel.outward", "reel.inward"] * 2)
        self.assertEqual(result["warnings"], [])

    def test_limits_are_reported(self):
        warnings = self.run_model("reel.yaml", "lead=0.09375", "max_rate=2")["warnings"]
        shown = re.search(r"(?m)^warning: (the limits of law 'reel' are active.*)$", PAGE).group(1)
        self.assertEqual(warnings, [shown])

    def test_linearization_looks_through_samplers(self):
        answer = self.expect(self.flyball("linearize", GUIDE / "models/digital_drive.yaml", "--json"), 0).json()
        values = sorted((e["re"], e["im"]) for e in answer["methods"][0]["eigenvalues"])
        # 2 x'' + 14 x' + 60 x = 0
        for (re, im), sign in zip(values, (-1, 1)):
            self.assertAlmostEqual(re, -3.5, delta=1e-9)
            self.assertAlmostEqual(im, sign * (30 - 3.5**2) ** 0.5, delta=1e-9)

    def test_linearization_at_a_time_knows_the_moves(self):
        answer = self.expect(self.flyball("linearize", GUIDE / "models/reel.yaml", "--at", "0.552", "--json"), 0).json()
        # In the middle of the first move, which starts at 0.47697 s.
        self.assertAlmostEqual(answer["equilibrium"]["coordinates"]["slide"], 1.0, delta=1e-4)

    def test_delay(self):
        for delay, largest in rows("`delay` (s)"):
            model = GUIDE / "models/digital_drive.yaml"
            self.expect(self.flyball("run", model, "-q", "-o", "out", "--set", f"delay={delay}"), 0)
            with open(self.folder / "out/digital_drive.csv", newline="") as file:
                found = max(float(row["position [m]"]) for row in csv.DictReader(file))
            self.assertAlmostEqual(found, largest, delta=6e-5)
