#pragma once
/// Programs recorded by C++ are run by both engines, and so are their texts: all print the same.

#include <strc/dsl.h>
#include <string>

#include <gtest/gtest.h>

namespace strc::test {

inline void append(void* to, const char* text, std::size_t size) {
    static_cast<std::string*>(to)->append(text, size);
}

/// What a text in the language prints.
inline std::string printedBy(const std::string& text, const std::string& top,
                             std::uint64_t iterations, bool isInterpreted) {
    strc_compiler* compiler = strc_compiler_new();
    strc_compiler_add_source(compiler, "text.str", text.data(), text.size());
    strc_compiler_set(compiler, "top", top.c_str());
    strc_compiler_set(compiler, "w", nullptr);
    if (isInterpreted) strc_compiler_set(compiler, "interpret", nullptr);
    std::string printed;
    strc_run_options options{};
    options.size = sizeof options;
    options.iterations = iterations;
    options.user = &printed;
    options.print = append;
    const bool isFine =
        strc_compiler_compile(compiler, STRC_STAGE_PLANNED, nullptr, nullptr) == STRC_OK &&
        strc_compiler_run(compiler, &options, nullptr) == STRC_OK;
    strc_diagnostic each;
    for (std::size_t k = 0; !isFine && strc_compiler_diagnostic(compiler, k, &each) == STRC_OK; ++k)
        printed += each.text;
    EXPECT_TRUE(isFine) << printed << "\nin\n" << text;
    strc_compiler_free(compiler);
    return printed;
}

/// What the main stream prints, which must be the same in all four ways.
inline std::string printedBy(const Stream& main, std::uint64_t iterations = 4) {
    Program compiled = compile(main.as("Test"));
    EXPECT_TRUE(compiled) << compiled.errors();
    if (!compiled) return "";
    const std::string printed = compiled.run({.iterations = iterations}).printed;
    Program interpreted = compile(main.as("Test"), {.interpret = true});
    EXPECT_EQ(interpreted.run({.iterations = iterations}).printed, printed);
    for (const bool isInterpreted : {false, true})
        EXPECT_EQ(printedBy(compiled.str(), "Test", iterations, isInterpreted), printed)
            << compiled.str();
    return printed;
}

/// first, first + 1 ...
inline Stream count(int first = 0) {
    return filter<void, int>("Count", [=](Filter<void, int>& f) {
        auto k = f.field<int>("k", first);
        f.work({.push = 1}, [&] {
            f.push(k);
            k++;
        });
    });
}
inline Stream floats() {
    return filter<int, float>("ToFloat", {.pop = 1, .push = 1}, [](auto& f) { f.push(f.pop()); });
}
template <typename T>
Stream out() {
    return filter<T, void>("Out", {.pop = 1}, [](auto& f) { println(f.pop()); });
}

/// The codes of a program's errors, one behind the other.
inline std::string errorsOf(const Stream& main) {
    std::string codes;
    for (const Diagnostic& each : compile(main).diagnostics())
        if (each.isError) codes += (codes.empty() ? "" : " ") + each.code;
    return codes;
}

}  // namespace strc::test
