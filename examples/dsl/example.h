// What the examples have in common: `NAME` runs the program, `NAME --str` prints it in the language.
#pragma once

#include <cstdio>
#include <cstring>
#include <strc/dsl.h>
#include <string>

/// Runs a program that has no open ends until its input is over.
inline int runExample(int argc, char** argv, const strc::Stream& main,
                      const strc::Options& options = {}) {
    strc::Program program = strc::compile(main, options);
    std::fputs(program.errors().c_str(), stderr);
    if (!program) return 1;
    if (argc > 1 && std::strcmp(argv[1], "--str") == 0) {
        std::fputs(program.str().c_str(), stdout);
        return 0;
    }
    const strc::RunResult result = program.run();
    std::fputs(result.printed.c_str(), stdout);
    if (!result) std::fputs(program.errors().c_str(), stderr);
    return result ? 0 : 1;
}
