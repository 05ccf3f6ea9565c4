"""What the tests of the Python package share."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The package as it is in the checkout, or, for tests of the extension, as make_wheel has installed it.
WHEEL = os.environ.get("STRC_WHEEL", "")
sys.path.insert(0, WHEEL or str(ROOT / "python"))
STRC = os.environ.get("STRC") or str(ROOT / "build/release/bin/strc")
GOLDEN = Path(__file__).resolve().parent / "golden"


def golden(name, text):
    """Compares a text with the one that is kept; STRC_UPDATE_GOLDENS=1 keeps it."""
    path = GOLDEN / name
    if os.environ.get("STRC_UPDATE_GOLDENS"):
        path.write_text(text, encoding="ascii")
    assert text == path.read_text(encoding="ascii"), f"{name} is different; STRC_UPDATE_GOLDENS=1 keeps it as it is now"
