#include "tensor/expand.h"

#include <algorithm>

#include "base/pass.h"
#include "ir/calls.h"
#include "ir/text.h"
#include "tensor/expander.h"

namespace strc::tensor {
namespace {

using ir::Body;
using ir::Instr;
using ir::Op;
using types::TypeKind;

template <typename Visit>
void forEachBody(ir::StreamCode& code, Visit visit) {
    for (std::optional<Body>* body : {&code.prework, &code.work})
        if (*body) visit(**body);
    for (Body& function : code.functions) visit(function);
}

bool usesTapes(const Body& body) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) switch (instr.op) {
                case Op::Push:
                case Op::Pop:
                case Op::Peek:
                case Op::Discard: return true;
                default: break;
            }
    return false;
}

void retypeFields(ir::StreamCode& code, const Fields& fields, types::TypeTable& types) {
    for (std::size_t k = 0; k < code.fields.size(); ++k) {
        if (!isTensor(code.fields[k].type)) continue;
        const Type* type = fields.types[k];
        const bool isElsewhere = !type || fields.stored[k] != ir::kNone;
        code.fields[k].type =
            isElsewhere ? types.array(types.floatType(), 0) : storageOf(type, types);
    }
}

void countStores(const Body& body, std::vector<int>& stores) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            if (instr.op == Op::Store && instr.var.space == ir::Space::Field)
                ++stores[instr.var.index];
}

/// Values that are not just what a field is.
void noteComputations(const ir::StreamCode& code, const Fields& fields, weights::Source* weights) {
    for (std::uint32_t k = 0; k < code.stored.size(); ++k)
        if (std::find(fields.stored.begin(), fields.stored.end(), k) == fields.stored.end())
            weights->noteComputation(code.stored[k].bytes);
}

/// How often each field gets a value in the bodies that run after setup and init.
std::vector<int> storesOfWork(const ir::StreamCode& code) {
    std::vector<int> stores(code.fields.size());
    for (const std::optional<Body>* body : {&code.prework, &code.work})
        if (*body) countStores(**body, stores);
    for (const Body& function : code.functions) countStores(function, stores);
    return stores;
}

bool looksAt(const Body& body, std::uint32_t field) {
    auto looks = [field](const Instr& instr) {
        const bool isLook = instr.op == Op::Load || instr.op == Op::Addr;
        return isLook && instr.var == ir::VarRef{ir::Space::Field, field};
    };
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), looks);
    });
}

/// Fields with one value alone, which they have before anything else of setup, or of setup and init, looks at them.
std::vector<bool> keepFirst(const ir::StreamCode& code) {
    std::vector<bool> keeps(code.fields.size());
    if (code.startsLate) return keeps;
    std::vector<int> stores = storesOfWork(code);
    countStores(code.setup, stores);
    if (code.init) countStores(*code.init, stores);
    auto find = [&](const Body& body, bool isFirst) {
        for (const Instr& instr : body.blocks[body.entry].instrs) {
            const std::uint32_t field = instr.var.index;
            if (instr.op != Op::Store || instr.var.space != ir::Space::Field) continue;
            keeps[field] = stores[field] == 1 &&
                           (isFirst || !(looksAt(code.setup, field) || looksAt(body, field)));
        }
    };
    find(code.setup, true);
    if (code.init) find(*code.init, false);
    return keeps;
}

bool attends(ir::StreamCode& code) {
    bool found = false;
    forEachBody(code, [&](const Body& body) {
        for (const ir::Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                found =
                    found || (instr.op == Op::Tensor && instr.tensor == types::TensorFn::Attention);
    });
    return found;
}

/// Functions that setup or init call run before anything arrives. Others may say what fields are, and need not: only the
/// run may know what they make.
void expandFunctions(ir::StreamCode& code, Expansion& expansion, types::TypeTable& types) {
    const std::vector<const Body*> early = ir::bodiesOfSetup(*expansion.module, code);
    for (Body& function : code.functions) {
        if (!usesTensors(function) || usesTapes(function)) continue;
        try {
            function = expandBody(code, function, expansion, types);
        } catch (Stop& stop) {
            const bool isEarly = std::find(early.begin(), early.end(), &function) != early.end();
            if (isEarly || !stop.fault.isOfRun) throw;
        }
    }
}

}  // namespace

bool maySayShape(const Type* type) {
    constexpr std::int64_t longest = 16;
    return type->is(TypeKind::Array) && type->element->is(TypeKind::Int) &&
           type->extent != types::kDynamic && type->extent <= longest;
}

bool makesDemands(const Body& body) {
    // the run checks those with a flag (ir/demands.h)
    auto isOne = [](const Instr& instr) { return instr.op == Op::Require && !instr.flag; };
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), isOne);
    });
}

bool usesTensors(const Body& body) {
    auto isOne = [](const auto& entry) { return isTensor(entry.type); };
    return std::any_of(body.regs.begin(), body.regs.end(), isOne) ||
           std::any_of(body.locals.begin(), body.locals.end(), isOne) || makesDemands(body);
}

bool usesTensors(const ir::StreamCode& code) {
    if (isTensor(code.input) || isTensor(code.output)) return true;
    if (std::any_of(code.fields.begin(), code.fields.end(),
                    [](const ir::Variable& field) { return isTensor(field.type); }))
        return true;
    for (const std::optional<Body>* body : {&code.init, &code.prework, &code.work, &code.body})
        if (*body && usesTensors(**body)) return true;
    return usesTensors(code.setup) ||
           std::any_of(code.functions.begin(), code.functions.end(),
                       [](const Body& function) { return usesTensors(function); });
}

bool isComputable(const Type* element) {
    switch (element->kind) {
        case TypeKind::Boolean:
        case TypeKind::Int8:
        case TypeKind::Half:
        case TypeKind::BFloat16:
        case TypeKind::Int:
        case TypeKind::Long:
        case TypeKind::Float:
        case TypeKind::Double: return true;
        default: return false;
    }
}

std::vector<Fault> expandSetup(ir::StreamCode& code, std::span<const Value> constants,
                               const ir::Module& module, Fields& fields, weights::Source* weights,
                               types::TypeTable& types) {
    fields.types.assign(code.fields.size(), nullptr);
    fields.stored.assign(code.fields.size(), ir::kNone);
    fields.isConstant.clear();
    for (int stores : storesOfWork(code)) fields.isConstant.push_back(stores == 0);
    Sequence none;
    std::map<std::uint32_t, const Type*> declared;
    Expansion expansion{constants, none, {}, fields, none, declared};
    expansion.weights = weights;
    expansion.stored = &code.stored;
    expansion.keepsFirst = keepFirst(code);
    expansion.natives = module.natives;
    expansion.module = &module;
    try {
        takeInFunctions(code, types);
        Body setup = expandBody(code, code.setup, expansion, types);
        std::optional<Body> init, composite;
        if (code.init) init = expandBody(code, *code.init, expansion, types);
        expandFunctions(code, expansion, types);
        if (code.body) composite = expandBody(code, *code.body, expansion, types);
        code.setup = std::move(setup);
        code.body = std::move(composite);
        code.init = std::move(init);
    } catch (Stop& stop) {
        expansion.missing.push_back(std::move(stop.fault));
    }
    if (!expansion.missing.empty()) return std::move(expansion.missing);
    fields.declared.assign(code.fields.size(), nullptr);
    for (const auto& [field, type] : declared) fields.declared[field] = type;
    if (weights) noteComputations(code, fields, weights);
    retypeFields(code, fields, types);
    return {};
}

Sequence inferPrework(ir::StreamCode& code, const Arriving& arriving, types::TypeTable& types) {
    Fields fields = arriving.fields;
    Sequence output;
    std::map<std::uint32_t, const Type*> declared;
    Expansion expansion{arriving.constants, arriving.input, {}, fields, output, declared};
    expansion.areFieldsKnown = true;
    expansion.natives = arriving.natives;
    try {
        takeInFunctions(code, types);
        expandBody(code, *code.prework, expansion, types);
    } catch (Stop&) {
        return {};
    }
    const bool areAlike =
        std::all_of(output.begin(), output.end(), [&](const Type* t) { return t == output[0]; });
    if (areAlike && !output.empty()) output.resize(1);
    return output;
}

std::optional<Fault> inferWork(ir::StreamCode& code, const Arriving& arriving, Sequence& output,
                               types::TypeTable& types) {
    Fields fields = arriving.fields;
    std::map<std::uint32_t, const Type*> declared;
    Expansion expansion{arriving.constants, arriving.input, {}, fields, output, declared};
    expansion.areFieldsKnown = true;
    expansion.natives = arriving.natives;
    std::size_t fromPrework = 0;
    try {
        takeInFunctions(code, types);
        forEachBody(code, [&](Body& body) {
            expandBody(code, body, expansion, types);
            if (code.prework && &body == &*code.prework) fromPrework = output.size();
        });
    } catch (Stop& stop) {
        return std::move(stop.fault);
    }
    const bool areAlike =
        std::all_of(output.begin(), output.end(), [&](const Type* t) { return t == output[0]; });
    if (areAlike && !output.empty()) output.resize(1);
    const bool isWorkAlone = std::none_of(code.functions.begin(), code.functions.end(), usesTapes);
    if (areAlike || (expansion.isOutputRegular && fromPrework == 0 && isWorkAlone))
        return std::nullopt;
    Fault fault{false, "'push'",
                "items of different types are pushed, and which comes when depends on the run",
                code.work->header};
    fault.isOfRun = true;
    return fault;
}

std::optional<Fault> expandWork(ir::StreamCode& code, const Arriving& arriving,
                                const Channels& channels, types::TypeTable& types) {
    Fields fields = arriving.fields;
    Sequence pushed;
    std::map<std::uint32_t, const Type*> declared;
    Expansion expansion{arriving.constants, arriving.input, channels, fields, pushed, declared};
    expansion.areFieldsKnown = true;
    expansion.natives = arriving.natives;
    expansion.fusesEpilogues = arriving.fusesEpilogues;
    expansion.split = arriving.split;
    std::optional<base::PassRun> blocks;
    if (arriving.passes && attends(code))
        blocks.emplace(*arriving.passes, base::Pass::AttentionBlocks, code.name);
    expansion.attendsInBlocks = blocks && *blocks;
    try {
        takeInFunctions(code, types);
        forEachBody(code, [&](Body& body) { body = expandBody(code, body, expansion, types); });
    } catch (Stop& stop) {
        return std::move(stop.fault);
    }
    if (blocks && code.work) blocks->show([&] { return ir::print(*code.work); });
    retypeFields(code, fields, types);
    if (channels.input) code.input = channels.input;
    if (channels.output) code.output = channels.output;
    return std::nullopt;
}

}  // namespace strc::tensor
