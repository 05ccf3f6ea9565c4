"""A simple reading of C and C++ as the formatter lays them out: which classes there are, and which functions are declared."""

import re

NESTED_CLASS = re.compile(r"\b(?:struct|class|union)\s+(?:alignas\(\w+\)\s+)?([A-Za-z_]\w*(?:::\w+)*)\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{")
FUNCTION = re.compile(r"((?:operator\s*[^\s\w(]+(?:\(\))?)|[A-Za-z_~][\w:~]*)\s*\(")
NO_METHOD = re.compile(r"\s*(using|typedef|friend|static_assert|enum|,)")
# What stands before a name that is declared: a type, and no statement.
STATEMENT = re.compile(r"[=().!+/?-]|\b(return|else|new|case|throw|goto|if|while|for|switch|using|co_return)\b")
# A type and a name, or a type alone that shows what it is.
PARAMETER = re.compile(r"^[A-Za-z_][^=+/!?\"]*([\s*&>][A-Za-z_]\w*(\[\w*\])?(\s*=.*)?|[*&])$", re.DOTALL)


def without_texts(text):
    """The same lines without comments, directives, and what literals say."""
    def blank(found):
        return "\n" * found.group().count("\n")

    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda found: '""' + blank(found), text, flags=re.DOTALL)
    literal = r'"(?:\\.|[^"\\\n])*"' + r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    comment = r"//[^\n]*|/\*.*?\*/"
    text = re.sub(f"({literal})|{comment}", lambda found: '""' if found[1] else blank(found), text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", blank, text, flags=re.MULTILINE)


def closing(text, at):
    """Where the bracket before `at` is closed."""
    depth = 1
    while depth and at < len(text):
        depth += (text[at] in "({") - (text[at] in ")}")
        at += 1
    return at - 1


def without_templates(text):
    """Without arguments of templates: what stands between < and >."""
    before = None
    while text != before:
        before, text = text, re.sub(r"<[^<>;{}]*>", "", text)
    return text


def method_count(body):
    """How many functions a class declares that somebody has written: neither defaulted nor deleted."""
    flat, at = [], 0
    while (brace := body.find("{", at)) >= 0:
        flat += [body[at:brace], ";"]
        at = closing(body, brace + 1) + 1
    text = without_templates("".join([*flat, body[at:]]))
    text = re.sub(r"\b(public|private|protected):", "", text)
    return sum(1 for each in text.split(";") if is_method(each))


def is_method(statement):
    found = FUNCTION.search(statement)
    if not found or NO_METHOD.match(statement) or re.search(r"=\s*(default|delete)\s*$", statement):
        return False
    return "=" not in statement[: found.start()] and not statement[found.end() :].lstrip().startswith("*")


def classes(text):
    """(name, methods) of each class of such a text; nested ones count for themselves."""
    for found in NESTED_CLASS.finditer(text):
        yield found[1], method_count(text[found.end() : closing(text, found.end())])


def parameters(arguments):
    words, depth, start = [], 0, 0
    for at, letter in enumerate(arguments):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            words.append(arguments[start:at].strip())
            start = at + 1
    return [*words, arguments[start:].strip()]


def functions(text):
    """(name, line, parameters) of what is declared or defined."""
    for found in FUNCTION.finditer(text):
        before = re.split(r"[;{}]|\b(?:public|private|protected):", text[: found.start()][-300:])[-1]
        if STATEMENT.search(without_templates(before)):
            continue
        listed = parameters(text[found.end() : closing(text, found.end())])
        named = sum(1 for each in listed if PARAMETER.match(each))
        if 2 * named >= len(listed):
            yield found[1], text.count("\n", 0, found.start()) + 1, len(listed)
