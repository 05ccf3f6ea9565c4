#include "elab/detail/runner.h"

#include <fstream>
#include <vector>

#include "eval/natives.h"
#include "tensor/statics.h"

namespace strc::elab {

using base::Diag;

namespace {

constexpr std::streamsize kPiece = 1 << 16;

}  // namespace

Runner::Runner(base::Context& context, const ir::Module& module, types::TypeTable& types,
               const Environment& environment, types::Random& random)
    : context(context),
      module(module),
      types(types),
      environment(environment),
      generator(random),
      machine(context.limits),
      files(context, types) {
    machine.stepsLeft = context.limits.elaborationSteps;
    machine.interrupt = environment.interrupt;
}

void Runner::print(std::string_view text) {
    if (environment.print) environment.print(text);
}

base::Result<std::string> Runner::readFile(const std::string& name, base::SourceRange range) {
    std::ifstream file(pathOf(context.sources, name, range), std::ios::binary);
    if (!file) return base::Failure{"no such file here or beside the source"};
    std::string text;
    std::vector<char> piece(kPiece);
    while (file.read(piece.data(), kPiece), file.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > context.limits.arrayBytes)
            return base::Failure{"it has more than " + std::to_string(context.limits.arrayBytes) +
                                 " bytes"};
    }
    if (file.bad()) return base::Failure{"it cannot be read"};
    return text;
}

base::Result<std::int32_t> Runner::fileNumber(const ir::FileQuestion& question,
                                              const std::string& name, std::int32_t other,
                                              base::SourceRange range) {
    if (question.what == ir::FileQuestion::Items) return files.count(question, name, other, range);
    const bool isRate = question.what == ir::FileQuestion::Rate;
    if (question.reader != types::BuiltinStream::None) {
        base::Result<std::int32_t> told = files.tell(question, name, range);
        if (told) takeSound(name, isRate, *told);
        return told;
    }
    const GivenSound& sound = environment.sound;
    if (const int known = isRate ? sound.rate : sound.channels; known != 0) return known;
    if (other != ir::kNoDefault) {
        takeSound({}, isRate, other);
        return other;
    }
    return base::failure(Diag::SoundUnknown, {name + "()", sound.why});
}

base::Result<std::string> Runner::readItems(const ir::FileQuestion& question,
                                            const std::string& name, std::int32_t channel,
                                            base::SourceRange range) {
    return files.items(question, name, channel, range);
}

std::optional<eval::Trap> Runner::callNative(const ir::Native& native,
                                             std::span<std::uint64_t> args, std::uint64_t& result) {
    if (environment.natives) return environment.natives->call(native, args, result);
    return Host::callNative(native, args, result);
}

/// The table says whether it is an error.
void Runner::warn(const eval::Trap& trap) {
    base::Diagnostic& report = context.diags.add(trap.id, trap.range).in(where());
    for (const std::string& arg : trap.args) report << arg;
    explain(report, trap);
}

bool Runner::runBody(const ir::Body& body, eval::Instance& instance) {
    return run(body, instance).has_value();
}

std::optional<Value> Runner::evaluate(const ir::Body& body, eval::Instance& instance) {
    std::optional<eval::RunResult> result = run(body, instance);
    return result ? result->value : std::nullopt;
}

std::optional<eval::RunResult> Runner::run(const ir::Body& body, eval::Instance& instance) {
    eval::CodePtr& code = codes[&body];
    if (!code) code = eval::compile(module, instance.code, body, types);
    // Many short bodies: each alone ends before the machine looks.
    if (environment.interrupt && *environment.interrupt) return std::nullopt;
    eval::Firing firing;
    eval::RunResult result = machine.run(*code, instance, firing);
    if (result.outcome == eval::Outcome::Done) return result;
    if (result.trap) warn(*result.trap);
    return std::nullopt;
}

namespace {

/// Static items are bodies that live only while they run; each gets a runner of its own.
class StaticRunner final : public Runner {
public:
    using Runner::Runner;

    /// `around`: what the body's stored arrays belong to, or null.
    bool runItem(const ir::Body& body, const ir::StreamCode* around, ir::Module& program) {
        eval::Instance instance;
        instance.module = &module;
        instance.code = around;
        instance.globals = &program.globalValues;
        instance.host = this;
        return runBody(body, instance);
    }
};

/// While an item runs the tensors among the globals that it gives a value are arrays.
class TensorsAsArrays {
public:
    TensorsAsArrays(ir::Module& program, const std::map<std::uint32_t, const Type*>& given,
                    types::TypeTable& types)
        : module(program), given(given) {
        for (const auto& [global, type] : given) {
            ir::Variable& variable = module.globals[global];
            declared.emplace(global, variable.type);
            variable.type = tensor::storageOf(type, types);
            module.globalValues[global] = Value::zero(variable.type);
        }
    }
    ~TensorsAsArrays() {
        for (const auto& [global, type] : given) {
            module.globals[global].type = declared.at(global);
            module.globalValues[global].type = type;
        }
    }
    TensorsAsArrays(const TensorsAsArrays&) = delete;
    TensorsAsArrays& operator=(const TensorsAsArrays&) = delete;

private:
    ir::Module& module;
    const std::map<std::uint32_t, const Type*>& given;
    std::map<std::uint32_t, const Type*> declared;
};

void report(base::Context& context, const tensor::Fault& fault) {
    if (fault.refusal) {
        base::Diagnostic& diag = base::report(context.diags, *fault.refusal, fault.range);
        if (!fault.similar.empty()) diag.note(Diag::DidYouMean) << fault.similar;
        return;
    }
    base::Diagnostic& diag =
        context.diags.add(fault.isUnknown ? Diag::TensorUnknown : Diag::TensorShape, fault.range);
    diag << fault.subject;
    if (!fault.isUnknown) diag << fault.why;
}

}  // namespace

bool runStatic(base::Context& context, ir::Module& module, const ir::Body& body,
               types::TypeTable& types, const Environment& environment, types::Random& random) {
    StaticRunner runner(context, module, types, environment, random);
    if (!tensor::computesWithTensors(module, body)) return runner.runItem(body, nullptr, module);
    const tensor::StaticItem item = tensor::expandStatic(module, body, environment.weights, types);
    for (const tensor::Fault& fault : item.faults) report(context, fault);
    if (!item.faults.empty()) return false;
    const TensorsAsArrays arrays(module, item.given, types);
    return runner.runItem(item.body, &item.around, module);
}

}  // namespace strc::elab
