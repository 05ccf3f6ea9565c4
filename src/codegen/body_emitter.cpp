#include "codegen/detail/body_emitter.h"

#include <algorithm>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/loop_parts.h"
#include "ir/count_items.h"
#include "ir/scalarise.h"
#include "ir/short_loops.h"
#include "strc/runtime.h"

namespace strc::codegen {
namespace {

constexpr std::uint64_t kCountingSteps = 1'000'000;
constexpr std::int64_t kUnasked = 1 << 20;  ///< instructions: about a millisecond

/// Is there an instruction of that kind in a block, or in one inside of it?
template <typename Kind>
bool contains(const ir::Body& body, ir::BlockId start, Kind&& isOfKind) {
    std::vector<ir::BlockId> todo{start};
    while (!todo.empty()) {
        ir::BlockId id = todo.back();
        todo.pop_back();
        if (id == ir::kNone) continue;
        for (const Instr& i : body.blocks[id].instrs) {
            if (isOfKind(i)) return true;
            todo.insert(todo.end(), i.blocks.begin(), i.blocks.end());
        }
    }
    return false;
}

}  // namespace

void emitBody(ModuleBuilder& m, KernelFunctions& kernel, const ir::StreamCode* code,
              const ir::Body& body, llvm::Function& function) {
    BodyEmitter(m, kernel, code, body, function).emit();
}

void emitVariant(ModuleBuilder& m, KernelFunctions& made, const ir::Body& body,
                 const std::vector<Param>& arguments, llvm::Function& function) {
    BodyEmitter(m, made, &made.kernel->code, body, function).emitVariant(arguments);
}

BodyEmitter::BodyEmitter(ModuleBuilder& m, KernelFunctions& kernel, const ir::StreamCode* code,
                         const ir::Body& body, llvm::Function& function)
    : m(m),
      kernel(kernel),
      proofs(m.proofs(kernel)),
      code(code),
      body(body),
      function(&function),
      b(m.context),
      entry(m.context),
      values(body.regs.size()),
      locals(body.locals.size()),
      hasVectors(ir::hasVectors(body)) {
    if (!m.options.fastMath) return;
    llvm::FastMathFlags flags;
    flags.setAllowContract();
    flags.setAllowReassoc();
    flags.setNoSignedZeros();  // without it nothing is reassociated
    b.setFastMathFlags(flags);
}

llvm::BasicBlock* BodyEmitter::newBlock(const char* name) {
    return llvm::BasicBlock::Create(m.context, name, function);
}

bool BodyEmitter::isFunction() const {
    if (variant) return false;
    return body.kind == ir::BodyKind::Function || body.kind == ir::BodyKind::Handler;
}

bool BodyEmitter::isChecked(const Instr& instr) const {
    return instr.checked && (predicate || !proofs.contains(&instr));
}

void BodyEmitter::emitVariant(const std::vector<Param>& arguments) {
    variant = &arguments;
    emit();
}

void BodyEmitter::emit() {
    llvm::BasicBlock* variables = newBlock("entry");
    llvm::BasicBlock* start = newBlock("start");
    entry.SetInsertPoint(variables);
    b.SetInsertPoint(start);
    beginDebug();
    popped = pushed = nullptr;
    if (isFunction()) {
        popped = param(kPopped);
        pushed = param(kPushed);
    } else {
        popped = entry.CreateAlloca(m.i64(), nullptr, "popped");
        pushed = entry.CreateAlloca(m.i64(), nullptr, "pushed");
        entry.CreateStore(entry.getInt64(0), popped);
        entry.CreateStore(entry.getInt64(0), pushed);
    }
    countItems();
    chooseIfConversion();
    soonOver = ir::shortLoops(body, kUnasked);
    chooseVectorMath();
    chooseOperators();
    chooseProducts();
    LoopParts(*this).choose();
    aliasItems();
    declareLocals();
    bindParameters();
    showVariables();
    declareLarge();
    block(body.entry);
    if (!b.GetInsertBlock()->getTerminator()) emitReturn(nullptr);
    entry.CreateBr(start);
}

/// Which checks of rates are needed: none where analysis has found the counts.
void BodyEmitter::countItems() {
    if (!code || !kernel.kernel) return;
    if (variant) {
        rates = kernel.kernel->work;
        checkPops = checkPushes = checkPeeks = false;
        return;
    }
    if (body.kind == ir::BodyKind::Setup || body.kind == ir::BodyKind::Init) {
        checkPops = checkPushes = false;
        return;
    }
    base::PassRun run(m.passes, base::Pass::RateCheckElimination, function->getName().str());
    checkPops = checkPushes = !run;
    proveRates();
    run.show([this] {
        return std::string("pops ") + (checkPops ? "checked" : "proved") + ", pushes " +
               (checkPushes ? "checked" : "proved") + "\n";
    });
}

void BodyEmitter::proveRates() {
    bool isPrework = body.kind == ir::BodyKind::Prework;
    rates = isPrework && kernel.kernel->prework ? *kernel.kernel->prework : kernel.kernel->work;
    if (kernel.kernel->blocks && &body == &kernel.kernel->blocks->work)
        rates = kernel.kernel->blocks->rates;
    queued = isDynamic(*kernel.kernel);
    if (queued) checkPops = checkPushes = true;
    auto look = [&](const ir::Body& firing, const graph::Rates& declared) {
        if (queued) return;
        ir::ItemCounts counts =
            ir::countItems(m.program, *code, firing, kCountingSteps, ir::Counting::Whole);
        if (!counts.pops.isExact() || counts.pops.min != declared.pop.max) checkPops = true;
        if (!counts.pushes.isExact() || counts.pushes.min != declared.push.max) checkPushes = true;
    };
    if (!isFunction()) return look(body, rates);
    // A function is called from either, and counts as part of the firing.
    look(*code->work, kernel.kernel->work);
    if (!code->prework) return;
    look(*code->prework, *kernel.kernel->prework);
    auto widen = [](graph::Rate& rate, const graph::Rate& other) {
        const bool isBounded = rate.max != graph::kUnbounded && other.max != graph::kUnbounded;
        rate.max = isBounded ? std::max(rate.max, other.max) : graph::kUnbounded;
        rate.dynamic = rate.dynamic || other.dynamic;
    };
    widen(rates.pop, kernel.kernel->prework->pop);
    widen(rates.peek, kernel.kernel->prework->peek);
    widen(rates.push, kernel.kernel->prework->push);
}

void BodyEmitter::declareLocals() {
    for (std::size_t k = 0; k < locals.size(); ++k) {
        const Type* type = body.locals[k].type;
        LocalStorage& local = locals[k];
        bool isParam = k < body.params;
        if (!types::isConcrete(type)) {
            if (!isParam) local.address = entry.CreateAlloca(m.ptr());
            for (int d = 0; d < types::rank(type); ++d)
                local.extents.push_back(entry.CreateAlloca(m.i32()));
        }
        if (isParam || local.address || local.memory) continue;
        if (isLarge(k) || shared.own.contains(static_cast<std::uint32_t>(k))) continue;
        llvm::Type* made = m.memoryType(type);
        if (type->isAggregate())
            made = llvm::ArrayType::get(m.i8(), localBytes(k) + spareBytes(k));
        auto* slot = entry.CreateAlloca(made, nullptr, body.locals[k].name);
        slot->setAlignment(llvm::Align(
            type->isAggregate() ? 32 : static_cast<std::uint64_t>(types::alignOf(type))));
        local.memory = slot;
    }
}

void BodyEmitter::bindParameters() {
    unsigned first = isFunction() ? kFirstArgument : kPopped;
    for (std::uint32_t k = 0; k < body.params; ++k) {
        const Type* type = body.locals[k].type;
        if (variant) {
            locals[k].memory = param((*variant)[k]);
            continue;
        }
        llvm::Argument* argument = param(first + k);
        if (type->isAggregate()) {
            locals[k].memory = argument;
            continue;
        }
        locals[k].memory = entry.CreateAlloca(m.memoryType(type), nullptr, body.locals[k].name);
        m.store(entry, type, locals[k].memory, argument);
    }
    for (std::uint32_t k = 0; debug && k < body.params; ++k)
        debug->parameter(body.locals[k], locals[k].memory);
}

// ---------------------------------------------------------------- control

void BodyEmitter::block(ir::BlockId id) {
    yielded = nullptr;
    if (id == ir::kNone) return;
    const std::vector<Instr>& instrs = body.blocks[id].instrs;
    bool stacked = std::any_of(instrs.begin(), instrs.end(), [](const Instr& i) {
        return i.op == Op::Declare && i.var.space == ir::Space::Local && !i.operands.empty();
    });
    llvm::Value* mark = stacked && id != body.entry ? b.CreateStackSave() : nullptr;
    const std::size_t scopes = debug ? debug->depth() : 0;
    if (debug && !instrs.empty()) debug->enter(instrs.front().range);
    for (auto at = instrs.begin(); at != instrs.end(); ++at) {
        showLocal(at, instrs.end());
        if (debug) b.SetCurrentDebugLocation(debug->at(*at));
        instruction(*at);
        if (debug) debug->after(*at);
        if (b.GetInsertBlock()->getTerminator()) break;
    }
    if (debug) debug->leave(scopes);
    if (b.GetInsertBlock()->getTerminator()) return;
    if (mark) b.CreateStackRestore(mark);
}

void BodyEmitter::instruction(const Instr& instr) {
    if (scalar(instr) || memory(instr) || tape(instr) || vector(instr)) return;
    switch (instr.op) {
        case Op::If: return emitIf(instr);
        case Op::Loop: return emitLoop(instr);
        case Op::Yield: yielded = operand(instr, 0); return;
        case Op::Break: b.CreateBr(loops.back().exit); return;
        case Op::Continue: b.CreateBr(loops.back().next); return;
        case Op::Return: return emitReturn(&instr);
        case Op::Call: return emitCall(instr);
        case Op::Send: return emitSend(instr);
        default: STRC_UNREACHABLE("an operation that is not compiled");
    }
}

void BodyEmitter::emitIf(const Instr& instr) {
    if (isConverted(instr)) return emitConvertedIf(instr);
    llvm::BasicBlock* blocks[] = {newBlock("then"), newBlock("else")};
    llvm::BasicBlock* end = newBlock("end");
    b.CreateCondBr(operand(instr, 0), blocks[0], blocks[1]);
    std::vector<std::pair<llvm::Value*, llvm::BasicBlock*>> results;
    for (int k = 0; k < 2; ++k) {
        b.SetInsertPoint(blocks[k]);
        block(instr.blocks[static_cast<std::size_t>(k)]);
        if (b.GetInsertBlock()->getTerminator()) continue;
        results.emplace_back(yielded, b.GetInsertBlock());
        b.CreateBr(end);
    }
    b.SetInsertPoint(end);
    if (results.empty()) {
        b.CreateUnreachable();
        return;
    }
    if (instr.result == ir::kNone) return;
    llvm::PHINode* phi =
        b.CreatePHI(results[0].first->getType(), static_cast<unsigned>(results.size()));
    for (auto [result, from] : results) phi->addIncoming(result, from);
    set(instr, phi);
}

void BodyEmitter::emitLoop(const Instr& instr) {
    if (auto found = shared.loops.find(&instr); found != shared.loops.end())
        return LoopParts(*this).emit(instr, found->second);
    llvm::BasicBlock* condition = newBlock("loop");
    llvm::BasicBlock* inside = newBlock("body");
    llvm::BasicBlock* step = newBlock("step");
    llvm::BasicBlock* exit = newBlock("exit");
    bool polls = !isCounted(instr) && !soonOver.contains(instr.blocks[1]);
    bool releases = leavesStrings(instr) && !keepsStrings(instr);
    llvm::Value* mark = nullptr;
    if (releases && isFunction())
        mark = b.CreateCall(m.runtime("strc_strings_mark"), {param(kEnv)});
    b.CreateBr(instr.flag ? inside : condition);
    b.SetInsertPoint(condition);
    block(instr.blocks[0]);
    STRC_ASSERT(yielded, "a loop without its condition");
    b.CreateCondBr(yielded, inside, exit);
    b.SetInsertPoint(inside);
    loops.push_back({exit, step});
    block(instr.blocks[1]);
    loops.pop_back();
    if (!b.GetInsertBlock()->getTerminator()) b.CreateBr(step);
    b.SetInsertPoint(step);
    block(instr.blocks[2]);
    if (!b.GetInsertBlock()->getTerminator()) {
        if (mark)
            b.CreateCall(m.runtime("strc_strings_release_to"), {param(kEnv), mark});
        else if (releases)
            releaseStrings();
        if (polls) poll();
        b.CreateBr(condition);
    }
    b.SetInsertPoint(exit);
}

/// Innermost, and a local that nobody else stores moves on by a constant: it ends soon enough.
bool BodyEmitter::isCounted(const Instr& loop) const {
    if (loop.blocks[2] == ir::kNone || loop.flag) return false;
    const std::vector<Instr>& step = body.blocks[loop.blocks[2]].instrs;
    auto isStore = [](const Instr& i) {
        return i.op == Op::Store && i.var.space == ir::Space::Local;
    };
    auto store = std::find_if(step.begin(), step.end(), isStore);
    if (store == step.end()) return false;
    return !contains(body, loop.blocks[1], [&](const Instr& i) {
        return i.op == Op::Loop || i.op == Op::Call || (isStore(i) && i.var == store->var);
    });
}

/// Do strings made in one iteration of the loop outlive it in a variable? Only functions have such variables.
bool BodyEmitter::keepsStrings(const Instr& loop) const {
    return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](ir::BlockId part) {
        return contains(body, part, [&](const Instr& i) {
            return i.op == Op::Store && typeOf(i.operands[0])->is(TypeKind::String);
        });
    });
}

/// Does an iteration of the loop make strings?
bool BodyEmitter::leavesStrings(const Instr& loop) {
    return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](ir::BlockId part) {
        return contains(body, part, [&](const Instr& i) {
            return ir::makesString(m.program, i) ||
                   (i.op == Op::Call && i.callee.hasBody() &&
                    m.makesStrings(kernel, m.calleeBody(kernel, i.callee)));
        });
    });
}

/// In iterations that threads share: whoever is to stop leaves them, and the owner of the loop ends the run.
void BodyEmitter::poll() { emitPoll(m, b, param(kEnv), shared.leave); }

void BodyEmitter::releaseStrings() {
    b.CreateCall(m.runtime("strc_strings_release"), {param(kEnv)});
}

void BodyEmitter::emitReturn(const Instr* instr) {
    if (!isFunction()) {
        checkCounts();
        if (m.makesStrings(kernel, body)) releaseStrings();
    }
    if (instr && !instr->operands.empty())
        b.CreateRet(operand(*instr, 0));
    else if (function->getReturnType()->isVoidTy())
        b.CreateRetVoid();
    else
        b.CreateUnreachable();  // sema has seen to it that this is not reached
}

void BodyEmitter::emitCall(const Instr& instr) {
    if (instr.callee.kind == ir::CalleeKind::Native) return emitNative(instr);
    if (instr.callee.kind == ir::CalleeKind::DynamicShape) return emitDynamicShape(instr);
    llvm::Function* callee = m.callee(kernel, instr.callee);
    std::vector<llvm::Value*> args{param(kEnv),  param(kFields), param(kIn), param(kOut),
                                   param(kNode), param(kIter),   popped,     pushed};
    for (Reg reg : instr.operands) args.push_back(value(reg));
    const ir::Body& needy = m.calleeBody(kernel, instr.callee);
    const bool isRecursive = m.isRecursive(kernel, instr.callee);
    needStack(needy, instr.range, "function '" + needy.name + "'",
              isRecursive && m.options.inPieces);
    if (!isRecursive) return set(instr, b.CreateCall(callee, args));
    emitPoll(m, b, param(kEnv));
    llvm::Value* place =
        b.CreateConstInBoundsGEP1_64(m.i8(), param(kEnv), offsetof(strc_env, depth));
    llvm::Value* depth = b.CreateLoad(m.i32(), place);
    llvm::Value* limit = b.getInt32(m.limits.callDepth);
    require(b.CreateICmpULT(depth, limit),
            {base::Diag::StackOverflow, instr.range, {needy.name}, 1}, limit);
    b.CreateStore(b.CreateAdd(depth, b.getInt32(1)), place);
    set(instr, b.CreateCall(callee, args));
    b.CreateStore(depth, place);
}

// ---------------------------------------------------------------- checks

void BodyEmitter::check(llvm::Value* holds, Site site, llvm::Value* first, llvm::Value* second) {
    if (m.options.checks) require(holds, std::move(site), first, second);
}

void BodyEmitter::require(llvm::Value* holds, Site site, llvm::Value* first, llvm::Value* second) {
    if (predicate) holds = b.CreateOr(holds, b.CreateNot(predicate));
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
    llvm::BasicBlock* fine = newBlock("fine");
    llvm::BasicBlock* fault = newBlock("fault");
    b.CreateCondBr(holds, fine, fault, llvm::MDBuilder(m.context).createLikelyBranchWeights());
    b.SetInsertPoint(fault);
    auto number = [&](llvm::Value* v) -> llvm::Value* {
        return v ? b.CreateSExtOrTrunc(v, m.i64()) : b.getInt64(0);
    };
    int id = m.site(std::move(site));
    b.CreateCall(m.runtime("strc_trap"), {param(kEnv), b.getInt32(static_cast<std::uint32_t>(id)),
                                          param(kNode), number(first), number(second)});
    b.CreateUnreachable();
    b.SetInsertPoint(fine);
}

}  // namespace strc::codegen
