#include "session/engine.h"

#include "host/run.h"
#include "session/detail/device.h"
#include "session/detail/lanes.h"
#include "session/detail/operator_library.h"
#include "session/detail/split.h"
#include "strc/runtime.h"

namespace strc::session {

Natives nativesHere(Compilation& program) {
    return [&program](const ir::Native& native) {
        void* address = program.natives.address(native);
        return codegen::NativeAddress{address != nullptr, address};
    };
}

Natives nativesBySymbol(Compilation& program) {
    return [&program](const ir::Native& native) {
        return codegen::NativeAddress{program.natives.address(native) != nullptr, nullptr};
    };
}

std::optional<Code> makeCode(Compilation& program, const Settings& settings, codegen::Options how) {
    if (!program.plan || !codegen::whyNot(program.module, *program.plan).empty())
        return std::nullopt;
    how.native = nativesHere(program);
    how.device = devicePart(program, settings, how, DeviceFor::Here);
    how.lanes = lanesPart(program, settings);
    how.ordersSums = how.lanes != nullptr;
    how.kernels = kernelLibrary(program, settings, KernelsFor::Here);
    if (program.context.diags.hasErrors()) return std::nullopt;
    const plan::Plan& plan = how.device ? how.device->parts->plan : *program.plan;
    codegen::Module module =
        codegen::lower(program.context, *program.program.types, program.module, plan, how);
    checkKernels(program, how, module);
    checkSplit(program, settings);
    codegen::optimize(module, how);
    std::vector<codegen::Site> sites = module.sites();
    std::vector<plan::TimedSteps> timed = module.timedSteps();
    std::vector<plan::Handler> handlers = module.handlers();
    base::Result<codegen::Jit> loaded = codegen::Jit::load(std::move(module), how);
    if (!loaded) return std::nullopt;
    return Code{std::move(*loaded), std::move(sites), std::move(timed), std::move(handlers)};
}

std::string whyInterpreted(const Compilation& program, const interp::Options& options) {
    if (std::string why = host::whyNot(options); !why.empty()) return why;
    std::string why = program.plan ? codegen::whyNot(program.module, *program.plan)
                                   : plan::whyNot(program.elaboration);
    return why.empty() ? "there is no machine code for it in this process" : why;
}

void checkInterpreted(Compilation& program, const Settings& settings,
                      const interp::Options& options) {
    const std::string why = settings.interpret ? "'--interpret' asks for none of its machine code"
                                               : whyInterpreted(program, options);
    checkDevice(program, settings, why);
    checkKernels(program, settings, why);
}

std::unique_ptr<profile::Gathered> makeProfile(const Compilation& program, const Code* code,
                                               const interp::Options& options) {
    if (!code)
        return std::make_unique<profile::Gathered>(
            profile::tablesOf(program.interpretedProgram(), program.interpretedQuota()), 1);
    const strc_program& made = code->jit.program();
    const std::uint32_t threads = options.workers ? options.workers : strc_processors();
    return std::make_unique<profile::Gathered>(
        profile::tablesOf(*program.plan, program.firingQuota(), code->timed),
        made.chunks ? threads : 1);
}

interp::Outcome run(Compilation& program, const Code* code, const interp::Options& options) {
    if (code)
        return host::run(
            program.context, *program.plan,
            {program.module, program.elaboration, program.repetitions, *program.program.types},
            code->jit.program(), code->sites, options);
    interp::Options all = options;
    if (program.before)
        all.written = {&program.elaboration.graph, &program.repetitions,
                       &program.before->plan.program->graph};
    return interp::run(program.context, program.module, program.interpretedProgram(),
                       program.interpretedQuota(), *program.program.types, all);
}

}  // namespace strc::session
