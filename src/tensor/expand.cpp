#include "tensor/expand.h"

#include <algorithm>

#include "base/pass.h"
#include "ir/calls.h"
#include "ir/text.h"
#include "tensor/detail/expansion.h"

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
std::optional<Fault> expandFunctions(ir::StreamCode& code, const ExpansionInput& in,
                                     ExpansionState& state, types::TypeTable& types) {
    const std::vector<const Body*> early = ir::bodiesOfSetup(*in.module, code);
    for (Body& function : code.functions) {
        if (!usesTensors(function) || usesTapes(function)) continue;
        Expanded expanded = expandBody(code, function, in, state, types);
        const bool isEarly = std::find(early.begin(), early.end(), &function) != early.end();
        if (expanded.fault && (isEarly || !expanded.fault->isOfRun))
            return std::move(expanded.fault);
        if (!expanded.fault) function = std::move(expanded.body);
    }
    return std::nullopt;
}

/// The bodies that run while the graph is built.
std::optional<Fault> expandEarly(ir::StreamCode& code, const ExpansionInput& in,
                                 ExpansionState& state, types::TypeTable& types) {
    if (std::optional<Fault> fault = takeInFunctions(code, types)) return fault;
    Expanded setup = expandBody(code, code.setup, in, state, types);
    if (setup.fault) return std::move(setup.fault);
    Expanded init, composite;
    if (code.init) init = expandBody(code, *code.init, in, state, types);
    if (init.fault) return std::move(init.fault);
    if (std::optional<Fault> fault = expandFunctions(code, in, state, types)) return fault;
    if (code.body) composite = expandBody(code, *code.body, in, state, types);
    if (composite.fault) return std::move(composite.fault);
    code.setup = std::move(setup.body);
    if (code.body) code.body = std::move(composite.body);
    if (code.init) code.init = std::move(init.body);
    return std::nullopt;
}

ExpansionInput inputOf(const Arriving& arriving) {
    ExpansionInput in;
    in.constants = arriving.constants;
    in.input = arriving.input;
    in.natives = arriving.natives;
    in.areFieldsKnown = true;
    return in;
}

/// One entry if all are alike.
bool areAlike(const Sequence& output) {
    return std::all_of(output.begin(), output.end(), [&](const Type* t) { return t == output[0]; });
}

void shorten(Sequence& output) {
    if (areAlike(output) && !output.empty()) output.resize(1);
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
    ExpansionInput in;
    in.constants = constants;
    in.weights = weights;
    in.mayStore = true;
    in.keepsFirst = keepFirst(code);
    in.natives = module.natives;
    in.module = &module;
    ExpansionState state;
    state.fields = std::move(fields);
    state.stored = std::move(code.stored);
    if (std::optional<Fault> fault = expandEarly(code, in, state, types))
        state.missing.push_back(std::move(*fault));
    fields = std::move(state.fields);
    code.stored = std::move(state.stored);
    if (!state.missing.empty()) return std::move(state.missing);
    fields.declared.assign(code.fields.size(), nullptr);
    for (const auto& [field, type] : state.declared) fields.declared[field] = type;
    if (weights) noteComputations(code, fields, weights);
    retypeFields(code, fields, types);
    return {};
}

Sequence inferPrework(ir::StreamCode& code, const Arriving& arriving, types::TypeTable& types) {
    ExpansionState state;
    state.fields = arriving.fields;
    if (takeInFunctions(code, types)) return {};
    ShapedBody shaped = inferShapes(code, *code.prework, inputOf(arriving), state, types);
    if (shaped.fault) return {};
    shorten(shaped.state.output);
    return std::move(shaped.state.output);
}

std::optional<Fault> inferWork(ir::StreamCode& code, const Arriving& arriving, Sequence& output,
                               types::TypeTable& types) {
    const ExpansionInput in = inputOf(arriving);
    ExpansionState state;
    state.fields = arriving.fields;
    std::size_t fromPrework = 0;
    std::optional<Fault> fault = takeInFunctions(code, types);
    forEachBody(code, [&](const Body& body) {
        if (fault) return;
        ShapedBody shaped = inferShapes(code, body, in, state, types);
        fault = std::move(shaped.fault);
        if (!fault) state = std::move(shaped.state);
        if (code.prework && &body == &*code.prework) fromPrework = state.output.size();
    });
    output = std::move(state.output);
    if (fault) return fault;
    const bool isRegular = areAlike(output);
    shorten(output);
    const bool isWorkAlone = std::none_of(code.functions.begin(), code.functions.end(), usesTapes);
    if (isRegular || (state.isOutputRegular && fromPrework == 0 && isWorkAlone))
        return std::nullopt;
    fault = Fault{false, "'push'",
                  "items of different types are pushed, and which comes when depends on the run",
                  code.work->header};
    fault->isOfRun = true;
    return fault;
}

std::optional<Fault> expandWork(ir::StreamCode& code, const Arriving& arriving,
                                const Channels& channels, types::TypeTable& types) {
    ExpansionInput in = inputOf(arriving);
    in.channels = channels;
    std::optional<base::PassRun> blocks;
    if (arriving.passes && attends(code))
        blocks.emplace(*arriving.passes, base::Pass::AttentionBlocks, code.name);
    in.options = {blocks && *blocks, arriving.fusesEpilogues, arriving.split,
                  arriving.tellsAttention};
    ExpansionState state;
    state.fields = arriving.fields;
    std::optional<Fault> fault = takeInFunctions(code, types);
    forEachBody(code, [&](Body& body) {
        if (fault) return;
        Expanded expanded = expandBody(code, body, in, state, types);
        fault = std::move(expanded.fault);
        if (!fault) body = std::move(expanded.body);
    });
    if (fault) return fault;
    if (blocks && code.work) blocks->show([&] { return ir::print(*code.work); });
    retypeFields(code, state.fields, types);
    if (channels.input) code.input = channels.input;
    if (channels.output) code.output = channels.output;
    return std::nullopt;
}

}  // namespace strc::tensor
