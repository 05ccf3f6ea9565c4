#include "opt/run_on_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "opt/registry.h"

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

bool runsOnText(base::Pass id) { return rowOf(id).onKernel != nullptr; }

std::optional<std::string> runOnText(base::Context& context, base::BufferId buffer,
                                     std::span<const base::Pass> passes) {
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
