#!/usr/bin/env python3
"""Man pages and shell completion name every option that the command line takes."""

import re
import shutil
import subprocess
import unittest

from command import Case

COMMANDS = ("run", "live", "build", "check", "graph", "schedule", "fmt", "explain", "repl", "version", "completion", "man")


class Pages(Case):
    def options(self, command):
        """As the help has them: the line of each, and its names."""
        text = self.call(command, "--help")[0].decode().split("\nExamples:")[0]
        return [line.split(",") for line in re.findall(r"^  (-[^ ]*)", text, re.M)]

    def test_manual_pages(self):
        page = self.call("man")[0].decode()
        for command in COMMANDS:
            self.assertIn(f"\n\\fBstrc {command}\\fR\n", page)
            text = self.call("man", command)[0].decode()
            self.assertTrue(text.startswith(f".TH STRC\\-{command.upper()} 1 "), text[:80])
            known = [re.findall(r"\\fB(-.*?)\\fR", line.replace("\\-", "-")) for line in re.findall(r"^\.TP\n(.*)$", text, re.M)]
            self.assertEqual(sorted(map(sorted, known)), sorted(map(sorted, self.options(command))), command)
            self.assertIn(f"strc {command}".replace("-", "\\-"), text.split(".SH EXAMPLES\n")[1])

    @unittest.skipUnless(shutil.which("man"), "there is no man")
    def test_manual_pages_are_read_without_complaint(self):
        for command in ((), *((command,) for command in (*COMMANDS, "import", "setup"))):
            page = self.call("man", *command)[0]
            done = subprocess.run(["man", "--warnings=w", "-l", "-"], input=page, capture_output=True, env={"MANWIDTH": "80", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
                                  check=True)
            self.assertEqual(done.stderr, b"")
            self.assertIn(b"SEE ALSO", done.stdout)

    def bash(self, *words):
        """What bash offers behind these words, the last of which is begun."""
        words = " ".join(f"'{word}'" for word in words)
        script = f"source strc.bash; COMP_WORDS=(strc {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _strc; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_bash(self):
        self.file("strc.bash", self.call("completion", "bash")[0])
        self.file("one.str", "")
        self.file("two.txt", "")
        (self.folder / "more").mkdir()
        self.assertLessEqual({*COMMANDS, "import", "setup"}, set(self.bash("")))
        self.assertEqual(self.bash("sch"), ["schedule"])
        for command in COMMANDS:
            names = {name for line in self.options(command) for name in line}
            self.assertEqual(set(self.bash(command, "-")), names, command)
        self.assertEqual(self.bash("run", "--schedule", ""), ["buffers", "single-appearance", "latency"])
        self.assertEqual(self.bash("run", "--schedule", "=", "l"), ["latency"])
        self.assertEqual(self.bash("run", "--schedule", "="), ["buffers", "single-appearance", "latency"])
        self.assertEqual(sorted(self.bash("run", "")), ["more", "one.str"])
        self.assertEqual(sorted(self.bash("run", "--in", "")), ["more", "one.str", "strc.bash", "two.txt"])
        self.assertEqual(self.bash("build", "--bundle", "m"), ["more"])
        self.assertEqual(self.bash("run", "--limit", ""), [""])
        self.assertEqual(self.bash("completion", ""), ["bash", "zsh", "fish"])
        self.assertIn("schedule", self.bash("man", ""))

    def test_zsh(self):
        script = self.call("completion", "zsh")[0].decode()
        for command in COMMANDS:
            part = re.search(rf"^        {command}\)\n(.*?)^            ;;$", script, re.M | re.S).group(1)
            known = {name for name in re.findall(r"^ +'\*(-[A-Za-z-]+?)[=+]?\[", part, re.M)}
            self.assertEqual(known, {name for line in self.options(command) for name in line}, command)
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", self.file("_strc", script)], check=True)

    def test_fish(self):
        script = self.call("completion", "fish")[0].decode()
        for command in COMMANDS:
            lines = re.findall(rf"^complete -c strc -n '__fish_seen_subcommand_from {command}'(.*?)$", script, re.M)
            known = set()
            for line in lines:
                head = re.split(r" (?:-[xraFd]) ?", line, maxsplit=1)[0]
                known |= {("-" if kind == "s" else "--") + name for kind, name in re.findall(r" -([sl]) (\S+)", head)}
            self.assertEqual(known, {name for line in self.options(command) for name in line}, command)
        if shutil.which("fish"):
            asked = subprocess.run(["fish", "--no-config", "-c", f"source {self.file('strc.fish', script)}; complete -C 'strc run --schedule '"],
                                   capture_output=True, text=True, check=True)
            self.assertEqual(sorted(line.split("\t")[0] for line in asked.stdout.splitlines()), ["buffers", "latency", "single-appearance"])

    def test_wrong_calls(self):
        for words, text in (((), "bash, zsh or fish"), (("tcsh",), "'tcsh' is not a value for SHELL"),
                            (("bash", "zsh"), "'zsh' is one argument too many")):
            self.assertIn(text, self.call("completion", *words, status=2)[1])
        self.assertIn("did you mean 'build'?", self.call("man", "bild", status=2)[1])
        self.assertIn("'run' is one argument too many", self.call("man", "build", "run", status=2)[1])


if __name__ == "__main__":
    unittest.main()
