// Which variables of a body a debugger sees.

#include "codegen/detail/debug_variables.h"

#include "strc/runtime.h"

namespace strc::codegen {

namespace {

/// Registers can be debugged only where LLVM can say what is in them.
void showConstants(BodyContext& c, const elab::Kernel& made) {
    for (std::uint32_t k = 0; k < c.code->constants.size(); ++k) {
        const types::Value& value = made.constants[k];
        if (!value.type || !types::isConcrete(value.type)) continue;
        const bool isPlain = value.type->isScalar() && !value.type->isFloatN() &&
                             !value.type->is(TypeKind::Complex) &&
                             !value.type->is(TypeKind::String);
        if (const std::uint32_t slot = c.code->openSlot(k); slot != ir::kNone)
            c.debug->behind(
                c.param(kEnv),
                {offsetof(strc_env, parameters), std::uint64_t{slot} * STRC_PARAMETER_BYTES},
                c.code->constants[k].name, c.code->constants[k].range,
                c.m.debug->fixed(value.type));
        else if (isPlain)
            c.debug->constant(c.code->constants[k], value.type, c.m.constant(value), nullptr);
        else if (!value.type->is(TypeKind::String))
            c.debug->constant(c.code->constants[k], value.type, nullptr,
                              llvm::cast<llvm::GlobalVariable>(c.m.bytes(value.bytes)));
    }
}

}  // namespace

void beginDebug(BodyContext& c) {
    if (!c.m.debug) return;
    const bool isOwn = c.code != nullptr;
    const std::string filter = isOwn && c.code->name.empty() ? "filter" : isOwn ? c.code->name : "";
    c.debug = std::make_unique<BodyDebug>(
        *c.m.debug, *c.function, isOwn ? filter + "." + c.body.name : c.body.name, c.body, c.entry);
    c.b.SetCurrentDebugLocation(c.debug->begin());
    c.debug->instance(c.param(kNode));
}

void showVariables(BodyContext& c) {
    if (!c.debug) return;
    c.debug->counter("strc_popped", c.popped);
    c.debug->counter("strc_pushed", c.pushed);
    if (!c.kernel.kernel || !c.code) return;
    const elab::Kernel& made = *c.kernel.kernel;
    // Windows move from firing to firing: what is left of them after optimisation is wrong more often
    // than right.
    const bool hasWindows = !c.queued && !c.kernel.dealtIn && !c.kernel.dealtOut &&
                            c.m.plan.tapes == plan::Tapes::Linear;
    auto show = [&](const char* name, const Type* type, unsigned side, std::int64_t items) {
        if (items > 0 && c.m.debug->keepsAll() && hasWindows)
            c.debug->behind(c.param(side), {0}, name, c.body.range, c.m.debug->items(type, items));
    };
    show("strc_input", made.input, kIn, c.rates.peek.max);
    show("strc_output", made.output, kOut, c.rates.push.max);
    for (std::size_t k = 0; k < made.fieldTypes.size(); ++k) {
        const ir::Variable& field = c.code->fields[k];
        if (field.name.empty() || !types::isConcrete(made.fieldTypes[k])) continue;
        c.debug->behind(c.param(kFields), {static_cast<std::uint64_t>(made.fieldOffsets[k])},
                        field.name, field.range, c.m.debug->type(made.fieldTypes[k]));
    }
    showConstants(c, made);
}

void showLocal(BodyContext& c, std::vector<Instr>::const_iterator at,
               std::vector<Instr>::const_iterator end) {
    if (!c.debug || at->var.space != ir::Space::Local || at->var.index == ir::kNone ||
        at->var.index < c.body.params || !c.debug->isNew(at->var.index))
        return;
    const LocalStorage& local = c.locals[at->var.index];
    const bool isPointer = local.address != nullptr;
    c.debug->local(at->var.index, isPointer ? local.address : local.memory, isPointer, at + 1, end,
                   c.b.GetInsertBlock());
}

}  // namespace strc::codegen
