// Parameters of streams, as texts.
#include <cmath>
#include <optional>

#include "api/detail/stream.h"
#include "base/spelling.h"
#include "types/parse.h"

namespace {

using strc::base::Diag;
using strc::types::Type;
using strc::types::Value;

void reportUnknown(strc::session::Compilation& program, const char* name) {
    strc::base::Diagnostic& fault = program.context.diags.add(Diag::UnknownDefine)
                                    << program.main->name.text() << name;
    strc::base::SpellingSearch search(name);
    for (const strc::ir::OpenParameter& open : program.module.open) search.consider(open.name);
    if (!search.best().empty())
        fault.note(Diag::DidYouMean) << search.best();
    else
        fault.note(Diag::Hint) << "'--keep-param' leaves one open";
}

/// Knobs give reals, also to an int, which takes the nearest one.
std::optional<Value> valueOf(strc::types::TypeTable& types, const char* text, const Type* type) {
    if (std::optional<Value> value = strc::types::parseValue(text, type)) return value;
    if (!type->is(strc::types::TypeKind::Int)) return std::nullopt;
    const std::optional<Value> real = strc::types::parseValue(text, types.doubleType());
    if (!real) return std::nullopt;
    return Value::of(type, strc::types::toInt(std::floor(real->as<double>() + 0.5)));
}

}  // namespace

strc_status strc_stream_set_text(strc_stream* stream, const char* parameter, const char* text) {
    if (!stream || !parameter || !text) return STRC_WRONG_CALL;
    strc_compiler& compiler = *stream->compiler;
    return strc::api::guarded(&compiler, [&] {
        strc::session::Compilation& program = compiler.program;
        const std::vector<strc::types::Value>& open = program.plan->program->openValues;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (program.module.open[k].name != parameter) continue;
            const auto value = valueOf(*program.program.types, text, open[k].type);
            const auto number = static_cast<std::uint32_t>(k);
            if (value && stream->moving.begin(*stream, parameter, number, *value)) return STRC_OK;
            if (value) return stream->set(number, value->bytes.data(), value->bytes.size());
            program.context.diags.add(Diag::BadDefineValue)
                << text << strc::types::toString(open[k].type) << parameter;
            compiler.tell();
            return STRC_FAILED;
        }
        reportUnknown(program, parameter);
        compiler.tell();
        return STRC_FAILED;
    });
}
