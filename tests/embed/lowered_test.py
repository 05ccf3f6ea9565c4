#!/usr/bin/env python3
"""Libraries of programs that have become one filter (--tapes=arrays): they do what those of the program do, parameters that are set
in the middle of the stream and saved states included."""

import unittest

import programs
import shared_test
import state_test
import threads_test
from shared_test import ints


NOT_YET = ("it has dynamic rates", "it sends messages")


class Lowered(shared_test.Libraries):
    def build_library(self, text, *options, status=0):
        """Programs that have no lower form yet are left out."""
        try:
            return super().build_library(text, "--tapes=arrays", *options, status=status)
        except AssertionError as fault:
            for why in NOT_YET:
                if f"{why} [cannot-compile]" in str(fault):
                    self.skipTest(why)
            raise


class Pieces(Lowered, shared_test.Pieces):
    pass


class Faults(Lowered, shared_test.Faults):
    pass


class Parameters(Lowered, shared_test.Parameters):
    pass


class Knobs(Lowered, shared_test.Knobs):
    pass


class Processes(Lowered, state_test.Processes):
    pass


class Handles(Lowered, state_test.Handles):
    def test_states_hold_no_more_than_those_of_the_program(self):
        """What is dead between two phases is no part of them, however many steady states a phase has."""
        sizes = []
        for build in (shared_test.Libraries.build_library, Lowered.build_library):
            for words in ((), ("--disable-pass=scaling",)):
                build(self, programs.RESAMPLE, *words)
                stream = self.top.split("=")[1]
                handle = state_test.Library(self.folder / "libp.so", stream, *self.sizes("libp.h", stream)).handle()
                handle.process(ints(300), 300)
                sizes.append(len(handle.save()))
        self.assertEqual(sizes[2], sizes[3])
        self.assertLessEqual(sizes[2], sizes[0])


class Sharing(Lowered, threads_test.Sharing):
    """Partitions are functions of the one filter."""

    test_sanitizer = test_stopped_helper = None  # of the runtime alone

    def test_plan(self):
        """Partitions call functions of the one filter, and are named by what the program was."""
        self.file("p.str", threads_test.BRANCHES)
        out = self.call("build", "--shared", "--top=Branches", "--threads=2", "--tapes=arrays", "--emit=plan", "p.str")[0].decode()
        shared = out[out.index("steady states in partitions") :]
        self.assertRegex(shared, r"partition 0, .*\n +function \d+ of \d+ Branches\n")
        self.assertRegex(shared, r"needs (the slice|all) of partition \d: Branches\.")


if __name__ == "__main__":
    unittest.main()
