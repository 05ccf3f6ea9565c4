// What was found, as data and as text.
#include <algorithm>

#include "api/detail/compiler.h"
#include "base/render.h"

namespace strc::api {

namespace {

strc_place placeOf(const base::SourceManager& sources, base::SourceRange range, bool end) {
    const std::uint32_t offset = end ? range.end : range.begin;
    const base::LineColumn at = sources.position(range.buffer, offset);
    return {at.line, at.column, offset};
}

/// There may be very many diagnostics, of which few are looked at.
void makeTexts(strc_compiler& compiler, Told& told) {
    if (told.hasTexts) return;
    const base::SourceManager& sources = compiler.program.context.sources;
    told.message = base::message(told.diag.id, told.diag.args);
    told.text = base::renderText(told.diag, sources, {.colour = compiler.hasColour});
    told.json = base::renderJson(told.diag, sources);
    told.hasTexts = true;
}

strc_diagnostic shown(const Told& told, const base::SourceManager& sources) {
    const base::SourceRange range = told.diag.range;
    const bool hasFile = range.valid();
    return {static_cast<strc_diagnostic_severity>(told.diag.severity),
            base::info(told.diag.id).name.data(),  // a literal of the table
            told.message.c_str(),
            hasFile ? sources.name(range.buffer).c_str() : nullptr,
            hasFile ? placeOf(sources, range, false) : strc_place{},
            hasFile ? placeOf(sources, range, true) : strc_place{},
            told.diag.instance.c_str(),
            told.diag.instances,
            told.text.c_str(),
            told.json.c_str()};
}

}  // namespace

void tellInternal(strc_compiler& compiler, const char* what) {
    compiler.hasFailed = true;
    compiler.stage = session::Stage::Nothing;
    base::Diagnostics diags;
    diags.add(base::Diag::InternalError) << what;
    compiler.told.emplace_back(diags.all().front());
    ++compiler.errors;
}

}  // namespace strc::api

/// A run finds again what the compilation has warned of.
bool strc_compiler::isKnown(const strc::base::Diagnostic& diag) const {
    return diag.severity == strc::base::Severity::Warning && diag.range.valid() &&
           std::any_of(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(toldByCompilation),
                       [&](const strc::api::Told& each) {
                           return each.diag.id == diag.id && each.diag.range == diag.range;
                       });
}

/// Text of this language does not fit into that of the program that recorded.
void strc_compiler::withoutRecordedFixes(std::vector<strc::base::Fix>& fixes) const {
    std::erase_if(fixes, [&](const strc::base::Fix& each) {
        return each.range.valid() && each.range.buffer.index < recordedBuffers;
    });
}

bool strc_compiler::tell() {
    strc::base::Diagnostics& diags = program.context.diags;
    const std::size_t before = errors;
    diags.merge();
    for (const strc::base::Diagnostic& diag : diags.all()) {
        if (isKnown(diag)) continue;
        if (diag.severity == strc::base::Severity::Error) ++errors;
        withoutRecordedFixes(told.emplace_back(diag).diag.fixes);
    }
    diags.clear();
    return errors > before;
}

size_t strc_compiler_diagnostic_count(const strc_compiler* compiler) {
    return compiler ? compiler->told.size() : 0;
}

size_t strc_compiler_error_count(const strc_compiler* compiler) {
    return compiler ? compiler->errors : 0;
}

strc_status strc_compiler_diagnostic(strc_compiler* compiler, size_t index, strc_diagnostic* to) {
    if (!compiler || !to || index >= compiler->told.size()) return STRC_WRONG_CALL;
    return strc::api::guarded(compiler, [&] {
        strc::api::Told& told = compiler->told[index];
        strc::api::makeTexts(*compiler, told);
        *to = strc::api::shown(told, compiler->program.context.sources);
        return STRC_OK;
    });
}
