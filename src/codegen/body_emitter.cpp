#include "codegen/detail/body_emitter.h"

#include <algorithm>

#include "base/assert.h"
#include "codegen/detail/body_math.h"
#include "codegen/detail/body_products.h"
#include "codegen/detail/calls.h"
#include "codegen/detail/debug_variables.h"
#include "codegen/detail/if_conversion.h"
#include "codegen/detail/loop_parts.h"
#include "codegen/detail/memory.h"
#include "codegen/detail/scalars.h"
#include "codegen/detail/tapes.h"
#include "codegen/detail/teams.h"
#include "codegen/detail/vectors.h"
#include "ir/blocks.h"
#include "ir/short_loops.h"
#include "strc/runtime.h"

namespace strc::codegen {
namespace {

constexpr std::int64_t kUnasked = 1 << 20;  ///< instructions: about a millisecond

}  // namespace

void emitBody(ModuleBuilder& m, KernelFunctions& kernel, const ir::StreamCode* code,
              const ir::Body& body, llvm::Function& function) {
    BodyContext context(m, kernel, code, body, function, nullptr);
    BodyEmitter(context).emit();
}

void emitVariant(ModuleBuilder& m, KernelFunctions& made, const ir::Body& body,
                 const std::vector<Param>& arguments, llvm::Function& function) {
    BodyContext context(m, made, &made.kernel->code, body, function, &arguments);
    BodyEmitter(context).emit();
}

void BodyEmitter::emit() {
    llvm::BasicBlock* variables = c.newBlock("entry");
    llvm::BasicBlock* start = c.newBlock("start");
    c.entry.SetInsertPoint(variables);
    c.b.SetInsertPoint(start);
    beginDebug(c);
    if (c.isFunction()) {
        c.popped = c.param(kPopped);
        c.pushed = c.param(kPushed);
    } else {
        c.popped = c.entry.CreateAlloca(c.m.i64(), nullptr, "popped");
        c.pushed = c.entry.CreateAlloca(c.m.i64(), nullptr, "pushed");
        c.entry.CreateStore(c.entry.getInt64(0), c.popped);
        c.entry.CreateStore(c.entry.getInt64(0), c.pushed);
    }
    chooseRateChecks(c);
    chooseIfConversion(c);
    soonOver = ir::shortLoops(c.body, kUnasked);
    chooseVectorMath(c);
    chooseOperators(c);
    chooseProducts(c);
    LoopParts(*this).choose();
    if (c.m.options.profile && c.m.plan.before) laps.emplace(c);
    aliasItems(c);
    declareLocals();
    bindParameters();
    showVariables(c);
    declareLarge(c);
    block(c.body.entry);
    if (!c.b.GetInsertBlock()->getTerminator()) emitReturn(nullptr);
    c.entry.CreateBr(start);
}

void BodyEmitter::declareLocals() {
    for (std::size_t k = 0; k < c.locals.size(); ++k) {
        const Type* type = c.body.locals[k].type;
        LocalStorage& local = c.locals[k];
        bool isParam = k < c.body.params;
        if (!types::isConcrete(type)) {
            if (!isParam) local.address = c.entry.CreateAlloca(c.m.ptr());
            for (int d = 0; d < types::rank(type); ++d)
                local.extents.push_back(c.entry.CreateAlloca(c.m.i32()));
        }
        if (isParam || local.address || local.memory) continue;
        if (isLarge(c, k) || c.shared.own.contains(static_cast<std::uint32_t>(k))) continue;
        llvm::Type* made = c.m.memoryType(type);
        if (type->isAggregate())
            made = llvm::ArrayType::get(c.m.i8(), c.localBytes(k) + spareBytes(c, k));
        auto* slot = c.entry.CreateAlloca(made, nullptr, c.body.locals[k].name);
        slot->setAlignment(llvm::Align(
            type->isAggregate() ? 32 : static_cast<std::uint64_t>(types::alignOf(type))));
        local.memory = slot;
    }
}

void BodyEmitter::bindParameters() {
    unsigned first = c.isFunction() ? kFirstArgument : kPopped;
    for (std::uint32_t k = 0; k < c.body.params; ++k) {
        const Type* type = c.body.locals[k].type;
        if (c.variant) {
            c.locals[k].memory = c.param((*c.variant)[k]);
            continue;
        }
        llvm::Argument* argument = c.param(first + k);
        if (type->isAggregate()) {
            c.locals[k].memory = argument;
            continue;
        }
        c.locals[k].memory =
            c.entry.CreateAlloca(c.m.memoryType(type), nullptr, c.body.locals[k].name);
        c.m.store(c.entry, type, c.locals[k].memory, argument);
    }
    for (std::uint32_t k = 0; c.debug && k < c.body.params; ++k)
        c.debug->parameter(c.body.locals[k], c.locals[k].memory);
}

// ---------------------------------------------------------------- control

void BodyEmitter::block(ir::BlockId id) {
    yielded = nullptr;
    if (id == ir::kNone) return;
    const std::vector<Instr>& instrs = c.body.blocks[id].instrs;
    bool stacked = std::any_of(instrs.begin(), instrs.end(), [](const Instr& i) {
        return i.op == Op::Declare && i.var.space == ir::Space::Local && !i.operands.empty();
    });
    llvm::Value* mark = stacked && id != c.body.entry ? c.b.CreateStackSave() : nullptr;
    const std::size_t scopes = c.debug ? c.debug->depth() : 0;
    if (c.debug && !instrs.empty()) c.debug->enter(instrs.front().range);
    for (auto at = instrs.begin(); at != instrs.end(); ++at) {
        showLocal(c, at, instrs.end());
        if (c.debug) c.b.SetCurrentDebugLocation(c.debug->at(*at));
        instruction(*at);
        if (c.debug) c.debug->after(*at);
        if (c.b.GetInsertBlock()->getTerminator()) break;
        if (laps) laps->after(id, *at);
    }
    if (c.debug) c.debug->leave(scopes);
    if (c.b.GetInsertBlock()->getTerminator()) return;
    if (mark) c.b.CreateStackRestore(mark);
}

void BodyEmitter::instruction(const Instr& instr) {
    if (emitScalar(c, instr) || emitMemory(c, instr) || emitTape(c, instr) ||
        emitVector(c, instr) || emitTeam(c, instr))
        return;
    switch (instr.op) {
        case Op::If: return emitIf(instr);
        case Op::Loop: return emitLoop(instr);
        case Op::Yield: yielded = c.operand(instr, 0); return;
        case Op::Break: c.b.CreateBr(loops.back().exit); return;
        case Op::Continue: c.b.CreateBr(loops.back().next); return;
        case Op::Return: return emitReturn(&instr);
        case Op::Call: return emitCall(instr);
        case Op::Send: return emitSend(c, instr);
        default: STRC_UNREACHABLE("an operation that is not compiled");
    }
}

void BodyEmitter::emitIf(const Instr& instr) {
    if (isConverted(c, instr)) return emitConvertedIf(instr);
    llvm::BasicBlock* blocks[] = {c.newBlock("then"), c.newBlock("else")};
    llvm::BasicBlock* end = c.newBlock("end");
    c.b.CreateCondBr(
        c.operand(instr, 0), blocks[0], blocks[1],
        instr.flag ? llvm::MDBuilder(c.m.context).createLikelyBranchWeights() : nullptr);
    std::vector<std::pair<llvm::Value*, llvm::BasicBlock*>> results;
    for (int k = 0; k < 2; ++k) {
        c.b.SetInsertPoint(blocks[k]);
        block(instr.blocks[static_cast<std::size_t>(k)]);
        if (c.b.GetInsertBlock()->getTerminator()) continue;
        results.emplace_back(yielded, c.b.GetInsertBlock());
        c.b.CreateBr(end);
    }
    c.b.SetInsertPoint(end);
    if (results.empty()) {
        c.b.CreateUnreachable();
        return;
    }
    if (instr.result == ir::kNone) return;
    llvm::PHINode* phi =
        c.b.CreatePHI(results[0].first->getType(), static_cast<unsigned>(results.size()));
    for (auto [result, from] : results) phi->addIncoming(result, from);
    c.set(instr, phi);
}

/// Both sides are done, each with its own condition as the predicate.
void BodyEmitter::emitConvertedIf(const Instr& instr) {
    llvm::Value* condition = c.operand(instr, 0);
    for (std::size_t side : {0, 1}) {
        c.predicate = side == 0 ? condition : c.b.CreateNot(condition);
        block(instr.blocks[side]);
    }
    c.predicate = nullptr;
}

void BodyEmitter::emitLoop(const Instr& instr) {
    if (auto found = c.shared.loops.find(&instr); found != c.shared.loops.end())
        return LoopParts(*this).emit(instr, found->second);
    llvm::BasicBlock* condition = c.newBlock("loop");
    llvm::BasicBlock* inside = c.newBlock("body");
    llvm::BasicBlock* step = c.newBlock("step");
    llvm::BasicBlock* exit = c.newBlock("exit");
    bool polls = !isCounted(instr) && !soonOver.contains(instr.blocks[1]);
    bool releases = leavesStrings(instr) && !keepsStrings(instr);
    llvm::Value* mark = nullptr;
    if (releases && c.isFunction())
        mark = c.b.CreateCall(c.m.runtime("strc_strings_mark"), {c.param(kEnv)});
    c.b.CreateBr(instr.flag ? inside : condition);
    c.b.SetInsertPoint(condition);
    block(instr.blocks[0]);
    STRC_ASSERT(yielded, "a loop without its condition");
    c.b.CreateCondBr(yielded, inside, exit);
    c.b.SetInsertPoint(inside);
    loops.push_back({exit, step});
    block(instr.blocks[1]);
    loops.pop_back();
    if (!c.b.GetInsertBlock()->getTerminator()) c.b.CreateBr(step);
    c.b.SetInsertPoint(step);
    block(instr.blocks[2]);
    if (!c.b.GetInsertBlock()->getTerminator()) {
        if (mark)
            c.b.CreateCall(c.m.runtime("strc_strings_release_to"), {c.param(kEnv), mark});
        else if (releases)
            releaseStrings();
        if (polls) c.poll();
        c.b.CreateBr(condition);
    }
    c.b.SetInsertPoint(exit);
}

/// Innermost, and a local that is stored nowhere else moves on by a constant: it ends soon enough.
bool BodyEmitter::isCounted(const Instr& loop) const {
    if (loop.blocks[2] == ir::kNone || loop.flag) return false;
    const std::vector<Instr>& step = c.body.blocks[loop.blocks[2]].instrs;
    auto isStore = [](const Instr& i) {
        return i.op == Op::Store && i.var.space == ir::Space::Local;
    };
    auto store = std::find_if(step.begin(), step.end(), isStore);
    if (store == step.end()) return false;
    return !ir::contains(c.body, loop.blocks[1], [&](const Instr& i) {
        return i.op == Op::Loop || i.op == Op::Call || (isStore(i) && i.var == store->var);
    });
}

/// Do strings made in one iteration of the loop outlive it in a variable? Only functions have such variables.
bool BodyEmitter::keepsStrings(const Instr& loop) const {
    return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](ir::BlockId part) {
        return ir::contains(c.body, part, [&](const Instr& i) {
            return i.op == Op::Store && c.typeOf(i.operands[0])->is(TypeKind::String);
        });
    });
}

/// Does an iteration of the loop make strings?
bool BodyEmitter::leavesStrings(const Instr& loop) {
    return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](ir::BlockId part) {
        return ir::contains(c.body, part, [&](const Instr& i) {
            return ir::makesString(c.m.program, i) ||
                   (i.op == Op::Call && i.callee.hasBody() &&
                    c.m.makesStrings(c.kernel, c.m.calleeBody(c.kernel, i.callee)));
        });
    });
}

void BodyEmitter::releaseStrings() {
    c.b.CreateCall(c.m.runtime("strc_strings_release"), {c.param(kEnv)});
}

void BodyEmitter::emitReturn(const Instr* instr) {
    if (!c.isFunction()) {
        checkCounts(c);
        if (c.m.makesStrings(c.kernel, c.body)) releaseStrings();
    }
    if (instr && !instr->operands.empty())
        c.b.CreateRet(c.operand(*instr, 0));
    else if (c.function->getReturnType()->isVoidTy())
        c.b.CreateRetVoid();
    else
        c.b.CreateUnreachable();  // sema has seen to it that this is not reached
}

/// Who fires. Of a program that has become one filter, calls of firings say so.
llvm::Value* BodyEmitter::nodeOf(const Instr& call) {
    const bool isFiring = c.m.plan.before && call.index != ir::kNone;
    return isFiring ? static_cast<llvm::Value*>(c.b.getInt32(call.index)) : c.param(kNode);
}

void BodyEmitter::emitCall(const Instr& instr) {
    if (instr.callee.kind == ir::CalleeKind::Native) return emitNative(c, instr);
    if (instr.callee.kind == ir::CalleeKind::DynamicShape) return emitDynamicShape(c, instr);
    llvm::Function* callee = c.m.callee(c.kernel, instr.callee);
    std::vector<llvm::Value*> args{c.param(kEnv), c.param(kFields), c.param(kIn), c.param(kOut),
                                   nodeOf(instr), c.param(kIter),   c.popped,     c.pushed};
    for (Reg reg : instr.operands) args.push_back(c.value(reg));
    const ir::Body& needy = c.m.calleeBody(c.kernel, instr.callee);
    const bool isRecursive = c.m.isRecursive(c.kernel, instr.callee);
    needStack(c, needy, instr.range, "function '" + needy.name + "'",
              isRecursive && c.m.options.inPieces);
    if (!isRecursive) return c.set(instr, c.b.CreateCall(callee, args));
    emitPoll(c.m, c.b, c.param(kEnv));
    llvm::Value* place =
        c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.param(kEnv), offsetof(strc_env, depth));
    llvm::Value* depth = c.b.CreateLoad(c.m.i32(), place);
    llvm::Value* limit = c.b.getInt32(c.m.limits.callDepth);
    c.require(c.b.CreateICmpULT(depth, limit),
              {base::Diag::StackOverflow, instr.range, {needy.name}, 1}, limit);
    c.b.CreateStore(c.b.CreateAdd(depth, c.b.getInt32(1)), place);
    c.set(instr, c.b.CreateCall(callee, args));
    c.b.CreateStore(depth, place);
}

}  // namespace strc::codegen
