"""The models of the tests are files that a reader can run: `flyball check` accepts each of them, or refuses it with the
message that its first line announces (`# error: part of the message`)."""
import concurrent.futures
import unittest

from program import SOURCE, ProgramTest

# Models of the reader's own tests, which end at the description or in an error, and have a few types of their own or messages for each line; and models of programs that set functions.
ELSEWHERE = ("robust/bad_models", "robust/model_memory", "unit/read", "unit/describe", "fuzz/corpus", "verify/callbacks")


def models():
    test = SOURCE / "test"
    for path in sorted(test.glob("*/**/*.yaml")):
        place = path.relative_to(test).as_posix()
        # Studies and benchmark cases name their models; they are no models themselves.
        if not place.startswith(ELSEWHERE) and not place.endswith((".study.yaml", "case.yaml")):
            yield path


class Models(ProgramTest):
    def check(self, path):
        first = path.read_text().split("\n", 1)[0]
        answer = self.flyball("check", "--quiet", path)
        if first.startswith("# error: "):
            message = first.removeprefix("# error: ")
            return None if answer.code != 0 and any(m in answer.err for m in message.split(" | ")) else f"{path}: not refused with '{message}'"
        return None if answer.code == 0 else f"{path} is refused:\n{answer.err}"

    def test_all_can_be_run(self):
        paths = list(models())
        self.assertGreater(len(paths), 200)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            faults = [fault for fault in pool.map(self.check, paths) if fault]
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()
