#include "csource/detail/functions.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/calls.h"
#include "ir/count_items.h"

namespace strc::csource {
namespace {

using ir::Body;
using ir::BodyKind;
using ir::Instr;
using ir::Op;

constexpr std::uint64_t kCountingSteps = 1'000'000;

bool discards(Op op) { return op == Op::Discard || op == Op::DiscardMany; }
bool isPop(Op op) { return op == Op::Pop || op == Op::PopInto || discards(op); }
bool putsItem(Op op) { return op == Op::Push || op == Op::PushFrom; }
bool isPush(Op op) { return putsItem(op) || op == Op::PushMany; }
bool looksAtItems(Op op) {
    return op == Op::Pop || op == Op::PopInto || op == Op::Peek || op == Op::PeekInto;
}

template <typename Visit>
void forEach(const Body& body, Visit visit) {
    for (std::size_t id = 0; id < body.blocks.size(); ++id)
        for (const Instr& instr : body.blocks[id].instrs) visit(instr, id == body.entry);
}

/// Refs that an operation writes to, by operand.
bool writesTo(Op op) {
    return op == Op::StoreAt || op == Op::Copy || op == Op::Zero || op == Op::Contract ||
           op == Op::PopInto || op == Op::PeekInto;
}

bool isOpen(const ir::StreamCode& code, ir::VarRef var) {
    return var.space == ir::Space::Constant && code.openSlot(var.index) != ir::kNone;
}

}  // namespace

Functions::Functions(const Program& wanted, const elab::Kernel& of, const ir::Proofs& proofs,
                     Names& taken)
    : program(wanted), kernel(of), names(taken) {
    std::vector<const Body*> firsts;
    if (kernel.code.prework) firsts.push_back(&*kernel.code.prework);
    if (kernel.code.work) firsts.push_back(&*kernel.code.work);
    if (kernel.code.startsLate) firsts.push_back(&kernel.code.setup);
    if (kernel.code.startsLate && kernel.code.init) firsts.push_back(&*kernel.code.init);
    for (std::uint32_t update : kernel.updates)
        if (update != ir::kNone) firsts.push_back(&kernel.code.functions[update]);
    if (kernel.drain)
        for (std::uint32_t phase : {kernel.drain->init, kernel.drain->steady})
            firsts.push_back(&kernel.code.functions[phase]);
    for (const Body* first : firsts) add(*first);
    for (auto& function : functions) describe(*function, proofs);
    for (bool isMore = true; isMore;) {
        isMore = false;
        for (auto& function : functions) isMore = spread(*function) || isMore;
    }
    for (auto& function : functions) findTapes(*function);
}

const Function& Functions::of(const ir::Callee& callee) const {
    return of(ir::calleeBody(program.module, kernel.code, callee));
}

void Functions::add(const Body& body) {
    if (!byBody.emplace(&body, nullptr).second) return;
    for (const ir::Callee& callee : ir::calleesOf(body))
        add(ir::calleeBody(program.module, kernel.code, callee));
    auto made = std::make_unique<Function>();
    made->body = &body;
    made->name = names.take(fmt::format("{}_{}", program.mainStream, body.name));
    made->isFiring = body.kind == BodyKind::Work || body.kind == BodyKind::Prework;
    made->isRecursive = !made->isFiring && ir::isRecursive(program.module, kernel.code, body);
    made->writes.resize(body.params);
    byBody[&body] = made.get();
    functions.push_back(std::move(made));
}

void Functions::describe(Function& made, const ir::Proofs& proofs) {
    const Body& body = *made.body;
    made.liveness = std::make_shared<Liveness>(body, proofs, program.checks);
    findRates(made);
    made.fails = made.checksPops || made.checksPushes;
    forEach(body, [&](const Instr& instr, bool) {
        if (!made.liveness->isLive(instr)) return;
        if (made.liveness->hasFault(instr)) made.fails = true;
        const bool isField = instr.var.space == ir::Space::Field && instr.var.index != ir::kNone;
        if (isField || isOpen(kernel.code, instr.var) || instr.op == Op::Random ||
            instr.op == Op::Iter)
            made.usesSelf = true;
        if (looksAtItems(instr.op)) made.usesInput = made.countsPops = true;
        if (putsItem(instr.op)) made.usesOutput = made.countsPushes = true;
        if (discards(instr.op) && (made.checksPops || !made.isFiring)) made.countsPops = true;
        if (instr.op == Op::PushMany && (made.checksPushes || !made.isFiring))
            made.countsPushes = true;
        if (instr.op == Op::Addr && instr.var.space == ir::Space::Input) made.usesInput = true;
        if (instr.op == Op::Addr && instr.var.space == ir::Space::Output) made.usesOutput = true;
        const bool isRecursion =
            instr.op == Op::Call && instr.callee.hasBody() && of(instr.callee).isRecursive;
        if (isRecursion) made.fails = true;
    });
    made.countsPops = made.countsPops || (made.isFiring && made.checksPops);
    made.countsPushes = made.countsPushes || (made.isFiring && made.checksPushes);
    if (made.fails) made.usesSelf = true;
}

/// As code generation does: what the counts prove is not checked.
void Functions::findRates(Function& made) {
    const bool isPrework = made.body->kind == BodyKind::Prework;
    made.rates = isPrework && kernel.prework ? *kernel.prework : kernel.work;
    auto look = [&](const Body& firing, const graph::Rates& declared) {
        const ir::ItemCounts counts = ir::countItems(program.module, kernel.code, firing,
                                                     kCountingSteps, ir::Counting::Whole);
        if (!counts.pops.isExact() || counts.pops.min != declared.pop.max) made.checksPops = true;
        if (!counts.pushes.isExact() || counts.pushes.min != declared.push.max)
            made.checksPushes = true;
    };
    if (made.isFiring) {
        look(*made.body, made.rates);
    } else {
        if (kernel.code.work) look(*kernel.code.work, kernel.work);
        if (kernel.code.prework && kernel.prework) {
            look(*kernel.code.prework, *kernel.prework);
            made.rates.pop.max = std::max(made.rates.pop.max, kernel.prework->pop.max);
            made.rates.peek.max = std::max(made.rates.peek.max, kernel.prework->peek.max);
            made.rates.push.max = std::max(made.rates.push.max, kernel.prework->push.max);
        }
        bool pops = false, pushes = false;
        forEach(*made.body, [&](const Instr& instr, bool) {
            pops = pops || isPop(instr.op);
            pushes = pushes || isPush(instr.op);
        });
        made.checksPops = made.checksPops && pops;
        made.checksPushes = made.checksPushes && pushes;
    }
    made.checksPops = made.checksPops && program.checks;
    made.checksPushes = made.checksPushes && program.checks;
}

/// What is true of a function that it calls is true of it.
bool Functions::spread(Function& made) {
    bool isNew = spreadWrites(made);
    auto raise = [&](bool& mark, bool value) {
        isNew = isNew || (value && !mark);
        mark = mark || value;
    };
    for (const ir::Callee& callee : ir::calleesOf(*made.body)) {
        const Function& called = of(callee);
        raise(made.fails, called.fails);
        raise(made.usesSelf, called.usesSelf || called.isRecursive);
        raise(made.usesInput, called.usesInput);
        raise(made.usesOutput, called.usesOutput);
        raise(made.countsPops, called.countsPops);
        raise(made.countsPushes, called.countsPushes);
    }
    return isNew;
}

bool Functions::spreadWrites(Function& made) {
    bool isNew = false;
    const std::vector<ir::VarRef> roots = rootsOf(*made.body);
    auto note = [&](ir::Reg reg) {
        const ir::VarRef root = roots[reg];
        if (root.space != ir::Space::Local || root.index >= made.writes.size()) return;
        isNew = isNew || !made.writes[root.index];
        made.writes[root.index] = true;
    };
    forEach(*made.body, [&](const Instr& instr, bool) {
        if (writesTo(instr.op)) note(instr.operands[0]);
        if (instr.op != Op::Call) return;
        for (std::size_t k = 0; k < instr.operands.size(); ++k)
            if (!instr.callee.hasBody() || of(instr.callee).writes[k]) note(instr.operands[k]);
    });
    return isNew;
}

void Functions::findTapes(Function& made) {
    bool isIn = made.isFiring && !made.checksPops, isOut = made.isFiring && !made.checksPushes;
    forEach(*made.body, [&](const Instr& instr, bool isStraight) {
        if (!isStraight && isPop(instr.op)) isIn = false;
        if (!isStraight && isPush(instr.op)) isOut = false;
        if (instr.op != Op::Call || !instr.callee.hasBody()) return;
        const Function& called = of(instr.callee);
        if (called.countsPops) isIn = false;
        if (called.countsPushes) isOut = false;
    });
    made.isInputStraight = isIn;
    made.isOutputStraight = isOut;
}

}  // namespace strc::csource
