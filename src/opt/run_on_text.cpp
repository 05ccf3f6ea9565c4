#include "opt/run_on_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "opt/registry.h"
#include "pass/run.h"
#include "pass/text.h"
#include "pass/verify.h"

namespace strc::opt {
namespace {

const pass::Row& rowOf(base::Pass id) { return passTable()[static_cast<std::size_t>(id)]; }

/// Reports what is not well formed.
bool isWellFormed(base::Context& context, base::BufferId buffer, const ir::Module& module) {
    const std::vector<ir::Fault> faults = ir::faultsOf(module);
    for (const ir::Fault& fault : faults)
        context.diags.add(base::Diag::MalformedInput, fault.range)
            << context.sources.name(buffer) << "IR" << fault.text;
    return faults.empty();
}

void runOn(const pass::Context& context, ir::StreamCode& code, std::span<const base::Pass> passes) {
    elab::Kernel kernel = kernelOf(std::move(code));
    for (const base::Pass id : passes) {
        rowOf(id).onKernel(context, kernel);
        for (const std::string& fault : ir::verify(context.module, &kernel.code, *kernel.code.work))
            STRC_ASSERT(false, std::string(base::info(id).name) + ": " + fault);
    }
    code = std::move(kernel.code);
    code.open.clear();
}

bool isOnPrograms(base::Pass id) {
    const bool isPass = base::info(id).kind == base::PassKind::Pass;
    return rowOf(id).onProgram || (isPass && base::levelOf(id) == base::PassLevel::Kernel);
}

/// Reports a pass that does not run on what the text is of.
bool fits(base::Context& context, base::BufferId buffer, std::span<const base::Pass> passes,
          bool isProgram) {
    for (const base::Pass id : passes) {
        if (isProgram ? isOnPrograms(id) : rowOf(id).onKernel != nullptr) continue;
        context.diags.add(base::Diag::MalformedInput)
            << context.sources.name(buffer) << "IR"
            << std::string(base::info(id).name) +
                   (isProgram ? " runs on filters alone, and this is a whole program"
                              : " runs on whole programs, and there is no line 'program'");
        return false;
    }
    return true;
}

std::optional<std::string> runOnProgram(base::Context& context, base::BufferId buffer,
                                        std::span<const base::Pass> passes) {
    types::TypeTable types;
    std::optional<pass::ReadProgram> read = pass::parseProgram(context, buffer, types);
    if (!read) return std::nullopt;
    const pass::Options options;
    const target::Model target;
    const pass::Context around{context, read->module, types, options, target};
    for (const base::Pass id : passes) {
        auto made = pass::runPasses(around, read->program, {&rowOf(id), 1});
        if (!made) continue;
        for (const std::string& fault : pass::verify(read->module, *made))
            STRC_ASSERT(false, std::string(base::info(id).name) + ": " + fault);
        read->program = std::move(*made);
    }
    return pass::print(read->module, read->program);
}

}  // namespace

elab::Kernel kernelOf(ir::StreamCode code) {
    elab::Kernel kernel;
    kernel.input = code.input;
    kernel.output = code.output;
    for (const ir::Variable& field : code.fields) {
        const bool isTensor = field.type->is(types::TypeKind::Tensor);
        kernel.fieldTypes.push_back(field.type);
        kernel.fieldOffsets.push_back(0);
        kernel.tensors.push_back(isTensor && types::isConcrete(field.type) ? field.type : nullptr);
        kernel.storedTensors.push_back(ir::kNone);
    }
    code.open.assign(code.constants.size(), 0);
    kernel.code = std::move(code);
    return kernel;
}

bool runsOnText(base::Pass id) { return rowOf(id).onKernel || rowOf(id).onProgram; }

std::optional<std::string> runOnText(base::Context& context, base::BufferId buffer,
                                     std::span<const base::Pass> passes) {
    const bool isProgram = pass::isProgramText(context.sources.text(buffer));
    if (!fits(context, buffer, passes, isProgram)) return std::nullopt;
    if (isProgram) return runOnProgram(context, buffer, passes);
    types::TypeTable types;
    std::optional<ir::Module> module = ir::parse(context, buffer, types);
    if (!module || !isWellFormed(context, buffer, *module)) return std::nullopt;
    const pass::Options options;
    const target::Model target;
    const pass::Context around{context, *module, types, options, target};
    for (ir::StreamCode& code : module->streams)
        if (code.work) runOn(around, code, passes);
    return ir::print(*module);
}

}  // namespace strc::opt
