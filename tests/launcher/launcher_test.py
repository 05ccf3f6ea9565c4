#!/usr/bin/env python3
"""Tests of ./strc, in a copy of it beside stand-ins for the binary and for the set-up."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHELL = shutil.which("sh")
PROGRAM = '#!{shell}\nprintf "<%s>" "$0" "$@"\nread line && printf "[%s]" "$line"\nexit 7\n'
SET_UP = """#!{shell}
echo "set-up $*"
mkdir -p "{root}/build/release/bin"
cp "{root}/program" "{root}/build/release/bin/strc"
: >"{root}/build/release/strc.built"
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "check out"
        (self.root / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "strc", self.root)
        self.write("program", PROGRAM)
        self.write("scripts/set-up", SET_UP)
        self.program = self.root / "build/release/bin/strc"

    def write(self, name, text):
        path = self.root / name
        path.write_text(text.format(shell=SHELL, root=self.root))
        path.chmod(0o755)

    def build(self):
        subprocess.run([self.root / "scripts/set-up"], check=True, stdout=subprocess.DEVNULL)

    def call(self, *words, path="/nothing", command=None, cwd="/", **more):
        environment = {"PATH": path, **more}
        return subprocess.run(
            [command or self.root / "strc", *words],
            cwd=cwd, env=environment, input="line\n", capture_output=True, text=True, check=False,
        )

    def test_built_is_only_started(self):
        # With an empty PATH no process but the program's own can be started.
        self.build()
        done = self.call("run", "a b", "", "*")
        self.assertEqual(done.stdout, f"<{self.program}><run><a b><><*>[line]")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 7)

    def test_from_its_own_folder_and_by_the_shell(self):
        self.build()
        done = self.call("x", command="./strc", cwd=self.root)
        self.assertIn("<x>", done.stdout)
        done = self.call("strc", "x", command=SHELL, cwd=self.root)
        self.assertIn("<x>", done.stdout)

    def test_by_symbolic_links(self):
        self.build()
        bin_folder = self.root.parent / "bin"
        bin_folder.mkdir()
        (bin_folder / "absolute").symlink_to(self.root / "strc")
        (bin_folder / "relative").symlink_to("../check out/strc")
        (bin_folder / "chain").symlink_to("relative")
        for name in ["absolute", "relative", "chain"]:
            done = self.call("x", command=bin_folder / name, path=os.environ["PATH"])
            self.assertIn("<x>", done.stdout, name)
        done = self.call("-c", "chain x", command=SHELL, path=f"{bin_folder}:{os.environ['PATH']}")
        self.assertIn("<x>", done.stdout)

    def test_first_use_sets_up_and_leaves_the_streams_alone(self):
        done = self.call("x", path=os.environ["PATH"])
        self.assertEqual(done.stdout, f"<{self.program}><x>[line]")
        self.assertEqual(done.stderr, "set-up --target strc-tool build\n")

    def test_an_unfinished_build_is_not_used(self):
        self.build()
        (self.root / "build/release/strc.built").unlink()
        self.assertIn("set-up", self.call("x", path=os.environ["PATH"]).stderr)

    def test_rebuild_on_request(self):
        self.build()
        done = self.call("x", path=os.environ["PATH"], STRC_REBUILD="1")
        self.assertIn("set-up", done.stderr)
        self.assertIn("<x>", done.stdout)

    def test_a_failed_set_up_runs_nothing(self):
        self.write("scripts/set-up", "#!{shell}\nexit 1\n")
        done = self.call("x", path=os.environ["PATH"])
        self.assertEqual((done.stdout, done.returncode), ("", 69))


class SetUp(unittest.TestCase):
    """scripts/set-up beside stand-ins for dpkg-query, apt-get, cmake and ninja."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "check out"
        self.bin = Path(folder.name) / "bin"
        (self.root / "scripts").mkdir(parents=True)
        self.bin.mkdir()
        for name in ["set-up", "packages.txt"]:
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        for name in ["dirname", "mkdir", "rm", "cat", "env", "flock"]:
            (self.bin / name).symlink_to(shutil.which(name))
        self.log = self.root / "log"
        self.tool("id", "echo 0")
        self.tool("cmake", 'echo "cmake $*" >>"$LOG"; echo words of cmake; exit ${CMAKE:-0}')
        self.tool("ninja", 'echo "ninja $*" >>"$LOG"; exit ${NINJA:-0}')
        self.tool("apt-get", 'echo "apt-get $*" >>"$LOG"; case $* in *install*) exit ${APT:-0};; esac')
        self.tool("dpkg-query", 'case " $ABSENT " in *" $4 "*) exit 1;; esac; echo installed')

    def tool(self, name, script):
        path = self.bin / name
        path.write_text(f"#!{SHELL}\n{script}\n")
        path.chmod(0o755)

    def call(self, *words, **more):
        self.log.write_text("")
        environment = {"PATH": str(self.bin), "LOG": str(self.log), **more}
        done = subprocess.run(
            [SHELL, self.root / "scripts/set-up", *words],
            cwd="/", env=environment, capture_output=True, text=True, check=False,
        )
        self.calls = self.log.read_text()
        self.built = (self.root / "build/release/strc.built").exists()
        return done

    def test_nothing_missing(self):
        done = self.call("--target", "strc-tool", "build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("apt-get", self.calls)
        self.assertIn("strc-tool", self.calls)
        self.assertIn("-DSTRC_TESTS=OFF", self.calls)
        self.assertTrue(self.built)

    def test_missing_packages_are_named_and_installed(self):
        done = self.call("build", "test", ABSENT="antlr4 libgtest-dev clang-19")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "antlr4 +generates the parser")
        self.assertRegex(self.calls, "install .* antlr4 libgtest-dev\n")
        self.assertNotIn("clang", self.calls)
        self.assertIn("-DSTRC_TESTS=ON", self.calls)

    def test_only_the_groups_asked_for(self):
        self.call("build", ABSENT="libgtest-dev")
        self.assertNotIn("apt-get", self.calls)

    def test_install_only(self):
        done = self.call("--install-only", "coverage", ABSENT="gcovr")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(self.calls, "install .* gcovr\n$")

    def test_install_fails(self):
        done = self.call("build", ABSENT="antlr4", APT="100")
        self.assertEqual(done.returncode, 1)
        self.assertIn("network", done.stderr)
        self.assertNotIn("cmake", self.calls)

    def test_not_root(self):
        self.tool("id", "echo 1000")
        done = self.call("build", ABSENT="antlr4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no sudo", done.stderr)
        self.assertIn("apt-get install --no-install-recommends antlr4", done.stderr)
        self.tool("sudo", 'echo "sudo $*" >>"$LOG"; "$@"')
        self.assertEqual(self.call("build", ABSENT="antlr4").returncode, 0)
        self.assertIn("sudo apt-get", self.calls)

    def test_no_debian(self):
        (self.bin / "apt-get").unlink()
        done = self.call("build", ABSENT="antlr4")
        self.assertEqual(done.returncode, 0)
        self.assertIn("no apt-get", done.stdout)
        self.assertRegex(done.stdout, "antlr4 +generates the parser")

    def test_failures_leave_no_stamp(self):
        self.call("build")
        done = self.call("build", CMAKE="1")
        self.assertEqual((done.returncode, self.built), (1, False))
        self.assertIn("words of cmake", done.stderr)
        self.assertIn("--fresh", self.calls)
        done = self.call("build", NINJA="1")
        self.assertEqual((done.returncode, self.built), (1, False))


if __name__ == "__main__":
    unittest.main()
