#include "elab/runner.h"

#include <fstream>
#include <sstream>

#include "eval/natives.h"

namespace strc::elab {

using base::Diag;

Runner::Runner(base::Context& context, const ir::Module& module, types::TypeTable& types,
               const Surroundings& surroundings, types::Random& random)
    : context(context), module(module), types(types), surroundings(surroundings),
      generator(random), machine(context.limits) {
    machine.stepsLeft = context.limits.elaborationSteps;
    machine.interrupt = surroundings.interrupt;
}

void Runner::print(std::string_view text) {
    if (surroundings.print) surroundings.print(text);
}

base::Result<std::string> Runner::readFile(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    for (const std::string& folder : surroundings.searchPaths) {
        if (file) break;
        file = std::ifstream(folder + '/' + name, std::ios::binary);
    }
    if (!file) return base::Failure{"no such file here or beside the source"};
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

std::optional<eval::Trap> Runner::callNative(const ir::Native& native, std::span<std::uint64_t> args,
                                             std::uint64_t& result) {
    if (surroundings.natives) return surroundings.natives->call(native, args, result);
    return Host::callNative(native, args, result);
}

/// The table says whether it is an error.
void Runner::warn(const eval::Trap& trap) {
    base::Diagnostic& report = context.diags.add(trap.id, trap.range).in(where());
    for (const std::string& arg : trap.args) report << arg;
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

    bool runItem(const ir::Body& body, std::vector<Value>& globals) {
        eval::Instance instance;
        instance.module = &module;
        instance.globals = &globals;
        instance.host = this;
        return runBody(body, instance);
    }
};

}  // namespace

bool runStatic(base::Context& context, ir::Module& module, const ir::Body& body,
               types::TypeTable& types, const Surroundings& surroundings, types::Random& random) {
    return StaticRunner(context, module, types, surroundings, random).runItem(body, module.globalValues);
}

}  // namespace strc::elab
