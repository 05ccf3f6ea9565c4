#include "repl/detail/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "types/builtin_streams.h"
#include "types/math.h"
#include "types/tensor.h"

namespace strc::repl {

bool Names::isStream(std::string_view name) const {
    if (streams.contains(name)) return true;
    if (const Declaration* known = declarations.find(name)) return known->isStream();
    return workbench.isLibraryStream(name) ||
           types::findBuiltinStream(name) != types::BuiltinStream::None;
}

void Names::check(const Input& input, std::string_view name, std::string_view kind) const {
    auto refuse = [&](std::string_view other) {
        output.fail(input, fmt::format("'{}' is {}: the {} needs another name", name, other, kind));
    };
    if (kind != "stream" && streams.contains(name)) refuse("a stream that runs");
    if (kind != "variable" && declarations.variables.contains(name)) refuse("a variable");
    if (kind == "declaration") return;
    if (const Declaration* known = declarations.find(name))
        refuse(fmt::format("a declared {}", known->kind));
    if (isStream(name) && !streams.contains(name)) refuse("a stream of the library");
    if (name.ends_with("__")) refuse("a name of the session's own");
}

bool Names::isKnown(std::string_view name) const {
    return declarations.contains(name) || declarations.variables.contains(name) || isStream(name);
}

std::string Names::kindOf(std::string_view word) const {
    if (streams.contains(word)) return "instance";
    if (declarations.variables.contains(word)) return "variable";
    if (const Declaration* known = declarations.find(word))
        return known->isStream() ? "stream" : known->kind == "struct" ? "struct" : "function";
    if (isStream(word)) return "stream";
    const std::vector<std::string_view> functions = functionNames();
    const bool isFunction = std::find(functions.begin(), functions.end(), word) != functions.end();
    if (isFunction || word == "println" || word == "print") return "function";
    return "name";
}

/// Structs are known by their names: those of the stream may have become others.
void Names::checkStructs(const Running& stream, const types::Type* type, const Input& input) const {
    const auto names = namesIn(types::toString(type));
    const std::vector<std::string> list(names.begin(), names.end());
    for (const Declaration* old : stream.uses.needed(list).declarations) {
        const Declaration* now = declarations.find(old->name);
        if (!now || now->text != old->text)
            output.fail(
                input, fmt::format("this stream goes on with the old {}: make it anew", old->name));
    }
}

namespace {

/// "float->float filter Scale(float factor)" of a text that declares it.
std::string headIn(std::string_view text, std::string_view name) {
    for (std::string_view word : {"filter ", "pipeline ", "splitjoin ", "feedbackloop "}) {
        const std::string wanted = std::string(word) + std::string(name);
        std::size_t at = text.find(wanted);
        while (at != text.npos) {
            const std::size_t after = at + wanted.size();
            const char next = after < text.size() ? text[after] : ' ';
            if (next == ' ' || next == '(' || next == '{' || next == '\n') {
                const std::size_t line = text.rfind('\n', at);
                const std::size_t begin = line == text.npos ? 0 : line + 1;
                const std::size_t end = std::min(text.find('{', after), text.size());
                std::string head(text.substr(begin, end - begin));
                while (!head.empty() && (head.back() == ' ' || head.back() == '\n'))
                    head.pop_back();
                return head;
            }
            at = text.find(wanted, after);
        }
    }
    return {};
}

}  // namespace

std::string Names::headOf(std::string_view name) const {
    if (const Declaration* known = declarations.find(name)) return known->head;
    if (const session::LibraryFile* file = workbench.streams().fileDeclaring(name))
        return headIn(file->text, name);
    if (const auto builtin = types::findBuiltinStream(name);
        builtin != types::BuiltinStream::None) {
        const types::BuiltinStreamInfo& info = types::info(builtin);
        switch (info.role) {
            case types::BuiltinRole::Identity: return fmt::format("T->T filter {}<T>", name);
            case types::BuiltinRole::Reader: return fmt::format("void->T filter {}<T>(file)", name);
            case types::BuiltinRole::Writer: return fmt::format("T->void filter {}<T>(file)", name);
            case types::BuiltinRole::Display: return fmt::format("int->void filter {}", name);
        }
    }
    return {};
}

// ---------------------------------------------------------------- functions

std::vector<std::string_view> functionNames() {
    std::vector<std::string_view> list = {"random"};
    for (int k = 0; k < static_cast<int>(types::MathFn::Count); ++k)
        list.push_back(types::name(static_cast<types::MathFn>(k)));
    for (std::size_t k = 0; k < static_cast<std::size_t>(types::TensorFn::Count); ++k)
        if (const types::TensorFnInfo& row = types::info(static_cast<types::TensorFn>(k));
            row.form != types::TensorForm::Operator)
            list.push_back(row.name);
    return list;
}

}  // namespace strc::repl
