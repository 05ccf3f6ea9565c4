// Texts as `strc fmt` writes them.
#include "api/detail/compiler.h"
#include "ast/print.h"
#include "parser/parse.h"

const char* strc_compiler_format(strc_compiler* compiler, size_t* size, int* changes) {
    if (size) *size = 0;
    if (changes) *changes = 0;
    if (!compiler || compiler->isCompiled || compiler->sources.size() != 1) return nullptr;
    const strc_status status = strc::api::guarded(compiler, [&] {
        compiler->isCompiled = true;
        compiler->hasFailed = true;  // nothing else comes of it
        strc::base::Context& context = compiler->program.context;
        strc::session::apply(context, compiler->settings);
        strc::session::SourceText source = std::move(compiler->sources.front());
        const strc::ast::Unit& unit =
            strc::parser::parse(context, context.sources.add(source.name, source.text));
        if (compiler->tell()) return STRC_FAILED;
        compiler->formatted = strc::ast::format(unit, context.sources);
        if (changes) *changes = compiler->formatted != source.text;
        return STRC_OK;
    });
    if (status != STRC_OK) return nullptr;
    if (size) *size = compiler->formatted.size();
    return compiler->formatted.c_str();
}
