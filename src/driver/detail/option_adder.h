#pragma once
/// The options of commands by the kind of their values; wrong values are reported.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/detail/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace strc::driver {

/// A word that stands for a value.
template <typename T>
struct Choice {
    std::string_view word;
    T value;
};

/// The words of an option that takes one of few.
using KnownValues = std::span<const std::string_view>;

bool isOneOf(KnownValues, std::string_view text);
/// The words as text: "a, b or c".
std::string valuesOf(KnownValues);
template <typename T, std::size_t N>
std::string valuesOf(const std::array<Choice<T>, N>& choices) {
    std::array<std::string_view, N> all;
    std::transform(choices.begin(), choices.end(), all.begin(),
                   [](const auto& each) { return each.word; });
    return valuesOf(all);
}

template <typename T, std::size_t N>
std::vector<std::string> listOf(const std::array<Choice<T>, N>& choices) {
    std::vector<std::string> list;
    for (const Choice<T>& each : choices) list.emplace_back(each.word);
    return list;
}

/// Sets `field` to the value of a word; false if it is none of them.
template <typename T, std::size_t N, typename Field>
bool find(const std::array<Choice<T>, N>& choices, std::string_view text, Field& field) {
    auto found = std::find_if(choices.begin(), choices.end(),
                              [&](const auto& each) { return each.word == text; });
    if (found != choices.end()) field = found->value;
    return found != choices.end();
}

/// Adds options to commands, by the kind of their values: settings of the compiler, flags, words and
/// numbers. It puts values that are given into the Options, and reports wrong ones.
class OptionAdder {
public:
    OptionAdder(Options& wanted, base::Diagnostics& diagnostics)
        : options(wanted), diags(diagnostics) {}

    /// An option with one value, which may be repeated: the last one counts, -D collects.
    CLI::Option* value(CLI::App& sub, const std::string& flags, const char* type,
                       const std::string& help, std::function<void(const std::string&)> take);

    /// Adds to the settings of the compiler.
    void set(std::string_view name, std::optional<std::string> value = std::nullopt);

    /// An option of the compiler: without a value, or with one, which may have to be one of few words.
    void setting(CLI::App& sub, const char* flag, const char* help);
    void setting(CLI::App& sub, const char* flag, const char* type, const char* help,
                 KnownValues known = {});

    void flag(CLI::App& sub, const char* flags, bool& field, const char* help);

    /// A flag that may have a value: `--flag` or `--flag=VALUE`, never `--flag VALUE`. `take` gets that, or nothing.
    void flagOrValue(CLI::App& sub, const std::string& flag, const char* help,
                     std::function<void(const std::string&)> take);

    /// One of few words.
    template <typename T, std::size_t N, typename Field>
    void choose(CLI::App& sub, const char* flags, const std::array<Choice<T>, N>& choices,
                Field& field, const char* help) {
        std::string shown = std::string(flags).substr(0, std::string_view(flags).find(','));
        CLI::Option* added = value(sub, flags, "WORD", help,
                                   [this, &choices, &field, shown](const std::string& text) {
                                       if (!find(choices, text, field))
                                           wrongValue(text, shown, valuesOf(choices));
                                   });
        knownValues[added] = listOf(choices);
    }

    /// A number from 1 on.
    void positive(CLI::App& sub, const char* flag, int& field, const char* help);

    /// A number from 0 on.
    void integer(CLI::App& sub, const char* flags, std::optional<std::int64_t>& field,
                 const char* type, const char* help);

    /// The number; empty after reporting that it is none from `least` to `most`.
    std::optional<std::int64_t> parseInteger(const std::string& option, const std::string& text,
                                             std::int64_t least = 0, std::int64_t most = INT64_MAX);

    /// A number from 0 on; empty after reporting.
    std::optional<double> parseReal(const std::string& option, const std::string& text);

    /// `needed`: the values that the option takes.
    base::Diagnostic& wrongValue(const std::string& text, std::string_view option,
                                 std::string_view needed);

    Options& options;
    base::Diagnostics& diags;
    /// The words of options that take one of few.
    std::map<const CLI::Option*, std::vector<std::string>> knownValues;
    std::string group = "Options";  ///< of the options being added, in the help text

private:
    std::string flagValue;  ///< of flagOrValue, which somebody has to keep
};

}  // namespace strc::driver
