#include "csource/detail/names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace strc::csource {
namespace {

/// What headers and compilers define as macros or functions that the printed code calls, and names that it uses itself.
bool isTakenByC(std::string_view name) {
    static const std::set<std::string_view> words{
        "NAN",      "INFINITY",  "HUGE_VAL",  "signbit",   "isnan",    "isinf",     "memcpy",
        "memmove",  "memset",    "strlen",    "NULL",      "offsetof", "unix",      "linux",
        "i386",     "arm",       "sin",       "cos",       "tan",      "asin",      "acos",
        "atan",     "sinh",      "cosh",      "tanh",      "exp",      "log",       "log10",
        "erf",      "sqrt",      "fabs",      "floor",     "ceil",     "nearbyint", "atan2",
        "pow",      "size_t",    "int32_t",   "uint8_t",   "int64_t",  "main",      "uint32_t",
        "uint64_t", "in",        "out",       "self",      "popped",   "pushed",    "result",
        "M_PI",     "M_E",       "OVERFLOW",  "UNDERFLOW", "DOMAIN",   "SING",      "PLOSS",
        "TLOSS",    "INT32_MIN", "INT32_MAX", "INT64_MIN", "INT64_MAX"};
    return words.contains(name);
}

}  // namespace

bool isReservedWord(std::string_view name) {
    // clang-format off
    static constexpr std::array words{
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool",
        "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class",
        "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",
        "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete",
        "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
        "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace",
        "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
        "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
        "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
        "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
        "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
        "volatile", "wchar_t", "while", "xor", "xor_eq"};
    // clang-format on
    return std::find(words.begin(), words.end(), name) != words.end();
}

bool Names::isTaken(const std::string& name) const {
    return isReservedWord(name) || isTakenByC(name) ||
           std::any_of(scopes.begin(), scopes.end(),
                       [&](const std::set<std::string>& scope) { return scope.contains(name); });
}

std::string Names::take(std::string_view wanted) {
    // Passes give names that C has not.
    std::string clean(wanted);
    std::replace_if(
        clean.begin(), clean.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
    if (clean.empty() || std::isdigit(static_cast<unsigned char>(clean[0])) != 0 || clean[0] == '_')
        clean = "v" + clean;
    std::string name = clean;
    for (int number = 2; isTaken(name); ++number) name = fmt::format("{}{}", clean, number);
    scopes.back().insert(name);
    return name;
}

}  // namespace strc::csource
