// What was found, as data and as text.
#include "api/compiler.h"
#include "base/render.h"

namespace strc::api {

namespace {

strc_place placeOf(const base::SourceManager& sources, base::SourceRange range, bool end) {
    const std::uint32_t offset = end ? range.end : range.begin;
    const base::LineColumn at = sources.position(range.buffer, offset);
    return {at.line, at.column, offset};
}

Told toldOf(const base::Diagnostic& diag, const base::SourceManager& sources) {
    Told told;
    told.severity = diag.severity;
    told.code = base::info(diag.id).name;
    told.message = base::message(diag.id, diag.args);
    told.instance = diag.instance;
    told.instances = diag.instances;
    told.text = base::renderText(diag, sources);
    told.json = base::renderJson(diag, sources);
    told.hasFile = diag.range.valid();
    if (!told.hasFile) return told;
    told.file = sources.name(diag.range.buffer);
    told.begin = placeOf(sources, diag.range, false);
    told.end = placeOf(sources, diag.range, true);
    return told;
}

}  // namespace

bool tell(base::Context& context, std::deque<Told>& told) {
    bool errors = false;
    context.diags.merge();
    for (const base::Diagnostic& diag : context.diags.all()) {
        errors = errors || diag.severity == base::Severity::Error;
        told.push_back(toldOf(diag, context.sources));
    }
    context.diags.clear();
    return errors;
}

void tellInternal(strc_compiler& compiler, const char* what) {
    compiler.hasFailed = true;
    base::Context context;
    context.diags.add(base::Diag::InternalError) << what;
    tell(context, compiler.told);
}

}  // namespace strc::api

size_t strc_compiler_diagnostic_count(const strc_compiler* compiler) {
    return compiler ? compiler->told.size() : 0;
}

strc_status strc_compiler_diagnostic(strc_compiler* compiler, size_t index, strc_diagnostic* to) {
    if (!compiler || !to || index >= compiler->told.size()) return STRC_WRONG_CALL;
    const strc::api::Told& told = compiler->told[index];
    *to = {static_cast<strc_diagnostic_severity>(told.severity),
           told.code.c_str(),
           told.message.c_str(),
           told.hasFile ? told.file.c_str() : nullptr,
           told.begin,
           told.end,
           told.instance.c_str(),
           told.instances,
           told.text.c_str(),
           told.json.c_str()};
    return STRC_OK;
}
