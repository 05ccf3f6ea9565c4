#include "repl/detail/program_text.h"

#include <fmt/format.h>

#include "repl/detail/value_source.h"

namespace strc::repl {

using types::Value;

namespace {

/// A static block that gives the variables their present values.
std::string variablesText(const Declarations& declarations, Evaluator& evaluator,
                          const Input& input) {
    if (declarations.variables.empty()) return {};
    MixedText text(input.typed);
    std::string declared;
    std::string assigned;
    text.own("static { init { int ").own("seen__ = 0;\n");
    for (const auto& [name, variable] : declarations.variables) {
        if (variable.isEmpty())
            declared += fmt::format("    {} {};\n", variable.type, name);
        else
            text.own(fmt::format("{{ {} copy__ = {}; }}\n", variable.type, name));
    }
    text.own("} }");
    const std::unique_ptr<Work> work = evaluator.run(input, text);
    const ir::Module& module = work->program.module;
    for (const auto& [name, variable] : declarations.variables)
        for (std::size_t k = 0; k < module.globals.size(); ++k) {
            if (module.globals[k].name != name) continue;
            const Value& value = module.globalValues[k];
            const std::string source = toSource(value);
            const std::string type = variable.typeWithElements();
            declared += source.empty() ? fmt::format("    {} {};\n", type, name)
                                       : fmt::format("    {} {} = {};\n", type, name, source);
            if (source.empty()) assigned += assignments(name, value, "        ");
        }
    if (!assigned.empty()) declared += "    init {\n" + assigned + "    }\n";
    return "static {\n" + declared + "}\n\n";
}

}  // namespace

std::string programText(const Declarations& declarations, Evaluator& evaluator,
                        const Input& input) {
    std::string text = variablesText(declarations, evaluator, input);
    for (const Declaration* each : declarations.all()) text += each->text + "\n\n";
    return text;
}

std::string programText(const Running& stream, Declarations& declarations, Evaluator& evaluator,
                        const Input& input) {
    const Formerly then(declarations, stream.uses);
    const std::string text = programText(declarations, evaluator, input);
    std::string_view body = stream.mixed.text();
    body.remove_prefix(body.find(' '));
    return text + stream.signature() + std::string(body);
}

}  // namespace strc::repl
