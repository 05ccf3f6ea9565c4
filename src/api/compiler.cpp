// Compilers, their sources and options, and the way through the stages.
#include "api/compiler.h"

#include <charconv>

using strc::api::guarded;
using strc::session::Settings;
using strc::session::Stage;

namespace {

using Value = std::string_view;

bool number(Value text, std::uint64_t most, std::uint64_t& to) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    return error == std::errc() && end == text.data() + text.size() && to <= most;
}

bool define(Settings& settings, Value text) {
    const std::size_t equals = text.find('=');
    if (equals == Value::npos || equals == 0) return false;
    settings.defines[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    return true;
}

bool choose(Value text, std::initializer_list<Value> words, std::size_t& to) {
    to = 0;
    for (Value word : words) {
        if (word == text) return true;
        ++to;
    }
    return false;
}

bool setOrder(Settings& settings, Value text) {
    std::size_t choice = 0;
    if (!choose(text, {"buffers", "single-appearance", "latency"}, choice)) return false;
    constexpr strc::sched::Order orders[] = {strc::sched::Order::Buffers,
                                             strc::sched::Order::SingleAppearance,
                                             strc::sched::Order::Latency};
    settings.order = orders[choice];
    return true;
}

bool disable(Settings& settings, Value pass) {
    const auto known = strc::base::findPass(pass);
    if (!known || strc::base::info(*known).kind != strc::base::PassKind::Pass) return false;
    settings.disabledPasses.push_back(*known);
    return true;
}

bool setFlag(Settings& settings, Value option) {
    if (option == "w")
        settings.silenceWarnings = true;
    else if (option == "lenient")
        settings.lenient = true;
    else if (option == "interpret")
        settings.interpret = true;
    else
        return false;
    return true;
}

bool set(Settings& settings, Value option, Value value) {
    std::uint64_t count = 0;
    std::size_t choice = 0;
    if (option == "top") return settings.top = value, !value.empty();
    if (option == "D") return define(settings, value);
    if (option == "W") return settings.warnings.emplace_back(value), !value.empty();
    if (option == "stdlib") return settings.stdlib = value, !value.empty();
    if (option == "native") return settings.natives.emplace_back(value), !value.empty();
    if (option == "schedule") return setOrder(settings, value);
    if (option == "disable-pass") return disable(settings, value);
    if (option == "step-limit") {
        if (number(value, UINT64_MAX, count)) return settings.stepLimit = count, true;
        return false;
    }
    if (option == "O") {
        if (number(value, 3, count)) return settings.level = static_cast<int>(count), true;
        return false;
    }
    if (option == "check") {
        if (!choose(value, {"all", "none"}, choice)) return false;
        return settings.checks = choice == 0, true;
    }
    return false;
}

}  // namespace

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
    return guarded([&] {
        if (size > strc::session::kMostSourceBytes) return STRC_WRONG_CALL;
        compiler->sources.push_back({name, text ? std::string(text, size) : std::string()});
        return STRC_OK;
    });
}

strc_status strc_compiler_set(strc_compiler* compiler, const char* option, const char* value) {
    if (!compiler || !option || compiler->isCompiled) return STRC_WRONG_CALL;
    return guarded([&] {
        const bool known =
            value ? set(compiler->settings, option, value) : setFlag(compiler->settings, option);
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
    return guarded([&] {
        compiler->isCompiled = true;
        compiler->hasFailed = true;  // until it is known better
        strc::session::Loading loading;
        loading.last = static_cast<Stage>(last);
        loading.planIfPossible = true;
        loading.interrupt = compiler->interrupt;
        loading.print = [&](std::string_view text) {
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

strc_stage strc_compiler_stage(const strc_compiler* compiler) {
    return compiler ? static_cast<strc_stage>(compiler->stage) : STRC_STAGE_NOTHING;
}
