#include "horizontal/merge.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "base/assert.h"
#include "elab/initial_fields.h"
#include "horizontal/detail/merged_kernel.h"
#include "ir/bounds.h"
#include "ir/count_items.h"
#include "ir/stored_fields.h"
#include "ir/varying.h"
#include "vector/branches.h"

namespace strc::horizontal {
namespace {

using elab::Kernel;
using graph::NodeId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::Type;
using types::TypeKind;
using types::Value;

constexpr std::uint64_t kCountingSteps = 100'000;
constexpr std::int64_t kMostOfState = 16 * 1024;  ///< bytes, of one filter

ir::Proofs proofsOf(const elab::Elaboration& program, NodeId id) {
    const Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    ir::BoundsInput input;
    input.constants = kernel.constants;
    input.workPeek = input.preworkPeek = kernel.work.peek.max;
    input.fields = elab::initialInts(kernel, *program.states[id]);
    return ir::proveBounds(kernel.code, input);
}

bool isElement(const Type* type) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Char:
        case TypeKind::Int:
        case TypeKind::Float:
        case TypeKind::Double:
        case TypeKind::Complex: return true;
        default: return false;
    }
}

/// A scalar that lanes can have, or an array of them.
const Type* elementOf(const Type* type) {
    while (type->is(TypeKind::Array)) type = type->element;
    return isElement(type) ? type : nullptr;
}

bool isSame(const Instr& x, const Instr& y) {
    return x.op == y.op && x.flag == y.flag && x.math == y.math && x.var == y.var &&
           x.callee == y.callee && x.type == y.type && x.result == y.result && x.index == y.index &&
           x.operands == y.operands && x.blocks == y.blocks && x.value.type == y.value.type;
}

/// Equal but for the values of constants?
bool isSame(const Body& x, const Body& y) {
    if (x.regs.size() != y.regs.size() || x.locals.size() != y.locals.size() ||
        x.blocks.size() != y.blocks.size() || x.entry != y.entry)
        return false;
    for (std::size_t k = 0; k < x.regs.size(); ++k)
        if (x.regs[k].type != y.regs[k].type || x.regs[k].ref != y.regs[k].ref) return false;
    for (std::size_t k = 0; k < x.locals.size(); ++k)
        if (x.locals[k].type != y.locals[k].type) return false;
    auto same = [](const Instr& a, const Instr& b) { return isSame(a, b); };
    for (std::size_t k = 0; k < x.blocks.size(); ++k)
        if (!std::equal(x.blocks[k].instrs.begin(), x.blocks[k].instrs.end(),
                        y.blocks[k].instrs.begin(), y.blocks[k].instrs.end(), same))
            return false;
    return true;
}

bool isPossible(const Instr& i) {
    switch (i.op) {
        case Op::Pop:
        case Op::Peek:
        case Op::Push:
        case Op::Discard: return isElement(i.type);
        case Op::PopInto:
        case Op::PeekInto:
        case Op::PushFrom:
        case Op::Iter:
        case Op::Return:
        case Op::CheckExtent: return false;
        case Op::Declare: return i.operands.empty() && i.var.space == Space::Local;
        case Op::Extent: return false;
        default: break;
    }
    const ir::Effects effects = ir::info(i.op).effects;
    return effects != ir::Effects::Ordered && effects != ir::Effects::Build;
}

class Merger {
public:
    Merger(types::TypeTable& table, const elab::Elaboration& whole,
           const std::vector<NodeId>& filters, const MergeOptions& options)
        : types(table), program(whole), nodes(filters), how(options) {}

    Merged run(const std::string& whyNotSafe) {
        if (!whyNotSafe.empty()) return refused(whyNotSafe);
        body = *first().code.work;
        if (std::string why = look(); !why.empty()) return refused(why);
        written = ir::storedFields(body, first().fieldTypes.size());
        rewrite();
        if (!whyNot.empty()) return refused(whyNot);
        const ir::Varying varying = ir::findVarying(body, own);
        if (!varying.whyNot.empty()) return refused(varying.whyNot);
        if (std::string why = lookAtTape(varying); !why.empty()) return refused(why);
        return finish(varying);
    }

private:
    static Merged refused(std::string why) {
        Merged made;
        made.whyNot = std::move(why);
        return made;
    }
    const Kernel& kernelOf(NodeId id) const {
        return program.kernels[program.graph.nodes[id].kernel];
    }
    const Kernel& first() const { return kernelOf(nodes[0]); }

    std::string look() const {
        for (const ir::Block& block : body.blocks)
            for (const Instr& i : block.instrs)
                if (!isPossible(i)) return std::string("it has '") + ir::info(i.op).mnemonic + "'";
        std::int64_t bytes = 0;
        for (const ir::Variable& local : body.locals) {
            if (!elementOf(local.type))
                return "a variable is neither a number nor an array of them";
            if (local.type->isAggregate()) bytes += types::sizeOf(local.type);
        }
        if (bytes > how.mostOfLocals) return "its arrays are large";
        for (NodeId id : nodes) {
            const Kernel& kernel = kernelOf(id);
            if (&kernel != &first() && !kernel.code.stored.empty()) return "it has stored arrays";
            if (!isSame(body, *kernel.code.work)) return "the bodies differ";
        }
        return {};
    }

    // ---- what differs lives in locals

    void rewrite() {
        for (std::size_t block = 0; block < body.blocks.size(); ++block)
            for (std::size_t k = 0; k < body.blocks[block].instrs.size(); ++k) {
                Instr& i = body.blocks[block].instrs[k];
                if (ir::hasCheck(i)) i.checked = false;
                if (i.op == Op::Const)
                    constant(i, block, k);
                else if (i.var.space == Space::Field &&
                         (i.op == Op::Load || i.op == Op::Store || i.op == Op::Addr))
                    field(i);
                else if (i.var.space == Space::Constant && (i.op == Op::Load || i.op == Op::Addr))
                    parameter(i);
            }
    }

    /// The values that the filters have, by filter.
    template <typename ValueOf>
    std::vector<Value> valuesOf(ValueOf valueOf) const {
        std::vector<Value> values;
        for (NodeId id : nodes) values.push_back(valueOf(id));
        return values;
    }
    static bool areEqual(const std::vector<Value>& values) {
        return std::all_of(values.begin(), values.end(),
                           [&](const Value& value) { return value.bytes == values[0].bytes; });
    }

    void constant(Instr& i, std::size_t block, std::size_t k) {
        auto values = valuesOf(
            [&](NodeId id) { return kernelOf(id).code.work->blocks[block].instrs[k].value; });
        if (areEqual(values)) return;
        const Type* type = i.value.type;
        become(i, newOwn("constant", type, std::move(values)), type);
    }

    void field(Instr& i) {
        const std::uint32_t index = i.var.index;
        auto [found, fresh] = ofFields.try_emplace(index, ir::kNone);
        const Type* type = first().fieldTypes[index];
        auto values = [&] {
            return valuesOf([&](NodeId id) { return fieldOf(program, id, index); });
        };
        if (fresh) {
            const auto all = values();
            if (written[index] || isDerived(first(), index) || !areEqual(all))
                found->second = newOwn(first().code.fields[index].name, type, all);
            hasState = hasState || written[index];
        }
        if (found->second != ir::kNone)
            i.var = {Space::Local, found->second};
        else
            becomeConstant(i, fieldOf(program, nodes[0], index));
    }

    void parameter(Instr& i) {
        const std::uint32_t index = i.var.index;
        const std::uint32_t slot = first().code.openSlot(index);
        for (NodeId id : nodes)
            if (kernelOf(id).code.openSlot(index) != slot) {
                whyNot = "a parameter is open in some";
                return;
            }
        if (slot != ir::kNone) return;  // one for all
        auto values = valuesOf([&](NodeId id) { return kernelOf(id).constants[index]; });
        const Type* type = values[0].type;
        if (std::any_of(values.begin(), values.end(),
                        [&](const Value& v) { return v.type != type; })) {
            whyNot = "a parameter has different types";
            return;
        }
        if (areEqual(values)) return becomeConstant(i, values[0]);
        auto [found, fresh] = ofParameters.try_emplace(index, ir::kNone);
        if (fresh)
            found->second = newOwn(first().code.constants[index].name, type, std::move(values));
        become(i, found->second, type);
    }

    void become(Instr& i, std::uint32_t local, const Type* type) {
        i.op = type->isAggregate() ? Op::Addr : Op::Load;
        i.var = {Space::Local, local};
        i.type = type;
        i.value = {};
    }

    std::uint32_t newOwn(const std::string& name, const Type* type, std::vector<Value> values) {
        const auto local = static_cast<std::uint32_t>(body.locals.size());
        body.locals.push_back({name, type, {}});
        if (!elementOf(type)) {
            whyNot = "its state is neither a number nor an array of them";
            return local;
        }
        own.push_back(local);
        ownValues.push_back(std::move(values));
        size += types::sizeOf(type);
        if (size > kMostOfState) whyNot = "its state is large";
        return local;
    }

    // ---- tapes

    std::string lookAtTape(const ir::Varying& varying) const {
        for (const ir::Block& block : body.blocks)
            for (const Instr& i : block.instrs) {
                if (i.op == Op::Peek && varying.regs[i.operands[0]])
                    return "each looks at another item";
                if (i.op != Op::If || !varying.regs[i.operands[0]]) continue;
                if (movesOn(i.blocks[0]) || movesOn(i.blocks[1]))
                    return "what is read and written depends on items";
            }
        return {};
    }

    bool movesOn(ir::BlockId id) const {
        if (id == ir::kNone) return false;
        return std::any_of(
            body.blocks[id].instrs.begin(), body.blocks[id].instrs.end(), [this](const Instr& i) {
                if (i.op == Op::Pop || i.op == Op::Push || i.op == Op::Discard) return true;
                return std::any_of(i.blocks.begin(), i.blocks.end(),
                                   [this](ir::BlockId inner) { return movesOn(inner); });
            });
    }

    // ---- the kernel and its state

    Merged finish(const ir::Varying& varying) {
        Merged made;
        const Kernel& one = first();
        Kernel& kernel = made.kernel;
        const auto count = static_cast<std::int64_t>(nodes.size());
        kernel = kernelForAll(one, count, how.isShared);
        vector::FusedBranches fused = vector::fuseBranches(
            types, body, varying, {one.input, one.output, one.work, count, how.isShared, own});
        kernel.code.work = std::move(fused.work);
        addFields(kernel, fused.fields);
        made.state = std::make_shared<const std::string>(image(kernel));
        made.hasState = hasState;
        made.fields = fieldsMade();
        return made;
    }

    std::vector<std::uint32_t> fieldsMade() const {
        std::vector<std::uint32_t> all(first().fieldTypes.size(), ir::kNone);
        for (const auto& [field, local] : ofFields) {
            const auto at = std::find(own.begin(), own.end(), local);
            if (at != own.end()) all[field] = static_cast<std::uint32_t>(at - own.begin());
        }
        return all;
    }

    void addFields(Kernel& kernel, const std::vector<const Type*>& all) {
        for (std::size_t k = 0; k < all.size(); ++k)
            addField(kernel, body.locals[own[k % own.size()]], all[k]);
    }

    std::string image(const Kernel& kernel) const {
        std::string bytes(static_cast<std::size_t>(kernel.stateSize), '\0');
        std::size_t branch = 0, field = 0;
        for (const vector::LaneGroup& size :
             vector::groupsOf(static_cast<std::int64_t>(nodes.size()))) {
            for (std::int64_t k = 0; k < size.groups * size.lanes; ++k, ++branch)
                for (std::size_t each = 0; each < own.size(); ++each) {
                    const Type* inGroup = kernel.fieldTypes[field + each]->element;
                    put(ownValues[each][branch],
                        bytes.data() + kernel.fieldOffsets[field + each] +
                            k / size.lanes * types::sizeOf(inGroup),
                        k % size.lanes, size.lanes);
                }
            field += own.size();
        }
        return bytes;
    }

    /// Scalar after scalar, each beside the other lanes'; of complex numbers the parts.
    static void put(const Value& value, char* to, std::int64_t lane, std::int64_t lanes) {
        const Type* element = elementOf(value.type);
        const std::int64_t part =
            element->is(TypeKind::Complex) ? types::sizeOf(element) / 2 : types::sizeOf(element);
        const auto total = static_cast<std::int64_t>(value.bytes.size());
        for (std::int64_t at = 0; at < total; at += part)
            std::memcpy(to + at * lanes + lane * part, value.bytes.data() + at,
                        static_cast<std::size_t>(part));
    }

    types::TypeTable& types;
    const elab::Elaboration& program;
    const std::vector<NodeId>& nodes;
    const MergeOptions& how;
    Body body;
    std::string whyNot;
    std::vector<bool> written;  ///< by field
    std::map<std::uint32_t, std::uint32_t> ofFields, ofParameters;  ///< locals; kNone: a constant
    std::vector<std::uint32_t> own;  ///< locals of which each filter has its own
    std::vector<std::vector<Value>> ownValues;
    std::int64_t size = 0;  ///< bytes of these in one filter
    bool hasState = false;
};

}  // namespace

bool keepsRates(const ir::Module& module, const elab::Elaboration& program, NodeId id) {
    const Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    const ir::ItemCounts counts =
        ir::countItems(module, kernel.code, *kernel.code.work, kCountingSteps, ir::Counting::Whole);
    return counts.pops.isExact() && counts.pops.min == kernel.work.pop.max &&
           counts.pushes.isExact() && counts.pushes.min == kernel.work.push.max;
}

Body withoutProvedChecks(const elab::Elaboration& program, NodeId id, bool mayProve) {
    const Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    Body work = *kernel.code.work;
    if (!mayProve || !ir::hasChecks(kernel.code)) return work;
    const ir::Proofs proofs = proofsOf(program, id);
    for (std::size_t block = 0; block < work.blocks.size(); ++block)
        for (std::size_t k = 0; k < work.blocks[block].instrs.size(); ++k)
            if (proofs.contains(&kernel.code.work->blocks[block].instrs[k]))
                work.blocks[block].instrs[k].checked = false;
    return work;
}

bool isSafe(const ir::Module& module, const elab::Elaboration& program, NodeId id, bool mayProve) {
    if (!keepsRates(module, program, id)) return false;
    for (const ir::Block& block : withoutProvedChecks(program, id, mayProve).blocks)
        if (std::any_of(block.instrs.begin(), block.instrs.end(), ir::hasCheck)) return false;
    return true;
}

Merged merge(types::TypeTable& types, const ir::Module& module, const elab::Elaboration& program,
             const std::vector<NodeId>& nodes, const MergeOptions& how) {
    const std::set<NodeId> different(nodes.begin(), nodes.end());
    const bool isAllSafe = std::all_of(different.begin(), different.end(), [&](NodeId id) {
        return isSafe(module, program, id, how.mayProve);
    });
    return Merger(types, program, nodes, how).run(isAllSafe ? "" : "a check might fail");
}

}  // namespace strc::horizontal
