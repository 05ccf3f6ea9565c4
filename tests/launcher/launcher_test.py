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

    def test_models_are_imported_without_a_build(self):
        self.write("scripts/import-model", PROGRAM)
        done = self.call("import", "model.py:A", "--input", "1x 3")
        self.assertEqual(done.stdout, f"<{self.root}/scripts/import-model><model.py:A><--input><1x 3>[line]")
        self.assertEqual(done.returncode, 7)

    def test_setup(self):
        self.write("scripts/set-up-torch", PROGRAM)
        done = self.call("setup", "torch", "--all")
        self.assertEqual(done.stdout, f"<{self.root}/scripts/set-up-torch><torch><--all>[line]")


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


class SetUpTorch(unittest.TestCase):
    """scripts/set-up-torch and scripts/import-model with a stand-in for Python."""

    PYTHON = """#!{shell}
echo "python $*" >>"$LOG"
case $* in
    -c*) exit 0 ;;
    "-m venv "*) {mkdir} -p "$3/bin"; {cp} "$0" "$3/bin/python" ;;
    "-m pip "*) exit ${{PIP:-0}} ;;
    "-m strc.importer "*) echo "imports, $PYTHONPATH" ;;
esac
"""
    CONSTRAINTS = "alpha==1.0  # wanted\nbeta==2.0\ngamma==3.0  # optional\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        place = Path(folder.name).resolve()
        self.root, self.bin, self.venv, self.log = (place / name for name in ["check out", "bin", "ve nv", "log"])
        for path in [self.root / "scripts", self.root / "python", self.bin]:
            path.mkdir(parents=True)
        for name in ["set-up-torch", "import-model"]:
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        (self.root / "python/constraints.txt").write_text(self.CONSTRAINTS)
        for name in ["dirname", "readlink", "cksum", "mkdir", "cat", "sed", "rm", "flock"]:
            (self.bin / name).symlink_to(shutil.which(name))
        python = self.bin / "python3"
        python.write_text(self.PYTHON.format(shell=SHELL, mkdir=shutil.which("mkdir"), cp=shutil.which("cp")))
        python.chmod(0o755)

    def call(self, *words, script="set-up-torch", **more):
        self.log.write_text("")
        environment = {"PATH": str(self.bin), "LOG": str(self.log), "STRC_VENV": str(self.venv), **more}
        done = subprocess.run(
            [SHELL, self.root / "scripts" / script, *words],
            cwd="/", env=environment, capture_output=True, text=True, check=False,
        )
        self.calls = self.log.read_text()
        return done

    def test_once(self):
        done = self.call()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(self.calls, "-m pip install .*--constraint .*/constraints.txt alpha\n")
        self.assertIn("alpha", done.stdout)
        done = self.call()
        self.assertEqual((done.returncode, done.stdout, self.calls), (0, "", ""))

    def test_nothing_else_can_be_set_up(self):
        self.assertEqual(self.call("torch").returncode, 0)
        done = self.call("tensorflow")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not know 'tensorflow'", done.stderr)

    def test_again_when_the_constraints_change(self):
        self.call()
        (self.root / "python/constraints.txt").write_text(self.CONSTRAINTS.replace("1.0", "1.1"))
        self.call()
        self.assertIn("-m pip install", self.calls)
        self.assertNotIn("-m venv", self.calls)

    def test_optional_packages(self):
        self.call()
        self.call("--all")
        self.assertRegex(self.calls, "alpha gamma\n")
        self.call()
        self.assertEqual(self.calls, "")

    def test_a_failure_leaves_no_stamp(self):
        done = self.call(PIP="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("network", done.stderr)
        self.assertEqual(self.call().returncode, 0)
        self.assertIn("-m pip install", self.calls)

    def test_what_calls_libtorch_is_built_once(self):
        set_up = self.root / "scripts/set-up"
        set_up.write_text(f"#!{SHELL}\necho \"set-up $*\"\n")
        set_up.chmod(0o755)
        self.assertNotIn("set-up --target", self.call().stdout)
        for folder in ("bin", "lib"):
            (self.root / "build/release" / folder).mkdir(parents=True)
        (self.root / "build/release/bin/strc").touch(0o755)
        self.assertEqual(self.call().stdout, "set-up --target strc_torch build\n")
        (self.root / "build/release/lib/libstrc_torch.so").touch()
        self.assertEqual(self.call().stdout, "")

    def test_nothing_is_installed_where_that_is_not_wanted(self):
        done = self.call(STRC_NO_INSTALL="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("STRC_NO_INSTALL", done.stderr)
        self.assertFalse(self.venv.exists())
        done = self.call("model.py:A", script="import-model", STRC_NO_INSTALL="1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("strc setup torch", done.stderr)

    def test_no_home(self):
        for words in ({}, {"script": "import-model"}):
            done = self.call(**words, STRC_VENV="")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("HOME, which is not set; STRC_VENV may name a folder", done.stderr)
            self.assertNotIn("parameter not set", done.stderr)

    def test_no_python(self):
        (self.bin / "python3").unlink()
        done = self.call()
        self.assertEqual(done.returncode, 1)
        self.assertIn("python3-venv", done.stderr)

    def test_import_sets_up_and_keeps_the_output_clean(self):
        done = self.call("model.py:A", "--input", "1x3", script="import-model")
        self.assertEqual(done.stdout, f"imports, {self.root}/python\n")
        self.assertIn("installing Python packages", done.stderr)
        self.assertTrue(self.calls.endswith("python -m strc.importer model.py:A --input 1x3\n"), self.calls)

    def test_import_by_another_python(self):
        for words in [["--python", str(self.bin / "python3")], [f"--python={self.bin}/python3"]]:
            done = self.call("model.py:A", *words, script="import-model")
            self.assertIn("imports", done.stdout)
            self.assertNotIn("pip", self.calls)
        done = self.call("model.py:A", "--python", "/nothing/python", script="import-model")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no Python '/nothing/python'", done.stderr)


if __name__ == "__main__":
    unittest.main()
