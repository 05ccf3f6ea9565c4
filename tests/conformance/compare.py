"""How the output of a program is compared with what is expected; README.md states the rules."""

import math
import re

RELATIVE = 1e-4
ABSOLUTE = 1e-5

NUMBER = re.compile(
    r"(?P<special>[+-]?(?<![A-Za-z])(?:nan|inf(?:inity)?)(?![A-Za-z]))"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)",
    re.IGNORECASE,
)
INTEGER = re.compile(r"[+-]?\d+\Z")


def pieces(word):
    """A word as the texts between its numbers and the numbers themselves."""
    texts, numbers, end = [], [], 0
    for match in NUMBER.finditer(word):
        texts.append(word[end : match.start()])
        numbers.append(match.group())
        end = match.end()
    texts.append(word[end:])
    return texts, numbers


def same_number(expected, actual, tolerance):
    if expected == actual:
        return True
    if INTEGER.match(expected):
        return False
    want, got = float(expected), float(actual)
    if math.isnan(want) or math.isnan(got):
        same_sign = expected.startswith("-") == actual.startswith("-")
        return math.isnan(want) and math.isnan(got) and same_sign
    if math.isinf(want) or math.isinf(got):
        return want == got
    relative, absolute = (RELATIVE, ABSOLUTE) if tolerance is None else (tolerance, tolerance)
    difference = abs(want - got)
    return difference <= absolute or difference <= relative * abs(want)


def same_word(expected, actual, tolerance):
    if expected == actual:
        return True
    texts, numbers = pieces(expected)
    other_texts, other_numbers = pieces(actual)
    return (
        texts == other_texts
        and len(numbers) == len(other_numbers)
        and all(same_number(a, b, tolerance) for a, b in zip(numbers, other_numbers))
    )


def same_line(expected, actual, tolerance=None):
    want, got = expected.split(), actual.split()
    return len(want) == len(got) and all(same_word(a, b, tolerance) for a, b in zip(want, got))


def first_difference(expected, actual, count, tolerance=None):
    """What is wrong with the first `count` lines of `actual`, in words, or None."""
    for number, want in enumerate(expected[:count], start=1):
        if number > len(actual):
            return f"ends after {len(actual)} of {count} lines"
        if not same_line(want, actual[number - 1], tolerance):
            return f"line {number}: expected {want!r}, got {actual[number - 1]!r}"
    return None
