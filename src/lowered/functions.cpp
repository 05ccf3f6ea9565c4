#include "lowered/detail/functions.h"

#include <algorithm>

#include "ir/calls.h"

namespace strc::lowered {
namespace {

bool isOnTape(ir::Op op) {
    switch (op) {
        case ir::Op::Push:
        case ir::Op::Pop:
        case ir::Op::Peek:
        case ir::Op::PushFrom:
        case ir::Op::PopInto:
        case ir::Op::PeekInto:
        case ir::Op::Discard:
        case ir::Op::PeekVector:
        case ir::Op::DiscardMany:
        case ir::Op::PushVector: return true;
        default: return false;
    }
}

bool usesTape(const ir::Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [](const ir::Instr& instr) { return isOnTape(instr.op); });
    });
}

}  // namespace

Functions::Functions(types::TypeTable& types, const State& state, const RateProofs& rates,
                     Lanes& lanes, const elab::Elaboration& program)
    : state(state), rates(rates), lanes(lanes), types(types), program(program) {
    findTapes();
    gather();
}

/// Functions use tapes also through those that they call.
void Functions::findTapes() {
    for (const elab::Kernel& kernel : program.kernels) {
        std::vector<bool>& uses = usesTapes.emplace_back();
        for (const ir::Body& body : kernel.code.functions) uses.push_back(usesTape(body));
        for (bool changes = true; changes;) {
            changes = false;
            for (std::size_t k = 0; k < uses.size(); ++k) {
                if (uses[k]) continue;
                const std::vector<ir::Callee> callees = ir::calleesOf(kernel.code.functions[k]);
                uses[k] = std::any_of(callees.begin(), callees.end(), [&](ir::Callee callee) {
                    return callee.kind == ir::CalleeKind::Stream && uses[callee.index];
                });
                changes = changes || uses[k];
            }
        }
    }
}

void Functions::gather() {
    std::map<std::uint32_t, std::uint32_t> known;  // by open slot
    for (const elab::Kernel& kernel : program.kernels) {
        firstStored.push_back(static_cast<std::uint32_t>(gathered.code.stored.size()));
        gathered.code.stored.insert(gathered.code.stored.end(), kernel.code.stored.begin(),
                                    kernel.code.stored.end());
        std::vector<std::uint32_t>& numbers = constants.emplace_back();
        for (std::uint32_t k = 0; k < kernel.code.constants.size(); ++k) {
            const std::uint32_t slot = kernel.code.openSlot(k);
            const auto next = static_cast<std::uint32_t>(gathered.code.constants.size());
            if (slot == ir::kNone) {
                numbers.push_back(next);
            } else {
                const auto [at, isNew] = known.emplace(slot, next);
                numbers.push_back(at->second);
                if (!isNew) continue;
            }
            gathered.code.constants.push_back(kernel.code.constants[k]);
            gathered.code.open.push_back(slot);
            gathered.constants.push_back(kernel.constants[k]);
        }
    }
}

std::uint32_t Functions::of(const FunctionKey& key) {
    const auto [at, isNew] = numbers.emplace(key, static_cast<std::uint32_t>(keys.size()));
    if (isNew) keys.push_back(key);
    return at->second;
}

Added Functions::addedTo(const FunctionKey& key) const {
    const bool isFiring = key.body == kWork || key.body == kPrework;
    const bool isStart = key.body == kSetup || key.body == kInit;
    const bool onTapes = isFiring || (!isStart && usesTapes[key.kernel][key.body]);
    return {state.record(key.kernel).type != nullptr, onTapes && key.in, onTapes && key.out,
            !isFiring && onTapes};
}

const ir::Body& Functions::bodyOf(const FunctionKey& key) const {
    const ir::StreamCode& code = program.kernels[key.kernel].code;
    if (key.shape.lanes != 0) return lanes.body(key.kernel, key.shape);
    if (key.hasLoops) return *lanes.loopsInVectors(key.kernel);
    if (key.body == kWork) return *code.work;
    if (key.body == kPrework) return *code.prework;
    if (key.body == kSetup) return code.setup;
    return key.body == kInit ? *code.init : code.functions[key.body];
}

std::string Functions::nameOf(const FunctionKey& key) const {
    const ir::StreamCode& code = program.kernels[key.kernel].code;
    const std::string width = key.hasLoops           ? "_loops"
                              : key.shape.lanes == 0 ? ""
                                                     : "_x" + std::to_string(key.shape.lanes);
    return (code.name.empty() ? "filter" : code.name) + '_' + bodyOf(key).name + width;
}

std::uint32_t Functions::add(ir::Body body) {
    const auto number = static_cast<std::uint32_t>(keys.size());
    keys.emplace_back();
    whole.emplace(number, std::move(body));
    return number;
}

/// A function that is rewritten may ask for others.
void Functions::finish(elab::Kernel& filter) {
    for (std::uint32_t k = 0; k < keys.size(); ++k)
        filter.code.functions.push_back(keys[k] ? rewritten(*this, FunctionKey(*keys[k]))
                                                : std::move(whole.at(k)));
    filter.code.constants = std::move(gathered.code.constants);
    filter.code.params = static_cast<std::uint32_t>(filter.code.constants.size());
    if (!filter.code.constants.empty()) filter.code.open = std::move(gathered.code.open);
    filter.code.stored = std::move(gathered.code.stored);
    filter.constants = std::move(gathered.constants);
}

}  // namespace strc::lowered
