#include "codegen/lower.h"

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/instrument.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/state_pieces.h"
#include "codegen/detail/target.h"

namespace strc::codegen {

Module::Module(std::unique_ptr<Impl> made) : impl(std::move(made)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

const std::vector<Site>& Module::sites() const { return impl->sites; }
const std::vector<StoredSymbol>& Module::stored() const { return impl->stored; }
const std::vector<StartPanels>& Module::startPanels() const { return impl->startPanels; }
const std::vector<plan::TimedSteps>& Module::timedSteps() const { return impl->timedSteps; }
const std::vector<plan::Handler>& Module::handlers() const { return impl->handlers; }
std::size_t Module::kernelCount() const { return impl->kernelCount; }

namespace {

std::string whyNot(const ir::Body& body) {
    for (const ir::Block& block : body.blocks) {
        for (const ir::Instr& instr : block.instrs) {
            if (ir::readsFile(instr.op)) return "a filter reads an array while it runs";
        }
    }
    return {};
}

}  // namespace

std::string whyNot(const ir::Module& program, const plan::Plan& plan) {
    if (std::string why = whyNotHere(); !why.empty()) return why;
    for (const elab::Kernel& kernel : plan.program->kernels)
        for (const ir::Body* body : ir::bodiesThatRun(program, kernel.code))
            if (std::string why = whyNot(*body); !why.empty()) return why;
    return {};
}

std::string symbolOf(const ir::Native& native) { return native.package + '_' + native.name; }

namespace {

/// A `strc_lanes`.
llvm::Constant* emitLanes(ModuleBuilder& m, const LanesPart& part) {
    llvm::Constant* none = llvm::ConstantPointerNull::get(m.ptr());
    llvm::GlobalVariable* program = emitProgram(m, "strc_lanes_program", {none, none});
    program->setLinkage(llvm::GlobalValue::InternalLinkage);
    auto number = [&](std::int64_t value) {
        return llvm::ConstantInt::get(m.i64(), static_cast<std::uint64_t>(value));
    };
    std::vector<llvm::Constant*> rows;
    for (const plan::LanePiece& piece : part.pieces)
        rows.push_back(llvm::ConstantStruct::getAnon(
            {number(piece.at), number(piece.inLanes), number(piece.bytes), number(piece.count)}));
    const Rows pieces = rowsOf(m, rows, "lane_pieces");
    const std::vector<std::int64_t>& fields = part.plan->fields;
    const bool hasState =
        std::any_of(fields.begin(), fields.end(), [](std::int64_t at) { return at >= 0; });
    return m.constantData(llvm::ConstantStruct::getAnon(
                              {program, number(part.lanes), number(hasState ? 1 : 0),
                               llvm::ConstantInt::get(m.i64(), pieces.count), pieces.table}),
                          "lanes");
}

}  // namespace

Module lower(base::Context& context, types::TypeTable& types, const ir::Module& program,
             const plan::Plan& plan, const Options& options) {
    base::Timing timing(context.passes, base::Pass::Codegen);
    auto impl = std::make_unique<Module::Impl>();
    impl->passes = &context.passes;
    impl->gate = passGate(context.passes);
    impl->context->setOptPassGate(*impl->gate);
    impl->module = std::make_unique<llvm::Module>("strc", *impl->context);
    if (options.device) impl->sites = options.device->sites;
    auto machine = targetMachine(options);
    impl->vectorFloats = vectorFloats(*machine);
    impl->vectorDoubles = vectorDoubles(*machine, options);
    impl->target = targetModel(*machine);
    impl->module->setTargetTriple(machine->getTargetTriple().str());
    impl->module->setDataLayout(machine->createDataLayout());
    ModuleBuilder builder(context, types, program, plan, options, *impl);
    llvm::Constant* none = llvm::ConstantPointerNull::get(builder.ptr());
    Companions companions{none, none};
    Options alone = options;
    std::optional<ModuleBuilder> other;
    if (options.device && options.device->fallback) {
        alone.device = nullptr;
        other.emplace(context, types, program, *options.device->fallback, alone, *impl);
        llvm::GlobalVariable* made = emitProgram(*other, "strc_fallback", companions);
        made->setLinkage(llvm::GlobalValue::InternalLinkage);
        companions.fallback = made;
    }
    std::optional<ModuleBuilder> inLanes;
    if (options.lanes) {
        alone.lanes = nullptr;
        inLanes.emplace(context, types, program, *options.lanes->plan, alone, *impl);
        companions.lanes = emitLanes(*inLanes, *options.lanes);
    }
    emitProgram(builder, "strc_program", companions);
    impl->handlers = builder.messages.handlerRows();
    if (options.isInterrupted()) return Module(std::move(impl));
    if (builder.debug) builder.debug->finish();
    limitEffort(*impl, plan.tapes);
    for (llvm::Function& function : *impl->module) {
        if (function.isDeclaration()) continue;
        function.addFnAttr("target-cpu", machine->getTargetCPU());
        function.addFnAttr("target-features", machine->getTargetFeatureString());
        if (options.fastMath)  // strc_program::flushes_subnormals
            function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
        // Else LLVM takes half of them: the first whole ones slow some processors down. Tiles have them anyway.
        if (impl->prefersWholeVectors)
            function.addFnAttr("prefer-vector-width", std::to_string(8 * impl->target.vectorBytes));
    }
#ifdef STRC_CHECKED
    std::string faults;
    llvm::raw_string_ostream out(faults);
    if (llvm::verifyModule(*impl->module, &out)) {
        llvm::errs() << faults << '\n';
        STRC_UNREACHABLE("malformed LLVM module");
    }
#endif
    return Module(std::move(impl));
}

std::string printLlvm(const Module& made) {
    std::string text;
    llvm::raw_string_ostream out(text);
    made.impl->module->print(out, nullptr);
    return text;
}

}  // namespace strc::codegen
