// Compilers, their sources and options, and the way through the stages.
#include "api/compiler.h"

#include "session/words.h"

using strc::api::guarded;
using strc::session::Stage;

strc::session::Building strc_compiler::building() const {
    return {printed, [this] { return interrupt && *interrupt; }};
}

const char* strc_version() { return STRC_VERSION; }

strc_compiler* strc_compiler_new() {
    try {
        return new strc_compiler;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void strc_compiler_free(strc_compiler* compiler) { delete compiler; }

strc_status strc_compiler_add_source(strc_compiler* compiler, const char* name, const char* text,
                                     size_t size) {
    if (!compiler || !name || (!text && size != 0) || compiler->isCompiled) return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        if (size > strc::session::kMostSourceBytes) return STRC_WRONG_CALL;
        compiler->sources.push_back({name, text ? std::string(text, size) : std::string()});
        return STRC_OK;
    });
}

strc_status strc_compiler_set(strc_compiler* compiler, const char* option, const char* value) {
    if (!compiler || !option || compiler->isCompiled) return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        const bool known = value ? strc::session::setOption(compiler->settings, option, value)
                                 : strc::session::setFlag(compiler->settings, option);
        return known ? STRC_OK : STRC_WRONG_CALL;
    });
}

strc_status strc_compiler_set_interrupt(strc_compiler* compiler,
                                        const volatile unsigned char* flag) {
    if (!compiler) return STRC_WRONG_CALL;
    compiler->interrupt = reinterpret_cast<const volatile bool*>(flag);
    return STRC_OK;
}

strc_status strc_compiler_compile(strc_compiler* compiler, strc_stage last, strc_print* print,
                                  void* user) {
    if (!compiler || compiler->isCompiled || compiler->sources.empty() ||
        last < STRC_STAGE_NOTHING || last > STRC_STAGE_PLANNED)
        return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        compiler->isCompiled = true;
        compiler->hasFailed = true;  // until it is known better
        strc::session::Loading loading;
        loading.last = static_cast<Stage>(last);
        loading.planIfPossible = true;
        loading.interrupt = compiler->interrupt;
        loading.print = [&](std::string_view text) {
            compiler->printed += text;
            if (print) print(user, text.data(), text.size());
        };
        strc::session::Compilation& program = compiler->program;
        strc::session::apply(program.context, compiler->settings);
        compiler->stage =
            strc::session::load(program, compiler->settings, std::move(compiler->sources), loading);
        const bool errors = strc::api::tell(program.context, compiler->told);
        compiler->hasFailed = errors || compiler->stage < loading.last;
        return compiler->hasFailed ? STRC_FAILED : STRC_OK;
    });
}

strc_status strc_compiler_build(strc_compiler* compiler, const char* output) {
    if (!compiler || !output || *output == '\0' || compiler->hasFailed ||
        compiler->stage < Stage::Planned)
        return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        const bool made = strc::session::build(compiler->program, compiler->settings,
                                               compiler->building(), output);
        strc::api::tell(compiler->program.context, compiler->told);
        return made ? STRC_OK : STRC_FAILED;
    });
}

strc_stage strc_compiler_stage(const strc_compiler* compiler) {
    return compiler ? static_cast<strc_stage>(compiler->stage) : STRC_STAGE_NOTHING;
}
