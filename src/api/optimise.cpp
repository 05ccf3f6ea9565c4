// Texts of the IR as `strc opt` writes them.
#include "api/detail/compiler.h"
#include "session/ir_text.h"

const char* strc_compiler_optimise(strc_compiler* compiler, size_t* size) {
    if (size) *size = 0;
    if (!compiler || compiler->isCompiled || compiler->sources.size() != 1) return nullptr;
    const strc_status status = strc::api::guarded(compiler, [&] {
        compiler->isCompiled = true;
        compiler->hasFailed = true;  // nothing else comes of it
        strc::base::Context& context = compiler->program.context;
        strc::session::apply(context, compiler->settings);
        auto text = strc::session::optimiseText(context, std::move(compiler->sources.front()),
                                                compiler->settings);
        if (compiler->tell() || !text) return STRC_FAILED;
        compiler->formatted = std::move(*text);
        return STRC_OK;
    });
    if (status != STRC_OK) return nullptr;
    if (size) *size = compiler->formatted.size();
    return compiler->formatted.c_str();
}
