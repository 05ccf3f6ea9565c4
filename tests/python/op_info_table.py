"""The table of docs/import.md about PyTorch's own suite, from what op_info.py has found.

    op_info_table.py FILE.json... [--all FILE.json...]

Writes it into the page, between its marks, and golden/op_info.txt, the operators without a fault for float32. Files behind --all have all samples of a type, of which
the page tells the sums.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/import.md"
KNOWN = Path(__file__).with_name("golden") / "op_info.txt"
JUDGED = ("right", "wrong", "refused", "crashed")
WIDTH = 160


def read(files: list[str]) -> list[dict]:
    rows = [json.loads(line) for file in files for line in Path(file).read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["what"] in (*JUDGED, "constant")]


def by_type(rows: list[dict]) -> list[str]:
    lines = ["| elements | samples | right | refused | wrong | fail in the compiler | operators | of these without a fault |", "|---|---|---|---|---|---|---|---|"]
    for kind in dict.fromkeys(row["type"] for row in rows):
        mine = [row for row in rows if row["type"] == kind and row["what"] in JUDGED]
        counts = collections.Counter(row["what"] for row in mine)
        names = {row["operator"] for row in mine}
        faulty = {row["operator"] for row in mine if row["what"] != "right"}
        share = f"{counts['right']} ({100 * counts['right'] / max(len(mine), 1):.1f} %)"
        lines.append(
            f"| `{kind}` | {len(mine)} | {share} | {counts['refused']} | {counts['wrong']} | {counts['crashed']} | {len(names)} | {len(names - faulty)} |"
        )
    return lines


def reason(row: dict) -> str:
    """Why a sample is refused, in a few words."""
    lines = [line.strip() for line in row["why"].splitlines() if line.strip()]
    text = lines[1] if "cannot be imported" in lines[0] and len(lines) > 1 else lines[0]
    text = text.replace("the model cannot be captured: ", "").partition("; a stream has one graph")[0].removeprefix("<python>:1:1: error: ")
    text = re.sub(r"^(aten\.[\w.]+): ", r"", text)
    return re.sub(r"[|<>]", " ", text)[:110]


def by_operator(rows: list[dict]) -> list[str]:
    lines = ["| operator | right | refused | wrong | fails | why, of the first |", "|---|---|---|---|---|---|"]
    found = collections.defaultdict(list)
    for row in rows:
        if row["what"] in JUDGED:
            found[row["operator"]].append(row)
    for name in sorted(found):
        mine = found[name]
        counts = collections.Counter(row["what"] for row in mine)
        if counts["right"] == len(mine):
            continue
        first = next(row for what in ("wrong", "crashed", "refused") for row in mine if row["what"] == what)
        lines.append(f"| `{name}` | {counts['right']} | {counts['refused']} | {counts['wrong']} | {counts['crashed']} | {reason(first)} |")
    return lines


def without_fault(rows: list[dict]) -> list[str]:
    judged = [row for row in rows if row["what"] in JUDGED]
    return sorted({row["operator"] for row in judged} - {row["operator"] for row in judged if row["what"] != "right"})


def all_right(rows: list[dict]) -> list[str]:
    names = without_fault(rows)
    lines, line = [], ""
    for name in (f"`{name}`" for name in names):
        if len(line) + len(name) + 1 > WIDTH:
            lines.append(line)
            line = ""
        line += f" {name}" if line else name
    return [*lines, line]


def sums(rows: list[dict]) -> list[str]:
    """How many of all samples are right, by type, and which are wrong."""
    judged = [row for row in rows if row["what"] in JUDGED]
    kinds = list(dict.fromkeys(row["type"] for row in judged))
    if not kinds:
        return []
    right = {kind: sum(row["what"] == "right" for row in judged if row["type"] == kind) for kind in kinds}
    parts = [f"{right[kind]:,} of {sum(row['type'] == kind for row in judged):,} for `{kind}`" for kind in kinds]
    wrong = sorted({f"`{row['operator']}` for `{row['type']}`" for row in judged if row["what"] == "wrong"})
    told = f"wrong are samples of {', '.join(wrong)}" if wrong else "none is wrong"
    return [f"Of all samples rather than some, {', '.join(parts)} are right; {told}.", ""]


def table(rows: list[dict], whole: list[dict]) -> str:
    constant = sum(row["what"] == "constant" for row in rows)
    return "\n".join([
        "", *by_type(rows), "", *sums(whole), f"{constant} more samples give the same for all inputs, mostly since nothing in them has elements.", "",
        "Operators with a sample that is not right, over all these types:", "", *by_operator(rows), "", "Without a fault are", "", *all_right(rows), "",
    ])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="outcomes of some samples, as op_info.py --json writes them")
    parser.add_argument("--all", nargs="+", default=[], help="outcomes of all samples of a type")
    given = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    start = text.index("<!-- made by tests/python/op_info_table.py -->\n")
    end = text.index("<!-- end -->\n", start)
    head = text[start:].partition("\n")[0] + "\n"
    rows = read(given.files)
    PAGE.write_text(text[:start] + head + table(rows, read(given.all)) + text[end:], encoding="utf-8")
    KNOWN.write_text("\n".join(without_fault([row for row in rows if row["type"] == "float32"])) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
