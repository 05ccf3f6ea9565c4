#!/usr/bin/env python3
"""How long the prompt takes for a line, in an empty session and in one with 2,000 lines of declarations.

    benchmarks/repl_latency.py [--strc PATH] [--repeat N]

Prints a table of medians in milliseconds, as it stands in docs/repl.md.
"""

import argparse
import json
import statistics
import subprocess
import time

LINES = {
    "a declaration": "int->int filter Fresh{0} {{ work pop 1 push 1 {{ push(pop() + {0}); }} }}",
    "an expression": "2 * pi * {0} / 44100",
    "a variable": "int v{0} = {0}",
    "a run of a small stream": "Small <- [1, {0}, 3]",
    "a run with the library": "take 5 Ramp({0})",
}
SMALL = "int->int filter Small { work pop 1 push 1 { push(2 * pop()); } }"


def filler(number):
    """Ten lines."""
    return f"""int->int filter Filler{number}(int factor) {{
    int sum;
    init {{
        sum = factor;
    }}
    work pop 1 push 1 {{
        sum += pop();
        push(sum * factor);
    }}
}}"""


class Session:
    def __init__(self, strc):
        self.process = subprocess.Popen([strc, "repl", "--json"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def say(self, text):
        """Seconds until the answer is there."""
        begin = time.perf_counter()
        self.process.stdin.write(json.dumps({"op": "eval", "text": text}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        seconds = time.perf_counter() - begin
        assert answer["ok"], answer
        return seconds

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strc", default="build/release/bin/strc")
    parser.add_argument("--repeat", type=int, default=40)
    arguments = parser.parse_args()
    empty, full = Session(arguments.strc), Session(arguments.strc)
    for session in (empty, full):
        session.say(SMALL)
    for number in range(200):
        full.say(filler(number))
    print("| line | empty session | 2,000 lines |\n|---|---|---|")
    for name, line in LINES.items():
        times = {session: [] for session in (empty, full)}
        for k in range(arguments.repeat):  # in turns: the machine may have other things to do
            for session, found in times.items():
                found.append(session.say(line.format(k)))
        small, large = (1e3 * statistics.median(found) for found in times.values())
        print(f"| {name} | {small:.1f} ms | {large:.1f} ms |")
    empty.end()
    full.end()


if __name__ == "__main__":
    main()
