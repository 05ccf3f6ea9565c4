#!/usr/bin/env python3
"""`strc repl` on a terminal: what is typed into it, and what is then on the screen."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import pyte  # noqa: F401
except ImportError:  # Debian's packages belong to its own Python
    if os.path.realpath(sys.executable) == os.path.realpath("/usr/bin/python3"):
        sys.exit("the tests of the prompt need python3-pyte and python3-prompt-toolkit")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from screen import SECONDS, Terminal

STRC = os.environ.get("STRC") or "strc"
FRONT_END = Path(__file__).resolve().parents[2] / "python" / "strc_repl"
PROMPT = "strc>"
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|4[0-7]|10[0-7]|[34]8;[\d;]+)m")
SCALE = "int->int filter Scale(int k) { work pop 1 push 1 { push(k * pop()); } }"
PROGRAM = """
void->int stateful filter Count { int i; work push 1 { push(i++); } }
int->void filter Print { work pop 1 { println(pop()); } }
int->void filter Drop { work pop 1 { pop(); } }
void->void pipeline Forever { add Count; add Print; }
void->void pipeline Silent { add Count; add Drop; }
"""
TWICE = "helper H { int twice(int n) { return 2 * n; } }"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strc-repl-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.history = self.folder / "state" / "strc" / "history"

    def environment(self, **changes):
        dropped = {"NO_COLOR", "COLUMNS", "LINES", "STRC_HISTORY", "STRC_PYTHON", "PROMPT_TOOLKIT_COLOR_DEPTH"}
        env = {name: value for name, value in os.environ.items() if name not in dropped}
        env.update(TERM="xterm-256color", LC_ALL="C.UTF-8", HOME=str(self.folder))
        env.update(XDG_STATE_HOME=str(self.folder / "state"))
        env.update(changes)
        return {name: value for name, value in env.items() if value is not None}

    def terminal(self, command, columns=80, rows=24, **env):
        terminal = Terminal(command, columns, rows, self.environment(**env), self.folder)
        self.addCleanup(terminal.close)
        return terminal

    def repl(self, *arguments, **options):
        """`strc repl`, when its prompt is there."""
        terminal = self.terminal([STRC, "repl", *arguments], **options)
        terminal.shows(PROMPT)
        return terminal

    @staticmethod
    def declare(terminal):
        """The streams of PROGRAM."""
        terminal.paste(PROGRAM)
        terminal.has("Silent")
        terminal.type("<enter>")
        terminal.shows(re.compile("declared .*Silent"), PROMPT)

    def leave(self, terminal, status=0):
        terminal.shows(PROMPT)
        terminal.type("<ctrl-d>")
        self.assertEqual(terminal.wait(), status, terminal.picture())

    def entries(self):
        text = self.history.read_text()
        blocks = re.findall(r"(?:^\+.*\n)+", text, re.MULTILINE)
        return [re.sub(r"^\+", "", block, flags=re.MULTILINE).rstrip("\n") for block in blocks]

    @staticmethod
    def core(terminal):
        """The process that the front end has started."""
        children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split()
        return int(children[0])

    def running(self, terminal):
        """Waits until the front end only waits for its core."""
        before = self.ticks(terminal)
        terminal.until(lambda: self.ticks(terminal) > before + 3, "a core at work")

    @staticmethod
    def printing(terminal):
        """Waits for numbers that a run prints."""
        terminal.until(lambda: any(re.fullmatch(r"\d{2,}", line) for line in terminal.lines()), "numbers")

    def ticks(self, terminal):
        fields = Path(f"/proc/{self.core(terminal)}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11])


class Editing(Case):
    def test_an_entry_is_answered(self):
        t = self.repl()
        t.type("2 + 3<enter>")
        t.shows("strc> 2 + 3", "5", PROMPT)
        self.leave(t)

    def test_keys_move_and_delete(self):
        t = self.repl()
        t.type("1 + 5 oops<ctrl-w><backspace><home>3<ctrl-f><ctrl-d><right> <end> * 2<enter>")
        t.shows("strc> 31+  5 * 2", "41", PROMPT)

    def test_an_open_brace_asks_for_more(self):
        t = self.repl()
        t.type("helper H {<enter>")
        t.until(lambda: t.cursor() == (2, 10), "an indented line")
        t.type("int twice(int n) {")
        t.has("twice(int n) {")
        t.type("<enter>")
        t.until(lambda: t.cursor() == (3, 14), "a line indented further")
        t.type("return 2 * n;")
        t.has("return 2 * n;")
        t.type("<enter>")
        t.until(lambda: t.cursor() == (4, 14), "a line indented as far")
        t.type("}")
        t.shows(" ...>         return 2 * n;", " ...>     }")
        t.type("<enter>")
        t.until(lambda: t.cursor() == (5, 10), "a line indented less")
        t.type("}")
        t.shows(" ...>     }", " ...> }")
        t.type("<enter>")
        t.shows(re.compile(".*helper H"), PROMPT)
        t.type("H.twice(21)<enter>")
        t.shows("42", PROMPT)

    def test_tab_and_backspace_indent(self):
        t = self.repl()
        t.type("{<enter>")
        t.until(lambda: t.cursor() == (2, 10), "an indented line")
        t.type("<tab>")
        t.until(lambda: t.cursor() == (2, 14), "indented further")
        t.type("<backspace><backspace>")
        t.until(lambda: t.cursor() == (2, 6), "not indented")

    def test_alt_enter_submits_anything(self):
        t = self.repl()
        t.type("helper H {<alt-enter>")
        t.shows(re.compile(".*"), PROMPT)
        t.has("error")

    def test_a_wrong_entry_is_told_and_ends_nothing(self):
        t = self.repl()
        t.type("1 + nothing_of_that_name<enter>")
        t.has("error")
        t.shows(PROMPT)
        t.type("1 + 1<enter>")
        t.shows("2", PROMPT)

    def test_an_earlier_line_is_changed(self):
        t = self.repl()
        t.type("1 +<enter>")
        t.shows("strc> 1 +", " ...>")
        t.type("2 +")
        t.has("2 +")
        t.type("<enter>")
        t.until(lambda: t.cursor()[0] == 3, "a third line")
        t.type("3<up><up><end> 10 +<enter>")
        t.shows("strc> 1 + 10 +", " ...>", " ...> 2 +", " ...> 3")
        t.type("20 +<alt-enter>")
        t.shows(" ...> 3", "36", PROMPT)

    def test_a_line_longer_than_the_screen(self):
        t = self.repl(columns=30)
        t.type(" + ".join(["1"] * 20) + "<enter>")
        t.shows("20", PROMPT)

    def test_delete_is_no_farewell_while_something_is_typed(self):
        t = self.repl()
        t.type("abc<home><ctrl-d>")
        t.shows("strc> bc")
        t.type("<ctrl-c>")
        t.shows("strc> bc", PROMPT)
        self.leave(t)


    def test_files_are_loaded_first(self):
        (self.folder / "a program.str").write_text(PROGRAM)
        t = self.repl("a program.str")
        t.type("take 3 Count()<enter>")
        t.shows("0 1 2", PROMPT)


class Paste(Case):
    def test_several_lines_are_one_entry_that_waits_for_enter(self):
        t = self.repl()
        t.paste("helper H\n{\n  int thrice(int n) { return 3 * n; }\n}\n")
        t.shows("strc> helper H", " ...> {", " ...>   int thrice(int n) { return 3 * n; }", " ...> }", " ...>")
        t.type("<enter>")
        t.shows(re.compile(".*helper H"), PROMPT)
        t.type("H.thrice(4)<enter>")
        t.shows("12", PROMPT)

    def test_several_entries_at_once(self):
        t = self.repl()
        t.paste("int a = 4;\nint b = 5;\na * b")
        t.has("a * b")
        t.type("<enter>")
        t.shows("20", PROMPT)

    def test_without_marks_a_pasted_text_keeps_its_indentation(self):
        t = self.repl()
        t.send("helper H {\r    int four() {\r        return 1 +\r            3;\r    }\r}\rH.four()\r")
        t.shows("4", PROMPT)
        t.type("<up><up>")
        t.shows("strc> helper H {", " ...>     int four() {", " ...>         return 1 +",
                " ...>             3;", " ...>     }", " ...> }")  # fmt: skip


class History(Case):
    def test_entries_outlive_the_session_whole(self):
        t = self.repl()
        t.paste("helper H {\n    int f() { return 7; }\n}")
        t.has(" ...> }")
        t.type("<enter>")
        t.shows(re.compile(".*helper H"), PROMPT)
        t.type("1 + 1<enter>")
        t.shows("2", PROMPT)
        self.leave(t)
        self.assertEqual(self.entries(), ["helper H {\n    int f() { return 7; }\n}", "1 + 1"])
        self.assertEqual(self.history.stat().st_mode & 0o777, 0o600)

        t = self.repl()
        t.type("<up>")
        t.shows("strc> 1 + 1")
        t.type("<up>")
        t.shows("strc> helper H {", " ...>     int f() { return 7; }", " ...> }")
        t.type("<enter>")
        t.shows(re.compile(".*helper H"), PROMPT)
        t.type("H.f()<enter>")
        t.shows("7", PROMPT)

    def test_sessions_at_once_lose_nothing(self):
        sessions = [self.repl() for _ in range(3)]
        for round in range(3):
            for number, t in enumerate(sessions):
                t.type(f"{round} + {number} * 100<enter>")
        for number, t in enumerate(sessions):
            t.shows(str(2 + number * 100), PROMPT)
            self.leave(t)
        expected = {f"{round} + {number} * 100" for round in range(3) for number in range(3)}
        self.assertEqual(sorted(self.entries()), sorted(expected))

    def test_search(self):
        t = self.repl()
        for text, answer in (("100 + 11", "111"), ("200 + 22", "222"), ("300 + 33", "333")):
            t.type(text + "<enter>")
            t.shows(answer, PROMPT)
        t.type("<ctrl-r>")
        t.has("reverse-i-search")
        t.type("+ 1")
        t.shows("(reverse-i-search)`+ 1': 100 + 11")
        t.type("<enter>")
        t.shows("strc> 100 + 11")
        t.type("<enter>")
        t.shows("strc> 100 + 11", "111", PROMPT)

    def test_another_file_or_none(self):
        chosen = self.folder / "chosen"
        for place in (str(chosen), "", "off"):
            t = self.repl(STRC_HISTORY=place)
            t.type("5 + 5<enter>")
            t.shows("10", PROMPT)
            self.leave(t)
        self.assertEqual(chosen.read_text().count("+5 + 5"), 1)
        self.assertFalse(self.history.exists())
        self.assertFalse((self.folder / "off").exists())

    def test_a_history_that_cannot_be_kept_is_told_once(self):
        t = self.repl(STRC_HISTORY=str(self.folder))
        for text, answer in (("1 + 1", "2"), ("1 + 2", "3")):
            t.type(text + "<enter>")
            t.shows(answer, PROMPT)
        self.assertEqual("\n".join(t.lines()).count("cannot"), 1, t.picture())
        t.type("<up>")
        t.shows("strc> 1 + 2")

    def test_a_damaged_history_is_read_as_far_as_it_goes(self):
        self.history.parent.mkdir(parents=True)
        self.history.write_bytes(b"\xff\xfe\x00\n+1 + 6\n\n# x\n+")
        t = self.repl()
        t.type("<up>")
        t.type("<up>")
        t.shows("strc> 1 + 6")
        t.type("<enter>")
        t.shows("7", PROMPT)

    def test_a_long_history_is_cut(self):
        self.history.parent.mkdir(parents=True)
        self.history.write_text("".join(f"\n# t\n+{number} + 0\n" for number in range(9000)))
        t = self.repl()
        t.type("<up>")
        t.shows("strc> 8999 + 0")
        t.type("<enter>")
        t.shows("8999", PROMPT)
        self.leave(t)
        entries = self.entries()
        self.assertLess(len(entries), 5010)
        self.assertEqual(entries[-1], "8999 + 0")


class Completion(Case):
    def test_the_only_candidate_is_inserted(self):
        t = self.repl()
        t.type(SCALE + "<enter>")
        t.shows(re.compile(".*declared.*"), PROMPT)
        t.type("Sca<tab>")
        t.until(lambda: "strc> Scale" in t.lines()[-1], "the name")

    def test_functions_of_a_package_and_fields_of_a_struct(self):
        t = self.repl()
        t.type(TWICE + "<enter>")
        t.shows(re.compile(".*helper H"), PROMPT)
        t.type("H.tw<tab>(21)<enter>")
        t.shows("strc> H.twice(21)", "42", PROMPT)
        t.type("struct Pair { int first; int second; }<enter>")
        t.shows(re.compile(".*struct Pair"), PROMPT)
        t.type("Pair p<enter>")
        t.shows("strc> Pair p", PROMPT)
        t.type("p.se<tab> = 5<enter>")
        t.shows("strc> p.second = 5", PROMPT)

    def test_candidates_are_shown_and_chosen(self):
        t = self.repl()
        t.type("int volume_left = 1<enter>")
        t.shows("strc> int volume_left = 1", PROMPT)
        t.type("int volume_right = 2<enter>")
        t.shows("strc> int volume_right = 2", PROMPT)
        t.type("vol<tab>")
        t.shows(re.compile("strc> volume_"), re.compile(" *volume_left.*"), re.compile(" *volume_right.*"))
        t.type("<tab>")
        t.has("strc> volume_left")
        t.type("<tab>")
        t.has("strc> volume_right")
        t.type("<enter>")
        t.shows("strc> volume_right")
        t.type(" + 5<enter>")
        t.shows("7", PROMPT)

    def test_commands_and_paths(self):
        (self.folder / "a_long_name.str").write_text(SCALE)
        t = self.repl()
        t.type(":relo<tab>")
        t.until(lambda: t.lines()[-1].startswith("strc> :reload"), "the command")
        t.type("<ctrl-u>:load a_lo<tab>")
        t.until(lambda: t.lines()[-1].startswith("strc> :load a_long_name.str"), "the file")


class Colours(Case):
    def test_words_have_colours_while_they_are_typed(self):
        t = self.repl()
        t.type("int->int filter F { work pop 1 ")
        t.has("pop 1")
        t.until(lambda: t.colour("filter") != t.colour("F {"), "a coloured keyword")
        self.assertNotEqual(t.colour("filter")[0], "default")
        self.assertNotEqual(t.colour("1")[0], "default")
        self.assertNotIn(t.colour("int->")[0], {"default", t.colour("filter")[0]})

    def test_messages_have_colours(self):
        t = self.repl()
        t.type("1 + nothing<enter>")
        t.has("error")
        self.assertNotEqual(t.colour("error")[0], "default")

    def test_none_where_none_are_wanted(self):
        t = self.repl(NO_COLOR="1")
        t.type("int x = 12<enter>")
        t.shows("strc> int x = 12", PROMPT)
        t.type("1 + nothing<enter>")
        t.has("error")
        t.shows(PROMPT)
        t.type(":l<tab>")
        t.has(":load")
        t.type("<ctrl-c>")
        self.leave(t)
        self.assertIsNone(COLOUR.search(t.raw), t.picture())


class Interrupts(Case):
    def test_at_the_prompt_the_line_is_given_up(self):
        t = self.repl()
        t.type("1 + 2 + <ctrl-c>")
        t.shows("strc> 1 + 2 +", PROMPT)
        t.type("helper H {<enter>")
        t.shows("strc> helper H {", " ...>")
        t.type("<ctrl-c>")
        t.shows(" ...>", PROMPT)
        t.type("2 + 2<enter>")
        t.shows("4", PROMPT)
        self.leave(t)

    def test_a_run_stops_and_the_session_stays(self):
        t = self.repl()
        self.declare(t)
        t.type("int kept = 17<enter>Forever()<enter>")
        self.printing(t)
        t.type("<ctrl-c>")
        t.shows(PROMPT)
        t.type("<ctrl-l>kept + 1<enter>")
        t.shows("18", PROMPT)
        self.leave(t)

    def test_a_silent_run_stops_too(self):
        t = self.repl()
        self.declare(t)
        t.type("int kept = 17<enter>Silent()<enter>")
        self.running(t)
        t.type("<ctrl-c>")
        t.shows(PROMPT)
        t.type("kept<enter>")
        t.shows("17", PROMPT)

    def test_what_is_typed_ahead_waits(self):
        t = self.repl()
        self.declare(t)
        t.type("Silent()<enter>")
        self.running(t)
        os.kill(self.core(t), signal.SIGSTOP)  # nothing is printed or read any more
        t.type("3 * 4<enter>")
        os.kill(self.core(t), signal.SIGCONT)
        os.kill(t.pid, signal.SIGINT)
        t.shows("strc> 3 * 4", "12", PROMPT)

    def test_ctrl_c_keeps_what_is_typed_ahead(self):
        t = self.repl()
        self.declare(t)
        t.type("Silent()<enter>")
        self.running(t)
        t.type("3 * 5<enter>")
        t.type("<ctrl-c>")
        t.shows("strc> 3 * 5", "15", PROMPT)

    def test_ctrl_z_stops_both_and_goes_on(self):
        t = self.terminal(["bash", "--norc", "--noprofile", "-i"], PS1="shell> ")
        t.shows("shell>")
        t.type(f"{STRC} repl<enter>")
        t.shows(PROMPT)
        self.declare(t)
        t.type("int kept = 3<enter>")
        t.shows("strc> int kept = 3", PROMPT)
        t.type("<ctrl-z>")
        t.shows("shell>")
        t.type("fg<enter>")
        t.shows(PROMPT)
        t.type("Forever()<enter>")
        self.printing(t)
        t.type("<ctrl-z>")
        t.shows("shell>")
        t.type("clear; echo still here<enter>")
        t.shows("still here", "shell>")
        t.type("fg<enter>")
        t.until(lambda: re.search(r"^\d+$", "\n".join(t.lines()[-3:]), re.MULTILINE), "numbers again")
        t.type("<ctrl-c>")
        t.shows(PROMPT)
        t.type("<ctrl-l>kept<enter>")
        t.shows("3", PROMPT)
        t.type("<ctrl-d>")
        t.shows("shell>")


class Endings(Case):
    def test_a_dead_core_is_replaced(self):
        t = self.repl()
        t.type(TWICE + "<enter>")
        t.shows(re.compile(".*helper H"), PROMPT)
        first = self.core(t)
        os.kill(first, signal.SIGKILL)
        t.type("H.twice(4)<enter>")
        t.shows(re.compile("strc: the interpreter ended by signal 9.*"), re.compile("Start it again.*"))
        t.type("<enter>")
        t.shows(PROMPT)
        self.assertNotEqual(self.core(t), first)
        t.type("H.twice(4)<enter>")
        t.shows("8", PROMPT)
        os.kill(self.core(t), signal.SIGKILL)
        t.type("1<enter>")
        t.has("ended by signal 9")
        t.shows(re.compile("Start it again.*"))
        t.type("e<enter>")
        t.shows(PROMPT)
        t.type("H.twice(4)<enter>")
        t.has("error")
        t.shows(PROMPT)
        os.kill(self.core(t), signal.SIGKILL)
        t.type("1<enter>")
        t.shows(re.compile("Start it again.*"))
        t.type("q<enter>")
        self.assertEqual(t.wait(), 70)

    def test_keys_ask_a_dead_core_in_vain(self):
        t = self.repl()
        os.kill(self.core(t), signal.SIGKILL)
        t.type("int x<tab> = 3;")
        t.has("= 3;")
        t.type("<enter>")
        t.shows(re.compile("Start it again.*"))

    def test_the_terminal_is_as_before(self):
        for end in ("<ctrl-d>", signal.SIGTERM, signal.SIGHUP):
            for during in ("", "Forever()<enter>"):
                with self.subTest(end=end, during=during):
                    self.terminal_after(end, during)

    def terminal_after(self, end, during):
        if during and not isinstance(end, signal.Signals):
            return
        t = self.terminal(["sh", "-c", f"stty -g; {STRC} repl; echo status $?; stty -g"], columns=150)
        t.shows(PROMPT)
        before = t.lines()[0]
        if during:
            self.declare(t)
            t.type(during)
            self.printing(t)
        if isinstance(end, signal.Signals):
            os.kill(self.core(t), end)
        else:
            t.type(end)
        status = 128 + end if isinstance(end, signal.Signals) else 0
        t.until(lambda: t.lines()[-1] == before and len(t.lines()) > 2, "the modes of before")
        self.assertIn(f"status {status}", t.lines()[-2])
        self.assertGreater(t.raw.rfind(b"\x1b[?2004l"), t.raw.rfind(b"\x1b[?2004h"))
        self.assertFalse(t.screen.cursor.hidden)

    def test_the_core_does_not_outlive_the_terminal(self):
        t = self.repl()
        self.declare(t)
        t.type("Silent()<enter>")
        self.running(t)
        core = self.core(t)
        self.addCleanup(lambda: self.alive(core) and os.kill(core, signal.SIGKILL))
        os.kill(t.pid, signal.SIGKILL)
        t.wait()
        deadline = time.monotonic() + SECONDS
        while self.alive(core):
            self.assertLess(time.monotonic(), deadline, "the core still runs")
            time.sleep(0.01)

    @staticmethod
    def alive(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False


class Screens(Case):
    def test_a_narrower_screen(self):
        t = self.repl()
        t.type(" + ".join(["1"] * 15))
        t.has(" + ".join(["1"] * 15))
        t.resize(30, 24)
        t.until(lambda: t.lines()[-1].endswith("1 + 1") and len(t.lines()[-1]) <= 30, "the line on two lines")
        t.type(" + 5<enter>")
        t.shows("20", PROMPT)

    def test_a_wider_screen(self):
        t = self.repl(columns=30)
        t.type(" + ".join(["1"] * 15))
        t.until(lambda: len(t.lines()) >= 3, "a line on several lines")
        t.resize(100, 24)
        t.has(" + ".join(["1"] * 15))
        t.type(" + 5<enter>")
        t.shows("20", PROMPT)

    def test_resized_during_a_run(self):
        t = self.repl()
        self.declare(t)
        t.type("Forever()<enter>")
        self.printing(t)
        t.resize(40, 20)
        t.type("<ctrl-c>")
        t.shows(PROMPT)
        t.type("1 + 1<enter>")
        t.shows("2", PROMPT)

    def test_tensors(self):
        t = self.repl()
        t.type("tensor x = {{1, 2}, {3, 4}}<enter>")
        t.type("x + 1<enter>")
        t.shows("[[2. 3.]", " [4. 5.]]", PROMPT)
        t.type("relu() <- -x<enter>")
        t.shows("[[0. 0.]", " [0. 0.]]", PROMPT)

    def test_a_terminal_that_does_not_say_where_its_cursor_is(self):
        t = self.terminal([STRC, "repl"])
        t.screen.answer = lambda data: None
        t.shows(PROMPT)
        for number in range(3):
            t.type(f"{number} + 1<enter>")
            t.shows(str(number + 1), PROMPT)
        self.assertNotIn(b"CPR", t.raw)


class Plain(Case):
    def test_a_dumb_terminal(self):
        t = self.terminal([STRC, "repl"], TERM="dumb")
        t.shows(PROMPT)
        t.type("2 + 3<enter>")
        t.shows("strc> 2 + 3", "5", PROMPT)
        (self.folder / "program.str").write_text(PROGRAM)
        t.type(":load program.str<enter>")
        t.shows(re.compile(".*5 declarations"), PROMPT)
        t.type("Forever()<enter>")
        self.printing(t)
        t.type("<ctrl-c>")
        t.shows(PROMPT)
        t.type("2 + 4<enter>")
        t.shows("6", PROMPT)
        t.type("<ctrl-d>")
        self.assertEqual(t.wait(), 0)
        self.assertNotIn(b"\x1b", t.raw)

    def test_without_prompt_toolkit(self):
        """-S: a Python without the packages of the system."""
        python = self.folder / "python3"
        python.write_text('#!/bin/sh\nexec /usr/bin/python3 -E -S "$@"\n')
        python.chmod(0o755)
        t = self.terminal([STRC, "repl"], STRC_PYTHON=str(python))
        t.has("simple line editing only")
        t.shows(PROMPT)
        t.type("2 + 3<enter>")
        t.shows("strc> 2 + 3", "5", PROMPT)
        t.type("<ctrl-d>")
        self.assertEqual(t.wait(), 0)

    def test_another_python_has_it(self):
        """The one that was started has none, that of the system has it."""
        command = ["/usr/bin/python3", "-c", LOOK_ELSEWHERE, str(FRONT_END), "--strc", STRC]
        t = self.terminal(command)
        t.shows(PROMPT)
        t.type("2 +<enter>")
        t.shows("strc> 2 +", " ...>")

    def test_no_python_at_all(self):
        t = self.terminal([STRC, "repl"], STRC_PYTHON=str(self.folder / "none"))
        t.shows(PROMPT)
        t.type("2 + 3<enter>")
        t.shows("strc> 2 + 3", "5", PROMPT)

    def test_no_terminal(self):
        done = subprocess.run(
            ["/usr/bin/python3", FRONT_END, "--strc", STRC], env=self.environment(), input=b"2 + 3\n",
            capture_output=True, check=False,
        )  # fmt: skip
        self.assertEqual((done.stdout, done.returncode), (b"5\n", 0), done.stderr)


# A Python that seems to be another one and to have no packages.
LOOK_ELSEWHERE = """
import importlib.util, runpy, sys
sys.executable = "/somewhere/python3"
importlib.util.find_spec = lambda name: None
sys.argv = sys.argv[1:]
sys.path[0] = sys.argv[0]
runpy.run_path(sys.argv[0] + "/__main__.py", run_name="__main__")
"""


if __name__ == "__main__":
    unittest.main()
