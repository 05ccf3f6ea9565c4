// Which variables of a body a debugger sees.

#include "codegen/detail/body_emitter.h"
#include "strc/runtime.h"

namespace strc::codegen {

void BodyEmitter::beginDebug() {
    if (!m.debug) return;
    const bool isOwn = code != nullptr;
    const std::string filter = isOwn && code->name.empty() ? "filter" : isOwn ? code->name : "";
    debug = std::make_unique<BodyDebug>(*m.debug, *function,
                                        isOwn ? filter + "." + body.name : body.name, body, entry);
    b.SetCurrentDebugLocation(debug->begin());
    debug->instance(param(kNode));
}

/// After parameters and counters have their places.
void BodyEmitter::showVariables() {
    if (!debug) return;
    debug->counter("strc_popped", popped);
    debug->counter("strc_pushed", pushed);
    if (!kernel.kernel || !code) return;
    const elab::Kernel& made = *kernel.kernel;
    // Windows move from firing to firing: what is left of them after optimisation is wrong more often
    // than right.
    const bool hasWindows =
        !queued && !kernel.dealtIn && !kernel.dealtOut && m.plan.tapes == plan::Tapes::Linear;
    auto show = [&](const char* name, const Type* type, unsigned side, std::int64_t items) {
        if (items > 0 && m.debug->keepsAll() && hasWindows)
            debug->behind(param(side), {0}, name, body.range, m.debug->items(type, items));
    };
    show("strc_input", made.input, kIn, rates.peek.max);
    show("strc_output", made.output, kOut, rates.push.max);
    for (std::size_t k = 0; k < made.fieldTypes.size(); ++k) {
        const ir::Variable& field = code->fields[k];
        if (field.name.empty() || !types::isConcrete(made.fieldTypes[k])) continue;
        debug->behind(param(kFields), {static_cast<std::uint64_t>(made.fieldOffsets[k])},
                      field.name, field.range, m.debug->type(made.fieldTypes[k]));
    }
    showConstants(made);
}

/// Registers can be debugged only where LLVM can say what is in them.
void BodyEmitter::showConstants(const elab::Kernel& made) {
    for (std::uint32_t k = 0; k < code->constants.size(); ++k) {
        const types::Value& value = made.constants[k];
        if (!value.type || !types::isConcrete(value.type)) continue;
        const bool isPlain = value.type->isScalar() && !value.type->isFloatN() &&
                             !value.type->is(TypeKind::Complex) &&
                             !value.type->is(TypeKind::String);
        if (const std::uint32_t slot = code->openSlot(k); slot != ir::kNone)
            debug->behind(
                param(kEnv),
                {offsetof(strc_env, parameters), std::uint64_t{slot} * STRC_PARAMETER_BYTES},
                code->constants[k].name, code->constants[k].range, m.debug->fixed(value.type));
        else if (isPlain)
            debug->constant(code->constants[k], value.type, m.constant(value), nullptr);
        else if (!value.type->is(TypeKind::String))
            debug->constant(code->constants[k], value.type, nullptr,
                            llvm::cast<llvm::GlobalVariable>(m.bytes(value.bytes)));
    }
}

/// The life of a local begins where it is first used.
void BodyEmitter::showLocal(std::vector<Instr>::const_iterator at,
                            std::vector<Instr>::const_iterator end) {
    if (!debug || at->var.space != ir::Space::Local || at->var.index == ir::kNone ||
        at->var.index < body.params || !debug->isNew(at->var.index))
        return;
    const LocalStorage& local = locals[at->var.index];
    const bool isPointer = local.address != nullptr;
    debug->local(at->var.index, isPointer ? local.address : local.memory, isPointer,
                 at + 1, end, b.GetInsertBlock());
}

}  // namespace strc::codegen
