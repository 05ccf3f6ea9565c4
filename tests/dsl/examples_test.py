#!/usr/bin/env python3
"""An example of the embedded language, its text run by `strc run`, and its twin in the language give the same bytes.

    examples_test.py NAME --strc PATH --example PATH
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# How the program is run, how the example is fed, and its twin.
ITERATIONS = {"fft": "8", "network": "10"}
INPUTS = {"fm_radio": EXAMPLES / "fm_radio/iq.raw"}
TWINS = {"des": EXAMPLES / "des/des.str", "viterbi": EXAMPLES / "viterbi/viterbi.str"}


def run(command, folder, feed=None):
    done = subprocess.run([str(word) for word in command], cwd=folder, input=feed, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--strc", required=True)
    parser.add_argument("--example", required=True)
    args = parser.parse_args()
    name = args.name
    twin = TWINS.get(name, EXAMPLES / f"dsl/{name}.str")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "examples").symlink_to(EXAMPLES)
        text = folder / f"{name}.str"
        text.write_bytes(run([args.example, "--str"], folder))

        feed = INPUTS[name].read_bytes() if name in INPUTS else None
        recorded = run([args.example], folder, feed)
        if not recorded:
            sys.exit(f"{name}: no output")
        # Sums of tensors may be added in another order by compiled code: each engine has its own bytes.
        for engine in ([], ["--interpret"]):
            printed = []
            for program in (text, twin):
                command = [args.strc, "run", *engine, "-w", program]
                if name in ITERATIONS:
                    command += ["--iterations", ITERATIONS[name]]
                if name in INPUTS:
                    command += ["--top", "FmRadio", "--in", INPUTS[name], "--out", "-"]
                printed.append(run(command, folder))
            if printed[0] != printed[1]:
                sys.exit(f"{name}: its text and its twin give different bytes {engine}")
            if (not engine or name != "network") and printed[0] != recorded:
                sys.exit(f"{name}: its text gives other bytes than the example {engine}")


main()
