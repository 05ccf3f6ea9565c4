#!/usr/bin/env python3
"""Rewrites the expected texts in tests/golden from what the compiler says now.

    tests/update_goldens.py [BUILD_FOLDER]

Builds, then runs the tests that compare with such files (their names contain "Golden") in a mode in
which they write instead. Look at `git diff tests/golden` before committing.
"""

import os
import subprocess
import sys
from pathlib import Path


def main():
    root = Path(__file__).resolve().parent.parent
    build = Path(sys.argv[1] if len(sys.argv) > 1 else root / "build" / "debug")
    if not (build / "CMakeCache.txt").exists():
        sys.exit(f"{build} is not a build folder")
    subprocess.run(["cmake", "--build", build], check=True)
    environment = dict(os.environ, STRC_UPDATE_GOLDENS="1")
    tests = subprocess.run(["ctest", "--test-dir", build, "-R", "Golden", "--output-on-failure"],
                           env=environment)
    changed = subprocess.run(["git", "-C", root, "status", "--short", "--", "tests/golden"],
                             capture_output=True, text=True, check=True).stdout
    print(changed or "nothing has changed")
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
