// The pass `fold-tensors`: what depends on weights and constants alone is computed now, by the evaluator, and is a stored
// array of its own from then on.

#include <algorithm>
#include <cstring>
#include <set>

#include "eval/eval.h"
#include "ir/specialize.h"
#include "opt/detail/tensor_body.h"
#include "opt/detail/tensor_constants.h"
#include "opt/detail/tensor_passes.h"
#include "tensor/expand.h"
#include "tensor/node.h"

namespace strc::opt {
namespace {

using elab::Kernel;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::Type;

/// Results may be so large whatever they are made of; larger ones no larger than that.
constexpr std::int64_t kSmall = 64 * 1024;

/// Only says where elements are, or is as quickly made as loaded.
bool isCheap(const Instr& instr) {
    return instr.op != Op::Tensor || tensor::isView(instr.tensor) || tensor::isMade(instr.tensor) ||
           instr.tensor == TensorFn::FromScalar;
}

class Evaluation {
public:
    Evaluation(const base::Limits& most, const ir::Module& whole, types::TypeTable& table)
        : limits(most), module(whole), types(table) {}

    /// The elements of a register of the first block, which is known; null: it cannot be computed.
    std::shared_ptr<const std::byte> of(const Kernel& kernel, Reg root, const Type* type) {
        ir::StreamCode code = codeFor(kernel, root, type);
        tensor::Fields fields{kernel.tensors, kernel.storedTensors, {}};
        fields.types.push_back(type);
        fields.stored.push_back(ir::kNone);
        if (tensor::expandWork(code, {kernel.constants, {}, fields}, {}, types)) return nullptr;
        eval::Instance run;
        run.module = &module;
        run.code = &code;
        run.constants = kernel.constants;
        run.fieldTypes = kernel.fieldTypes;
        run.fieldTypes.push_back(code.fields.back().type);
        run.fieldOffsets = kernel.fieldOffsets;
        const std::int64_t at = (kernel.stateSize + kAlignment - 1) / kAlignment * kAlignment;
        run.fieldOffsets.push_back(at);
        const std::int64_t size = types::sizeOf(run.fieldTypes.back());
        run.state.resize(static_cast<std::size_t>(at + size));
        eval::Host host;
        run.host = &host;
        eval::Machine machine(limits);
        eval::Firing firing;
        const eval::CodePtr compiled =
            eval::compile(module, &code, *code.work, types, run.fieldOffsets);
        if (machine.fire(*compiled, run, firing) != eval::Outcome::Done) return nullptr;
        std::shared_ptr<std::byte[]> bytes(new std::byte[static_cast<std::size_t>(size) + 1]);
        std::memcpy(bytes.get(), run.state.data() + at, static_cast<std::size_t>(size));
        return {bytes, bytes.get()};
    }

private:
    static constexpr std::int64_t kAlignment = 16;

    /// What the register needs, and its way into a field behind all others.
    ir::StreamCode codeFor(const Kernel& kernel, Reg root, const Type* type) const {
        const ir::Body& from = *kernel.code.work;
        ir::StreamCode code;
        code.name = kernel.code.name;
        code.fields = kernel.code.fields;
        code.fields.push_back({"", type, {}});
        code.constants = kernel.code.constants;
        code.stored = kernel.code.stored;
        code.setup.blocks.emplace_back();
        ir::Body& body = code.work.emplace();
        body.name = "work";
        body.kind = ir::BodyKind::Work;
        body.regs = from.regs;
        body.blocks.emplace_back();
        std::set<Reg> needed{root};
        std::vector<Instr>& instrs = body.blocks[0].instrs;
        const std::vector<Instr>& all = from.blocks[from.entry].instrs;
        for (auto instr = all.rbegin(); instr != all.rend(); ++instr) {
            if (instr->result == ir::kNone || !needed.contains(instr->result)) continue;
            needed.insert(instr->operands.begin(), instr->operands.end());
            instrs.push_back(*instr);
        }
        std::reverse(instrs.begin(), instrs.end());
        Instr store;
        store.op = Op::Store;
        store.type = type;
        store.var = {Space::Field, static_cast<std::uint32_t>(code.fields.size() - 1)};
        store.operands = {root};
        instrs.push_back(std::move(store));
        return code;
    }

    const base::Limits& limits;
    const ir::Module& module;
    types::TypeTable& types;
};

class Folder {
public:
    Folder(Kernel& of, Evaluation& how, types::TypeTable& table)
        : kernel(of),
          evaluation(how),
          facts(factsOf(of, table)),
          isConstant(findConstants(of)),
          types(table) {}

    bool run() {
        for (Reg root : roots()) fold(root);
        if (!changes) return false;
        ir::fold(*kernel.code.work);  // what nobody needs any more
        return true;
    }

private:
    /// What is known and costs something to make, where it is not merely part of such a thing.
    std::set<Reg> roots() const {
        const ir::Body& body = *kernel.code.work;
        std::set<Reg> found;
        for (ir::BlockId block = 0; block < body.blocks.size(); ++block)
            for (const Instr& instr : body.blocks[block].instrs) {
                const bool isPart = block == body.entry && instr.result != ir::kNone &&
                                    isConstant[instr.result] && !isCheap(instr) && !widens(instr);
                if (isPart) continue;
                for (Reg operand : instr.operands)
                    if (canBe(operand)) found.insert(operand);
            }
        return found;
    }

    /// Narrow elements are smaller as they are, and products take them so.
    bool widens(const Instr& instr) const {
        if (instr.op != Op::Tensor || instr.tensor != TensorFn::Cast) return false;
        const Type *from = facts.types[instr.operands[0]], *to = facts.types[instr.result];
        return from && to && tensor::isWidening(from->element, to->element);
    }

    bool canBe(Reg reg) const {
        if (!isConstant[reg] || !facts.types[reg] || isCheap(*facts.makers[reg])) return false;
        if (widens(*facts.makers[reg])) return false;
        if (!tensor::isComputable(facts.types[reg]->element)) return false;
        return types::sizeOf(tensor::storageOf(facts.types[reg], types)) <=
               std::max(kSmall, sizeOfOrigins(reg));
    }

    /// Bytes of the stored arrays that a value is made of.
    std::int64_t sizeOfOrigins(Reg reg) const {
        const Instr& maker = *facts.makers[reg];
        std::int64_t bytes = 0;
        if (maker.op == Op::Load)
            return types::sizeOf(kernel.code.stored[kernel.storedTensors[maker.var.index]].type);
        for (Reg operand : maker.operands) bytes += sizeOfOrigins(operand);
        return bytes;
    }

    /// The instruction that made it loads it now.
    void fold(Reg reg) {
        const Type* type = facts.types[reg];
        std::shared_ptr<const std::byte> bytes = evaluation.of(kernel, reg, type);
        if (!bytes) return;
        const auto field = static_cast<std::uint32_t>(kernel.code.fields.size());
        const Type* array = tensor::storageOf(type, types);
        kernel.code.fields.push_back({"folded", type, {}});
        kernel.fieldTypes.push_back(types.array(array->element, 0));
        kernel.fieldOffsets.push_back(kernel.stateSize);
        kernel.tensors.push_back(type);
        kernel.storedTensors.push_back(static_cast<std::uint32_t>(kernel.code.stored.size()));
        kernel.code.stored.push_back({"folded", array, std::move(bytes), false});
        std::vector<Instr>& instrs = kernel.code.work->blocks[kernel.code.work->entry].instrs;
        Instr& made = *std::find_if(instrs.begin(), instrs.end(),
                                    [&](const Instr& instr) { return instr.result == reg; });
        Instr load;
        load.op = Op::Load;
        load.type = type;
        load.range = made.range;
        load.var = {Space::Field, field};
        load.result = reg;
        made = std::move(load);
        kernel.code.work->regs[reg].type = type;
        changes = true;
    }

    Kernel& kernel;
    Evaluation& evaluation;
    const TensorFacts facts;
    const std::vector<bool> isConstant;
    types::TypeTable& types;
    bool changes = false;
};

}  // namespace

bool foldTensors(const pass::Context& context, elab::Kernel& kernel) {
    Evaluation evaluation(context.base.limits, context.module, context.types);
    return Folder(kernel, evaluation, context.types).run();
}

}  // namespace strc::opt
