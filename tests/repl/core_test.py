#!/usr/bin/env python3
"""The front end's side of the requests, beside cores that misbehave."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from strc_repl.core import Core, CoreDied, Late


class Requests(unittest.TestCase):
    def core(self, script):
        core = Core(["sh", "-c", script])
        self.addCleanup(core.end)
        return core

    def test_events_come_before_the_answer(self):
        core = self.core("""read line; printf '{"event":"output","text":"a"}\\n{"id":1,"ok":true}\\n'; read line""")
        events = []
        self.assertEqual(core.request("eval", events.append, text=""), {"id": 1, "ok": True})
        self.assertEqual(events, [{"event": "output", "text": "a"}])

    def test_lines_of_others_are_output(self):
        core = self.core("""read line; printf 'a native\\n12\\n\\377\\n{"id":1}\\n'; read line""")
        events = []
        core.request("eval", events.append, text="")
        self.assertEqual("".join(each["text"] for each in events), "a native\n12\n\ufffd\n")

    def test_a_late_answer_is_not_that_of_the_next_request(self):
        core = self.core("""read line; read line; printf '{"id":1,"n":1}\\n{"id":2,"n":2}\\n'; read line""")
        with self.assertRaises(Late):
            core.request("complete", patience=0.05)
        self.assertEqual(core.request("complete")["n"], 2)

    def test_a_death_is_told_with_its_reason_every_time(self):
        core = self.core("read line; kill -9 $$")
        for _ in range(2):
            with self.assertRaisesRegex(CoreDied, "by signal 9"):
                core.request("eval", text="")
        self.assertEqual(core.ask("tokens", text=""), {})
        core = self.core("read line; exit 3")
        with self.assertRaisesRegex(CoreDied, "with exit status 3"):
            core.request("eval", text="")

    def test_long_answers(self):
        core = self.core("""read line; printf '{"id":1,"text":"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '"}\\n'""")
        self.assertEqual(len(core.request("eval", text="")["text"]), 3_000_000)


if __name__ == "__main__":
    unittest.main()
