#include "tensor/statics.h"

#include <algorithm>

#include "tensor/detail/expansion.h"

namespace strc::tensor {
namespace {

using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TypeKind;

template <typename Visit>
void forEachGlobal(const Body& body, Visit visit) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            const bool hasOne =
                instr.op == Op::Load || instr.op == Op::Store || instr.op == Op::Declare;
            if (hasOne && instr.var.space == Space::Global) visit(instr);
        }
}

/// Puts local variables in the place of tensors and integers among the globals: the values of the latter
/// may decide on shapes.
class Locals {
public:
    Locals(const ir::Module& program, Body& item) : module(program), body(item) {}

    void take() {
        forEachGlobal(body, [this](const Instr& instr) { add(instr); });
        std::vector<Instr> before;
        std::vector<Instr> after;
        for (const auto& [global, local] : locals) {
            const bool isTensorOne = isTensor(typeOf(global));
            if (isTensorOne && !declared.contains(global)) begin(global, local, before);
            if (!isTensorOne) enter(global, local, before);
            if (isTensorOne && isGiven(global)) leave(global, local, after);
        }
        for (ir::Block& block : body.blocks) replace(block.instrs);
        std::vector<Instr>& instrs = body.blocks[body.entry].instrs;
        instrs.insert(instrs.begin(), before.begin(), before.end());
        instrs.insert(instrs.end(), after.begin(), after.end());
    }

private:
    const Type* typeOf(std::uint32_t global) const { return module.globals[global].type; }

    void add(const Instr& instr) {
        const std::uint32_t global = instr.var.index;
        const Type* type = typeOf(global);
        const bool isInteger =
            type->is(TypeKind::Int) || type->is(TypeKind::Bit) || type->is(TypeKind::Boolean);
        if (!isTensor(type) && !isInteger) return;
        if (instr.op == Op::Store) stored.insert(global);
        if (instr.op == Op::Declare) declared.insert(global);
        if (!locals.try_emplace(global, static_cast<std::uint32_t>(body.locals.size())).second)
            return;
        body.locals.push_back({module.globals[global].name, type, instr.range});
    }

    bool isGiven(std::uint32_t global) const {
        return stored.contains(global) || (declared.contains(global) && isConcrete(typeOf(global)));
    }

    Instr& emit(std::vector<Instr>& to, Op op, const Type* type, VarRef var) {
        Instr& made = to.emplace_back();
        made.op = op;
        made.type = type;
        made.var = var;
        made.range = body.range;
        return made;
    }

    Reg result(Instr& of, const Type* type) {
        of.result = static_cast<Reg>(body.regs.size());
        body.regs.push_back({type, false});
        return of.result;
    }

    void move(std::vector<Instr>& to, const Type* type, VarRef from, VarRef target) {
        const Reg value = result(emit(to, Op::Load, type, from), type);
        emit(to, Op::Store, type, target).operands = {value};
    }

    /// A tensor as an item before has left it.
    void begin(std::uint32_t global, std::uint32_t local, std::vector<Instr>& to) {
        emit(to, Op::Declare, nullptr, {Space::Local, local});
        const Type* type = module.globalValues[global].type;
        if (type) move(to, type, {Space::Global, global}, {Space::Local, local});
    }

    void enter(std::uint32_t global, std::uint32_t local, std::vector<Instr>& to) {
        const Type* type = typeOf(global);
        Instr& made = emit(to, Op::Const, type, {});
        made.value = module.globalValues[global];
        const Reg value = result(made, type);
        emit(to, Op::Store, type, {Space::Local, local}).operands = {value};
    }

    void leave(std::uint32_t global, std::uint32_t local, std::vector<Instr>& to) {
        move(to, typeOf(global), {Space::Local, local}, {Space::Global, global});
    }

    /// Functions that the item calls see integers, not tensors: these are written at once.
    void replace(std::vector<Instr>& instrs) const {
        std::vector<Instr> made;
        for (Instr& instr : instrs) {
            const bool hasOne =
                instr.op == Op::Load || instr.op == Op::Store || instr.op == Op::Declare;
            auto found = hasOne && instr.var.space == Space::Global ? locals.find(instr.var.index)
                                                                    : locals.end();
            if (found == locals.end()) {
                made.push_back(std::move(instr));
                continue;
            }
            const bool isBoth = instr.op != Op::Load && !isTensor(typeOf(found->first));
            if (isBoth) made.push_back(instr);
            made.push_back(std::move(instr));
            made.back().var = {Space::Local, found->second};
        }
        instrs = std::move(made);
    }

    const ir::Module& module;
    Body& body;
    std::map<std::uint32_t, std::uint32_t> locals;  ///< by global
    std::set<std::uint32_t> stored;
    std::set<std::uint32_t> declared;  ///< here, and not by an item before
};

}  // namespace

bool computesWithTensors(const ir::Module& module, const Body& item) {
    bool found = usesTensors(item);
    forEachGlobal(item, [&](const Instr& instr) {
        found = found || isTensor(module.globals[instr.var.index].type);
    });
    return found;
}

StaticItem expandStatic(const ir::Module& module, const Body& item, weights::Source* weights,
                        types::TypeTable& types) {
    StaticItem made;
    Body body = item;
    Locals(module, body).take();
    ExpansionInput in;
    in.weights = weights;
    in.mayStore = true;
    in.natives = module.natives;
    in.module = &module;
    in.isStaticItem = true;
    ExpansionState state;
    Expanded expanded = expandBody(made.around, body, in, state, types);
    if (expanded.fault) state.missing.push_back(std::move(*expanded.fault));
    made.body = std::move(expanded.body);
    made.around.stored = std::move(state.stored);
    made.given = std::move(state.given);
    made.faults = std::move(state.missing);
    return made;
}

}  // namespace strc::tensor
