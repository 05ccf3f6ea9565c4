#!/usr/bin/env python3
"""What `cmake --install` installs serves others: by find_package, by pkg-config, by dlopen; and the installed
command runs. install_test.py BUILD_FOLDER"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=1800, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_debugging(prefix, place):
    """The script for gdb is there, and gdb knows its commands."""
    script = next(prefix.rglob("strc_gdb.py"))
    assert script.parent == prefix / "share/strc/gdb", script
    if shutil.which("gdb"):
        told = run("gdb", "-nx", "-batch", "-ex", f"source {script}", "-ex", "help strc channels", cwd=place)
        assert "channels with what is in their memory" in told, told


def check_import(prefix, place):
    """The commands that scripts do find these, and their Python package."""
    python = place / "python"
    python.write_text('#!/bin/sh\nprintf "<%s>" "$PYTHONPATH" "$@"\n')
    python.chmod(0o755)
    told = run(prefix / "bin/strc", "import", "model.py:A", "--python", python, env={"PATH": os.environ["PATH"]})
    assert told == f"<{prefix}/share/strc/python><-m><strc.importer><model.py:A><--python><{python}>", told
    assert (prefix / "share/strc/python/strc/importer/__main__.py").exists()
    assert "constraints" in run(prefix / "bin/strc", "setup", "torch", "--help")


def check_kernels(prefix, place):
    """What is installed calls the installed library for libtorch, if there is one."""
    library = next(prefix.rglob("libstrc_torch.so"), None)
    if library is None:
        print("libstrc_torch.so was not built")
        return
    (place / "p.str").write_text("tensor->tensor filter Main { work pop 1 push 1 { tensor x = pop(); push(matmul(x, x)); } }\n")
    run(prefix / "bin/strc", "build", "--kernels=torch", "--top", "Main", "--input", "8x8", "-o", "p", "p.str", cwd=place)
    assert str(library).encode() in (place / "p").read_bytes()


def main():
    with tempfile.TemporaryDirectory(prefix="strc-install-") as name:
        place = Path(name)
        prefix = place / "prefix"
        run("cmake", "--install", sys.argv[1], "--prefix", prefix)
        assert run(prefix / "bin/strc", "version").startswith("strc "), "the command"
        check_debugging(prefix, place)
        # Without a terminal the front end becomes the command again.
        front_end = prefix / "share/strc/python/strc_repl"
        told = run(sys.executable, front_end, "--strc", prefix / "bin/strc", input="2 + 3\n")
        assert told == "5\n", f"the front end: {told}"
        check_import(prefix, place)
        check_kernels(prefix, place)
        run("cmake", "-S", HERE / "consumer", "-B", place / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", place / "build")
        assert run(place / "build/consumer") == "2\n4\n6\n", "find_package"
        assert run(place / "build/recorded") == "2\n4\n6\n", "strc::dsl"
        folder = next(prefix.rglob("strc.pc")).parent
        env = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
        flags = run("pkg-config", "--cflags", "--libs", "strc", env=env).split()
        assert run("pkg-config", "--modversion", "strc", env=env).strip() == run(prefix / "bin/strc", "version").split()[1]
        (place / "native.c").write_text("#include <strc/dlpack.h>\nfloat P_f(const DLTensor *x) { return x->ndim; }\n")
        run("cc", "-c", "-o", place / "native.o", place / "native.c", *flags)
        library = next(prefix.rglob("libstrc.so"))
        run("cc", "-o", place / "plain", HERE / "consumer/main.c", *flags, f"-Wl,-rpath,{library.parent}")
        assert run(place / "plain") == "2\n4\n6\n", "pkg-config"
        run("cc", "-o", place / "load", HERE / "consumer/load.c", f"-I{prefix / 'include'}")
        assert run(place / "load", library) == "1\n", "dlopen"


if __name__ == "__main__":
    main()
