"""Writes the table of docs/onnx.md, and the names of tests that are right: onnx_table.py FILE.jsonl... of onnx_suite.py."""

import collections
import json
import re
import sys
from pathlib import Path

from support import GOLDEN, ROOT

PAGE = ROOT / "docs/onnx.md"
KNOWN = GOLDEN / "onnx_suite.txt"
FAULTS = ("refused", "wrong", "crashed")


def read(paths: list[str]) -> list[dict]:
    return [json.loads(line) for path in paths for line in Path(path).read_text(encoding="utf-8").splitlines()]


def reason(row: dict) -> str:
    """What is said of the node, or of the types."""
    lines = [line.strip() for line in row["why"].splitlines() if line.strip()]
    text = lines[1] if len(lines) > 1 and lines[0].startswith("the model has") else lines[0] if lines else ""
    text = re.sub(r"^'[^']*' \([^)]*\): ", "", text)
    return (text[:110] + "...").replace("|", "\\|") if len(text) > 110 else text.replace("|", "\\|")


def by_operator(rows: list[dict]) -> list[str]:
    groups: dict[str, list[dict]] = collections.defaultdict(list)
    for row in rows:
        groups[row["operator"]].append(row)
    lines = ["| operator | right | refused | wrong | fails | why, of the first |", "|---|---|---|---|---|---|"]
    for name, group in sorted(groups.items(), key=lambda item: item[0].lower()):
        first = next((row for row in group if row["what"] in FAULTS), None)
        if first is not None:
            counts = collections.Counter(row["what"] for row in group)
            right = counts["right"] + counts["constant"]
            lines.append(f"| `{name}` | {right} | {counts['refused']} | {counts['wrong']} | {counts['crashed']} | {reason(first)} |")
    return lines


def table(rows: list[dict]) -> str:
    counts = collections.Counter(row["what"] for row in rows)
    judged = sum(counts[what] for what in ("right", "constant", *FAULTS))
    right = counts["right"] + counts["constant"]
    types = collections.Counter(kind for row in rows if row["what"] == "types" for kind in row["why"].split(", "))
    return "\n".join([
        "", "| tests | right | of these folded | refused | wrong | fail |", "|---|---|---|---|---|---|",
        f"| {judged} | {right} ({100 * right / judged:.1f} %) | {counts['constant']} | {counts['refused']} | {counts['wrong']} | {counts['crashed']} |", "",
        f"{counts['types']} more tests have inputs or results of types that programs do not have "
        f"({', '.join(f'{name} {count}' for name, count in sorted(types.items()))}), and {counts['random']} draw at random.", "",
        "Operators with a test that is not right:", "", *by_operator(rows), "",
    ])


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    start = text.index("<!-- made by tests/python/onnx_table.py -->\n")
    end = text.index("<!-- end -->\n", start)
    head = text[start:].partition("\n")[0] + "\n"
    rows = read(sys.argv[1:])
    PAGE.write_text(text[:start] + head + table(rows) + text[end:], encoding="utf-8")
    KNOWN.write_text("".join(f"{name}\n" for name in sorted(row["test"] for row in rows if row["what"] in ("right", "constant"))), encoding="ascii")


if __name__ == "__main__":
    main()
