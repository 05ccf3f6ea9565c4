#include "codegen/detail/loop_parts.h"

#include <algorithm>

#include "base/pass.h"
#include "codegen/detail/body_products.h"
#include "codegen/detail/if_conversion.h"

namespace strc::codegen {

namespace {

std::uint32_t asU32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// void part(self, first, end): has `trips` do the iterations of these parts. `self` has its arguments but the last two.
llvm::Function* emitPart(ModuleBuilder& m, const SharedLoop& how, llvm::Function& trips,
                         llvm::StructType* self) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context),
                                         {m.ptr(), m.i64(), m.i64()}, false);
    auto* part = llvm::Function::Create(type, llvm::Function::InternalLinkage, "part", m.module);
    part->setDoesNotThrow();
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m.context, "entry", part));
    std::vector<llvm::Value*> all;
    for (unsigned k = 0; k < self->getNumElements(); ++k)
        all.push_back(
            b.CreateLoad(self->getElementType(k), b.CreateStructGEP(self, part->getArg(0), k)));
    auto iterationOf = [&](llvm::Value* number) {
        llvm::Value* first = b.CreateMul(number, b.getInt64(static_cast<std::uint64_t>(how.grain)));
        llvm::Value* last = b.getInt64(static_cast<std::uint64_t>(how.trips.counts.trips));
        return b.CreateTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, first, last), m.i32());
    };
    all.push_back(iterationOf(part->getArg(1)));
    all.push_back(iterationOf(part->getArg(2)));
    b.CreateCall(&trips, all);
    b.CreateRetVoid();
    return part;
}

}  // namespace

/// Nothing that could fail, or that is done in the order of the iterations: other threads cannot leave the firing.
bool LoopParts::mayBeShared(const Instr& instr) const {
    const bool isDynamic = instr.var.space == ir::Space::Local && instr.var.index != ir::kNone &&
                           !types::isConcrete(c.body.locals[instr.var.index].type);
    const bool isByHand = instr.op == Op::Contract && ir::contractionOf(instr).parts;
    const bool isDivision = instr.op == Op::Div || instr.op == Op::Rem;
    const bool isOfInts =
        isDivision && (instr.type->is(TypeKind::Int) || instr.type->is(TypeKind::Long));
    const bool mayFail =
        m.options.checks && c.isChecked(instr) && (instr.op == Op::Elem || isOfInts);
    return !isDynamic && !isByHand && !mayFail && !isConverted(c, instr) &&
           !ir::makesString(m.program, instr) && !c.products.kernels.contains(&instr);
}

void LoopParts::choose() {
    const bool isFiring = c.body.kind == ir::BodyKind::Work || c.body.kind == ir::BodyKind::Prework;
    if (!isFiring || c.hasVectors || c.variant || m.debug || m.options.inPieces ||
        m.options.onDevice)
        return;
    SharedLoops found = findSharedLoops(
        c.body, [this](const Instr& instr) { return mayBeShared(instr); }, c.products.scratchBytes);
    if (found.empty()) return;
    base::PassRun run(m.passes, base::Pass::ParallelLoops, c.function->getName().str());
    if (!run) return;
    run.show([&] { return codegen::print(c.body, found); });
    for (const auto& [loop, how] : found) {
        c.shared.own.insert(how.trips.own.begin(), how.trips.own.end());
        c.shared.own.erase(how.trips.counts.counter);  // it begins outside
    }
    c.shared.loops = std::move(found);
}

/// What the loop looks at that comes from outside.
LoopParts::Captured LoopParts::capturedBy(const Instr& loop, const SharedLoop& how) const {
    Captured all;
    std::set<Reg> known;
    std::set<std::uint32_t> own(how.trips.own);
    ir::forEach(c.body, loop.blocks[1], [&](const Instr& instr) { known.insert(instr.result); });
    ir::forEach(c.body, loop.blocks[1], [&](const Instr& instr) {
        for (Reg reg : instr.operands)
            if (known.insert(reg).second && !llvm::isa<llvm::Constant>(c.value(reg)))
                all.regs.push_back(reg);
        if (instr.var.space == ir::Space::Local && instr.var.index != ir::kNone &&
            own.insert(instr.var.index).second)
            all.locals.push_back(instr.var.index);
    });
    return all;
}

/// Scalars do not change in the loop, so their values are handed on.
void LoopParts::emit(const Instr& loop, const SharedLoop& how) {
    const Captured captured = capturedBy(loop, how);
    std::vector<llvm::Value*> handed;
    for (llvm::Argument& argument : c.function->args()) handed.push_back(&argument);
    for (Reg reg : captured.regs) handed.push_back(c.value(reg));
    for (std::uint32_t local : captured.locals) {
        llvm::Value* memory = c.locals[local].memory;
        const Type* type = c.body.locals[local].type;
        handed.push_back(type->isAggregate() ? memory : b.CreateLoad(m.memoryType(type), memory));
    }
    std::vector<llvm::Type*> fields;
    for (llvm::Value* each : handed) fields.push_back(each->getType());
    auto* self = llvm::StructType::get(m.context, fields);
    llvm::Value* memory = entry.CreateAlloca(self, nullptr, "self");
    for (unsigned k = 0; k < handed.size(); ++k)
        b.CreateStore(handed[k], b.CreateStructGEP(self, memory, k));
    llvm::Function* trips = someIterations(loop, how, captured, fields);
    b.CreateCall(m.runtime("strc_share"), {c.param(kEnv), emitPart(m, how, *trips, self), memory,
                                           b.getInt64(static_cast<std::uint64_t>(how.parts()))});
}

/// void trips(what is handed, first, end)
llvm::Function* LoopParts::someIterations(const Instr& loop, const SharedLoop& how,
                                          const Captured& captured,
                                          std::vector<llvm::Type*> parameters) {
    parameters.insert(parameters.end(), 2, m.i32());
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), parameters, false);
    auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                        c.function->getName() + ".rounds", m.module);
    made->setDoesNotThrow();
    llvm::Function* outside = std::exchange(c.function, made);
    const auto place = b.saveIP(), variables = entry.saveIP();
    const auto valuesOutside = c.values;
    const auto localsOutside = c.locals;
    llvm::Value* scratchOutside = c.products.scratch;
    llvm::BasicBlock* start = c.newBlock("entry");
    entry.SetInsertPoint(start);
    c.shared.leave = c.newBlock("leave");
    take(captured, how, *outside);
    llvm::BasicBlock* inside = c.newBlock("round");
    b.SetInsertPoint(inside);
    iteration(loop, how, start);
    entry.CreateBr(inside);
    b.SetInsertPoint(std::exchange(c.shared.leave, nullptr));
    b.CreateRetVoid();
    c.function = outside;
    b.restoreIP(place);
    entry.restoreIP(variables);
    c.values = valuesOutside;
    c.locals = localsOutside;
    c.products.scratch = scratchOutside;
    return made;
}

/// The arguments of the function, and memory for what its iterations have for themselves.
void LoopParts::take(const Captured& captured, const SharedLoop& how,
                     const llvm::Function& outside) {
    auto next = static_cast<unsigned>(outside.arg_size());
    // No captured address leads into memory that is reached in another way, too.
    const bool isAlone = std::none_of(captured.regs.begin(), captured.regs.end(),
                                      [&](Reg reg) { return c.body.regs[reg].ref; });
    for (Reg reg : captured.regs) c.values[reg] = c.param(next++);
    for (unsigned k = 0; isAlone && k < outside.arg_size(); ++k)
        if (outside.hasParamAttribute(k, llvm::Attribute::NoAlias))
            c.function->addParamAttr(k, llvm::Attribute::NoAlias);
    for (std::uint32_t local : captured.locals) {
        llvm::Argument* argument = c.param(next++);
        if (c.body.locals[local].type->isAggregate()) {
            if (isAlone) argument->addAttr(llvm::Attribute::NoAlias);
            argument->addAttr(
                llvm::Attribute::getWithDereferenceableBytes(m.context, c.localBytes(local)));
            c.locals[local].memory = argument;
        } else {
            makeLocal(local);
            entry.CreateStore(argument, c.locals[local].memory);
        }
    }
    for (std::uint32_t local : how.trips.own) makeLocal(local);
    c.products.scratch = makeScratch(c, entry);
}

void LoopParts::makeLocal(std::uint32_t local) {
    const Type* type = c.body.locals[local].type;
    llvm::Type* memory = m.memoryType(type);
    if (type->isAggregate())
        memory = llvm::ArrayType::get(m.i8(), c.localBytes(local) + spareBytes(c, local));
    auto* slot = entry.CreateAlloca(memory, nullptr, c.body.locals[local].name);
    if (type->isAggregate()) slot->setAlignment(llvm::Align(64));
    c.locals[local].memory = slot;
}

void LoopParts::iteration(const Instr& loop, const SharedLoop& how, llvm::BasicBlock* start) {
    const ir::Induction& counts = how.trips.counts;
    llvm::BasicBlock* begin = b.GetInsertBlock();
    const auto last = static_cast<unsigned>(c.function->arg_size()) - 1;
    llvm::PHINode* k = b.CreatePHI(m.i32(), 2);
    k->addIncoming(c.param(last - 1), start);
    llvm::Value* way = b.CreateMul(k, b.getInt32(asU32(counts.step)), "", false, true);
    llvm::Value* counter = b.CreateAdd(way, b.getInt32(asU32(counts.start)), "", false, true);
    b.CreateStore(counter, c.locals[counts.counter].memory);
    e.block(loop.blocks[1]);
    if (how.isLong) c.poll();
    llvm::Value* next = b.CreateAdd(k, b.getInt32(1), "", true, true);
    k->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(next, c.param(last)), begin, c.shared.leave);
}

}  // namespace strc::codegen
