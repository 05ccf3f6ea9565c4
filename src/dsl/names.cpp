#include "dsl/detail/names.h"

#include <cctype>

namespace strc::dsl {

namespace {

/// Keywords, and functions that a variable of that name would hide from the reader.
const std::unordered_set<std::string>& words() {
    static const std::unordered_set<std::string> all{
        "filter",     "pipeline", "splitjoin", "feedbackloop", "portal",     "to",
        "handler",    "stateful", "add",       "split",        "join",       "duplicate",
        "roundrobin", "body",     "loop",      "enqueue",      "init",       "prework",
        "work",       "peek",     "pop",       "push",         "struct",     "template",
        "native",     "static",   "helper",    "if",           "else",       "while",
        "for",        "switch",   "case",      "default",      "break",      "continue",
        "return",     "do",       "pi",        "true",         "false",      "boolean",
        "float",      "bit",      "int",       "void",         "double",     "complex",
        "float2",     "float3",   "float4",    "iter",         "global",     "tensor",
        "print",      "println",  "Identity",  "FileReader",   "FileWriter", "ImageDisplay",
        "String"};
    return all;
}

std::string identifier(std::string_view wish) {
    std::string name;
    for (const char c : wish) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty()) return "x";
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, 1, '_');
    return name;
}

}  // namespace

bool isWord(std::string_view name) { return words().contains(std::string(name)); }

bool Names::isTaken(const std::string& name) const {
    return taken.contains(name) || (around && around->isTaken(name));
}

std::string Names::take(std::string_view wish) {
    const std::string base = identifier(wish);
    std::string name = base;
    for (int k = 2; isTaken(name) || isWord(name); ++k) name = base + std::to_string(k);
    taken.insert(name);
    return name;
}

}  // namespace strc::dsl
