#include "driver/detail/option_adder.h"

#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace strc::driver {

using base::Diag;

namespace {

std::string_view withoutDashes(std::string_view flag) {
    return flag.substr(flag.find_first_not_of('-'));
}

}  // namespace

bool isOneOf(KnownValues known, std::string_view text) {
    return std::find(known.begin(), known.end(), text) != known.end();
}

std::string valuesOf(KnownValues known) {
    std::string text;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (i > 0) text += i + 1 == known.size() ? " or " : ", ";
        text += known[i];
    }
    return text;
}

CLI::Option* OptionAdder::value(CLI::App& sub, const std::string& flags, const char* type,
                                const std::string& help,
                                std::function<void(const std::string&)> take) {
    auto* option = sub.add_option_function<std::vector<std::string>>(
        flags,
        [take = std::move(take)](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) take(text);
        },
        help);
    option->type_name(type)->allow_extra_args(false)->group(group);
    return option;
}

void OptionAdder::set(std::string_view name, std::optional<std::string> value) {
    options.settings.push_back({std::string(name), std::move(value)});
}

void OptionAdder::setting(CLI::App& sub, const char* flag, const char* help) {
    sub.add_flag_callback(
           flag, [this, flag] { set(withoutDashes(flag)); }, help)
        ->disable_flag_override()
        ->group(group);
}

void OptionAdder::setting(CLI::App& sub, const char* flag, const char* type, const char* help,
                          KnownValues known) {
    CLI::Option* added = value(sub, flag, type, help, [this, flag, known](const std::string& text) {
        if (text.empty())
            diags.add(Diag::BadCommandLine) << fmt::format("there is no value after '{}'", flag);
        else if (!known.empty() && !isOneOf(known, text))
            wrongValue(text, flag, valuesOf(known));
        else
            set(withoutDashes(flag), text);
    });
    knownValues[added] = {known.begin(), known.end()};
}

void OptionAdder::flag(CLI::App& sub, const char* flags, bool& field, const char* help) {
    sub.add_flag(flags, field, help)->disable_flag_override()->group(group);
}

void OptionAdder::flagOrValue(CLI::App& sub, const std::string& flag, const char* help,
                              std::function<void(const std::string&)> take) {
    // Without a value the parser gives this one: a file of that name has to be called ./true.
    static const std::string none = "true";
    sub.add_flag(flag, flagValue, help)
        ->each([take = std::move(take)](const std::string& text) {
            take(text == none ? std::string() : text);
        })
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(group);
}

void OptionAdder::positive(CLI::App& sub, const char* flag, int& field, const char* help) {
    value(sub, flag, "N", help, [this, flag, &field](const std::string& text) {
        if (auto number = parseInteger(flag, text, 1, INT32_MAX)) field = static_cast<int>(*number);
    });
}

void OptionAdder::integer(CLI::App& sub, const char* flags, std::optional<std::int64_t>& field,
                          const char* type, const char* help) {
    std::string shown = std::string(flags).substr(0, std::string_view(flags).find(','));
    value(sub, flags, type, help,
          [this, &field, shown](const std::string& text) { field = parseInteger(shown, text); });
}

std::optional<std::int64_t> OptionAdder::parseInteger(const std::string& option,
                                                      const std::string& text, std::int64_t least,
                                                      std::int64_t most) {
    std::int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = error == std::errc() && end == text.data() + text.size();
    if (isNumber && number >= least && number <= most) return number;
    wrongValue(text, option, fmt::format("a number from {} to {}", least, most));
    return std::nullopt;
}

std::optional<double> OptionAdder::parseReal(const std::string& option, const std::string& text) {
    double number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
    wrongValue(text, option, "a number of seconds");
    return std::nullopt;
}

base::Diagnostic& OptionAdder::wrongValue(const std::string& text, std::string_view option,
                                          std::string_view needed) {
    return diags.add(Diag::BadOptionValue) << text << option << needed;
}

}  // namespace strc::driver
