#include "codegen/detail/phase_context.h"

#include "codegen/detail/work_memory.h"
#include "plan/tape_variables.h"
#include "strc/demand.h"

namespace strc::codegen {

using graph::EdgeId;
using graph::NodeId;
using plan::Position;
using plan::Step;

llvm::Value* PhaseContext::at(std::int64_t offset) {
    return b.CreateConstInBoundsGEP1_64(m.i8(), state(), static_cast<std::uint64_t>(offset));
}

llvm::Value* PhaseContext::bytesOf(EdgeId channel, std::int64_t items) {
    return b.getInt64(static_cast<std::uint64_t>(m.plan.channels[channel].itemSize * items));
}

llvm::Value* PhaseContext::item(EdgeId edge, const Position& position, llvm::Value* loopIndex,
                                std::int64_t rate) {
    const plan::Channel& channel = m.plan.channels[edge];
    llvm::Value* index = b.getInt64(0);
    auto add = [&](llvm::Value* counter, std::int64_t factor) {
        if (factor == 0) return;
        index = b.CreateAdd(index,
                            b.CreateMul(counter, b.getInt64(static_cast<std::uint64_t>(factor))));
    };
    const auto found = ownTapes.find(channel.tape);
    const OwnTape* own = found == ownTapes.end() ? nullptr : &found->second;
    for (std::size_t d = 0; d < position.perIteration.size() && !own; ++d)
        add(trips[d], position.perIteration[d]);
    if (loopIndex) add(loopIndex, rate);
    llvm::Value* base =
        own ? b.CreateConstInBoundsGEP1_64(
                  m.i8(), own->memory,
                  static_cast<std::uint64_t>((position.base - own->first) * channel.itemSize))
            : at(channel.offset + position.base * channel.itemSize);
    auto* item = llvm::ArrayType::get(m.i8(), static_cast<std::uint64_t>(channel.itemSize));
    return b.CreateInBoundsGEP(item, base, index);
}

llvm::Value* PhaseContext::variable(std::uint64_t bytes) {
    llvm::BasicBlock& first = function->getEntryBlock();
    llvm::IRBuilder<> entry(&first, first.begin());
    auto* made = entry.CreateAlloca(llvm::ArrayType::get(m.i8(), bytes), nullptr, "own");
    made->setAlignment(llvm::Align(64));
    return made;
}

llvm::Value* PhaseContext::fieldsOf(NodeId node) {
    if (auto own = ownFields.find(node); own != ownFields.end()) return own->second;
    if (m.plan.fields[node] < 0) return llvm::PoisonValue::get(m.ptr());
    return at(m.plan.fields[node]);
}

llvm::Value* PhaseContext::branches(const std::vector<EdgeId>& edges,
                                    const std::vector<Position>& from, llvm::Value* loopIndex) {
    llvm::Value* places = variable(sizeof(void*) * edges.size());
    for (std::size_t k = 0; k < edges.size(); ++k)
        b.CreateStore(item(edges[k], from[k], loopIndex, 1),
                      b.CreateConstInBoundsGEP1_64(m.ptr(), places, k));
    return places;
}

llvm::Value* PhaseContext::moveQueue(const Step& step, std::size_t which) {
    llvm::Value* end = at(m.plan.demand->queueOffset +
                          static_cast<std::int64_t>(step.channel * sizeof(strc_queue) + which));
    llvm::Value* first = b.CreateLoad(m.ptr(), end);
    b.CreateStore(b.CreateGEP(m.i8(), first, bytesOf(step.channel, step.count)), end);
    return first;
}

RingSteps PhaseContext::rings() { return {m, b, env(), state()}; }

void PhaseContext::copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes) {
    b.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
}

void PhaseContext::move(const Type* type, llvm::Value* to, llvm::Value* from, std::int64_t items) {
    if (type->isScalar() && items == 1) return m.store(b, type, to, m.load(b, type, from));
    copy(to, from, b.getInt64(static_cast<std::uint64_t>(items * types::sizeOf(type))));
}

void PhaseContext::keepTapes(const std::vector<Step>& list, const plan::Phase& phase,
                             std::int64_t mostBytes) {
    for (auto& [tape, made] : plan::findTapeVariables(m.plan, phase, list, mostBytes)) {
        llvm::Value* memory =
            variable(static_cast<std::uint64_t>(made.items * m.plan.channels[tape].itemSize));
        ownTapes[tape] = {memory, made.first.base};
    }
}

void PhaseContext::addToCounter(NodeId node, std::uint64_t firings) {
    const std::int64_t counter = m.plan.counters[node];
    if (counter < 0) return;
    llvm::Value* count = b.CreateLoad(m.i64(), at(counter));
    b.CreateStore(b.CreateAdd(count, b.getInt64(firings)), at(counter));
}

llvm::Value* PhaseContext::callWork(llvm::Function* work, const Step& step,
                                    const graph::Rates& rates, llvm::Value* loopIndex,
                                    llvm::Value* transposed) {
    llvm::Value* none = llvm::PoisonValue::get(m.ptr());
    const graph::Node& node = m.plan.program->graph.nodes[step.node];
    auto window = [&](const std::vector<EdgeId>& edges, const std::vector<Position>& from,
                      std::int64_t rate, bool hasFields) {
        if (edges.empty() || hasFields) return none;
        if (edges.size() > 1) return branches(edges, from, loopIndex);
        return hasRings() ? rings().header(edges[0]) : item(edges[0], from[0], loopIndex, rate);
    };
    llvm::Value* in = transposed ? transposed
                                 : window(m.plan.inputsOf(step.node), step.inputs, rates.pop.max,
                                          !node.inputRates.empty());
    llvm::Value* out = window(m.plan.outputsOf(step.node), step.outputs, rates.push.max,
                              !node.outputRates.empty());
    const std::int64_t counter = m.plan.counters[step.node];
    llvm::Value* iteration = b.getInt32(0);
    if (counter >= 0) iteration = b.CreateTrunc(b.CreateLoad(m.i64(), at(counter)), m.i32());
    return b.CreateCall(work,
                        {env(), fieldsOf(step.node), in, out, b.getInt32(step.node), iteration});
}

KernelFunctions& PhaseContext::functionsOf(const Step& step) {
    return m.kernel(m.plan.program->graph.nodes[step.node].kernel, m.plan.dealsInputs(step.node),
                    m.plan.dealsOutputs(step.node));
}

llvm::Function* declarePhase(ModuleBuilder& m, const std::string& name, std::size_t depth,
                             bool rare) {
    std::vector<llvm::Type*> parameters{m.ptr(), m.ptr()};
    parameters.insert(parameters.end(), depth, m.i64());
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), parameters, false);
    auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, m.module);
    made->setDoesNotThrow();
    made->addParamAttr(0, llvm::Attribute::NoAlias);
    made->addParamAttr(1, llvm::Attribute::NoAlias);
    made->addParamAttr(1, llvm::Attribute::getWithAlignment(m.context, llvm::Align(64)));
    made->addFnAttr(llvm::Attribute::NoInline);
    if (rare) made->addFnAttr(llvm::Attribute::OptimizeNone);
    if (!m.plan.demand) markForWork(*made);
    return made;
}

}  // namespace strc::codegen
