#include "elab/detail/bind_main.h"

#include "base/spelling.h"
#include "types/parse.h"

namespace strc::elab {
namespace {

using base::Diag;

void reportUnknownDefine(base::Context& context, const ir::StreamCode& code,
                         const std::string& name) {
    base::Diagnostic& fault = context.diags.add(Diag::UnknownDefine) << code.name << name;
    base::SpellingSearch search(name);
    std::string all;
    for (std::uint32_t k = 0; k < code.params; ++k) {
        search.consider(code.constants[k].name);
        all += (k == 0 ? "'" : ", '") + code.constants[k].name + "'";
    }
    if (!search.best().empty())
        fault.note(Diag::DidYouMean) << search.best();
    else if (!all.empty())
        fault.note(Diag::Hint) << "it has " + all;
}

bool hasParameter(const ir::StreamCode& code, const std::string& name) {
    for (std::uint32_t k = 0; k < code.params; ++k)
        if (code.constants[k].name == name) return true;
    return false;
}

void bindParameter(base::Context& context, Instance& main, std::uint32_t k, const Entry& entry) {
    const ir::Variable& parameter = main.code->constants[k];
    auto given = entry.arguments.find(parameter.name);
    if (given == entry.arguments.end()) {
        STRC_ASSERT(main.code->defaults[k].has_value(), "main stream with an unbound parameter");
        main.defaulted.push_back(k);
        return;
    }
    auto value = types::parseValue(given->second, parameter.type);
    if (value)
        main.constants[k] = *value;
    else
        context.diags.add(Diag::BadDefineValue, parameter.range)
            << given->second << types::toString(parameter.type) << parameter.name;
}

}  // namespace

bool bindMain(base::Context& context, const Entry& entry, Instance& main) {
    const std::size_t errorsBefore = context.diags.errorCount();
    const ir::StreamCode& code = *main.code;
    main.constants.resize(code.constants.size());
    for (const auto& [name, text] : entry.arguments)
        if (!hasParameter(code, name)) reportUnknownDefine(context, code, name);
    for (std::uint32_t k = 0; k < code.params; ++k) bindParameter(context, main, k, entry);
    return context.diags.errorCount() == errorsBefore;
}

}  // namespace strc::elab
