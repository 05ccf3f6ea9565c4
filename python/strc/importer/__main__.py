"""Runs the command; exit status 1 if the model cannot be imported, 2 if the call makes no sense."""

import gc
import sys


def main() -> int:
    gc.disable()  # what is made while modules are loaded stays
    try:
        import torch  # noqa: F401
    except ImportError:
        print(
            f"strc: {sys.executable} has no PyTorch. `strc setup torch` sets up a Python that has it, which `strc import` then "
            "uses unless --python names another one",
            file=sys.stderr,
        )
        return 1
    from .command import run

    gc.freeze()
    gc.enable()
    return run(sys.argv[1:])


sys.exit(main())
