// Compilers, their sources and options, and the way through the stages.
#include "api/detail/compiler.h"

#include <cstring>

#include "api/detail/ports.h"
#include "session/option_values.h"
#include "types/tensor_elements.h"

using strc::api::guarded;
using strc::session::Stage;

strc::session::Building strc_compiler::building() const {
    return {printed, [this] { return isInterrupted(); }};
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

namespace {

/// The source that `read` gives, or why it does not.
template <typename Read>
strc_status addSource(strc_compiler* compiler, const char* name, Read read) {
    return guarded(compiler, [&] {
        strc::base::Result<std::string> text = read();
        if (text) {
            compiler->sources.push_back({name, std::move(*text)});
            return STRC_OK;
        }
        strc::base::report(compiler->program.context.diags, text.failure());
        compiler->lacksSource = compiler->tell();
        return STRC_FAILED;
    });
}

/// SIZE_MAX: no memory has so many.
std::size_t bytesOf(strc::types::TypeKind element, const std::vector<std::int64_t>& dims) {
    static const strc::types::TypeTable types;
    auto bytes = static_cast<std::size_t>(strc::types::sizeOf(types.scalar(element)));
    for (const std::int64_t extent : dims)
        if (extent < 0 || extent > INT32_MAX ||
            __builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes))
            return SIZE_MAX;
    return bytes;
}

}  // namespace

strc_status strc_compiler_add_file(strc_compiler* compiler, const char* path) {
    if (!compiler || !path || compiler->isCompiled) return STRC_WRONG_CALL;
    return addSource(compiler, path, [&] { return strc::session::readFile(path); });
}

strc_status strc_compiler_add_stream(strc_compiler* compiler, const char* name,
                                     strc_read_text* read, void* user) {
    if (!compiler || !name || !read || compiler->isCompiled) return STRC_WRONG_CALL;
    return addSource(compiler, name, [&] {
        return strc::session::readText(
            name, [&](char* to, std::size_t room) { return read(user, to, room); });
    });
}

strc_status strc_compiler_set(strc_compiler* compiler, const char* option, const char* value) {
    if (!compiler || !option || compiler->isCompiled) return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        if (!value && std::strcmp(option, "color") == 0) {
            compiler->hasColour = true;
            return STRC_OK;
        }
        const bool known = value ? strc::session::setOption(compiler->settings, option, value)
                                 : strc::session::setFlag(compiler->settings, option);
        return known ? STRC_OK : STRC_WRONG_CALL;
    });
}

strc_status strc_compiler_add_weights(strc_compiler* compiler, const char* name,
                                      const strc_tensor* tensor, const void* values) {
    if (!compiler || !name || !tensor || !values || compiler->isCompiled) return STRC_WRONG_CALL;
    if (!tensor->element || (!tensor->dims && tensor->rank != 0)) return STRC_WRONG_CALL;
    const strc::types::TypeKind element = strc::api::elementKind(tensor->element);
    if (element == strc::types::TypeKind::Error) return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        std::vector<std::int64_t> dims(tensor->dims, tensor->dims + tensor->rank);
        if (bytesOf(element, dims) != tensor->size) return STRC_WRONG_CALL;
        compiler->weights.push_back(
            {name, element, std::move(dims), static_cast<const std::byte*>(values)});
        return STRC_OK;
    });
}

strc_status strc_compiler_set_interrupt(strc_compiler* compiler,
                                        const volatile unsigned char* flag) {
    if (!compiler) return STRC_WRONG_CALL;
    compiler->interrupt = reinterpret_cast<const volatile bool*>(flag);
    return STRC_OK;
}

strc_status strc_compiler_set_log(strc_compiler* compiler, strc_print* log, void* user) {
    if (!compiler) return STRC_WRONG_CALL;
    compiler->log = log;
    compiler->logUser = user;
    return STRC_OK;
}

strc_status strc_compiler_compile(strc_compiler* compiler, strc_stage last, strc_print* print,
                                  void* user) {
    if (!compiler || compiler->isCompiled || last < STRC_STAGE_NOTHING ||
        last > STRC_STAGE_PLANNED || (compiler->sources.empty() && !compiler->lacksSource))
        return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        compiler->isCompiled = true;
        compiler->hasFailed = true;  // until it is known better
        strc::session::Loading loading;
        loading.last = static_cast<Stage>(last);
        loading.interrupt = compiler->interrupt;
        loading.log = [compiler](std::string_view line) {
            if (compiler->log) compiler->log(compiler->logUser, line.data(), line.size());
        };
        loading.print = [&](std::string_view text) {
            compiler->printed += text;
            if (print) print(user, text.data(), text.size());
        };
        strc::session::Compilation& program = compiler->program;
        strc::session::apply(program.context, compiler->settings);
        if (!compiler->weights.empty())
            program.weights = strc::weights::fromMemory(compiler->weights);
        if (!compiler->lacksSource)
            compiler->stage = strc::session::load(program, compiler->settings,
                                                  std::move(compiler->sources), loading);
        const bool errors = compiler->tell() || compiler->lacksSource;
        compiler->toldByCompilation = compiler->told.size();
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
        compiler->tell();
        return made ? STRC_OK : STRC_FAILED;
    });
}

strc_stage strc_compiler_stage(const strc_compiler* compiler) {
    return compiler ? static_cast<strc_stage>(compiler->stage) : STRC_STAGE_NOTHING;
}

const char* strc_compiler_times(strc_compiler* compiler) {
    if (!compiler) return "";
    const strc_status status = guarded(compiler, [&] {
        compiler->times = compiler->program.context.passes.times();
        compiler->program.context.passes.forgetTimes();
        return STRC_OK;
    });
    return status == STRC_OK ? compiler->times.c_str() : "";
}
