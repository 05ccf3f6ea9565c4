"""PYTHON strc_repl --strc STRC -- FILES: the prompt on this terminal, with the files loaded first."""

import os
import sys

# Run as a folder, the package itself is where Python looks for modules: its parent should be.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from strc_repl import start  # noqa: E402

if __name__ == "__main__":
    try:
        sys.exit(start.main(sys.argv[1:]))
    except KeyboardInterrupt:  # before there was a prompt
        sys.exit(130)
