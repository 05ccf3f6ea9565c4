// Variables, arrays, structs.

#include "codegen/detail/memory.h"

#include <algorithm>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/body_products.h"
#include "codegen/detail/if_conversion.h"
#include "codegen/detail/vectors.h"
#include "codegen/stack_size.h"
#include "ir/demands.h"
#include "ir/live_ranges.h"
#include "ir/rate_check.h"
#include "strc/runtime.h"

namespace strc::codegen {
namespace {

constexpr std::int64_t kLargestDynamic = std::int64_t{64}
                                         << 20;  ///< bytes of an array on the stack
/// Bytes of an array that is made where the body begins, after somebody has asked for room.
constexpr std::int64_t kLarge = 16 * 1024;
/// In a frame that is made before anybody asks for room; larger arrays come after.
constexpr std::int64_t kMostOfFrame = 4 * 1024 * 1024;
/// Bytes of locals of a function that need not ask.
constexpr std::int64_t kSmall = 4 * 1024;

}  // namespace

std::int64_t bytesOfArrays(const ir::Body& body) {
    std::int64_t bytes = 0;
    for (std::size_t k = body.params; k < body.locals.size(); ++k) {
        const Type* type = body.locals[k].type;
        if (type->isAggregate() && types::isConcrete(type)) bytes += types::sizeOf(type);
    }
    return bytes;
}

namespace {

/// Of large arrays of which never two are in use at the same time.
struct MemoryPiece {
    std::uint64_t bytes = 0;
    std::vector<std::size_t> locals;
};

/// The largest array first, each where it leaves the least room unused (Pisarchyk and Lee, "Efficient Memory Management
/// for Deep Neural Net Inference", 2020, "greedy by size" with shared objects). What is in use together stays apart, so
/// that LLVM knows it for different memory.
std::vector<MemoryPiece> together(std::vector<MemoryPiece> single, const ir::Body& body) {
    std::stable_sort(single.begin(), single.end(),
                     [](const MemoryPiece& x, const MemoryPiece& y) { return x.bytes > y.bytes; });
    const std::vector<ir::LiveRange> ranges = ir::liveRanges(body);
    std::vector<MemoryPiece> pieces;  // in descending order of their sizes
    for (MemoryPiece& next : single) {
        const ir::LiveRange& liveRange = ranges[next.locals[0]];
        auto isFree = [&](const MemoryPiece& piece) {
            return std::none_of(piece.locals.begin(), piece.locals.end(), [&](std::size_t other) {
                return ranges[other].overlaps(liveRange);
            });
        };
        const auto best = std::find_if(pieces.rbegin(), pieces.rend(), isFree);
        if (best == pieces.rend())
            pieces.push_back(std::move(next));
        else
            best->locals.push_back(next.locals[0]);
    }
    return pieces;
}

/// A number that LLVM does not know. An array of a size that it knows is part of the frame, which would be made before
/// anybody has asked whether there is room for it.
llvm::Value* hidden(llvm::IRBuilder<>& b, std::uint64_t number) {
    auto* slot = b.CreateAlloca(b.getInt64Ty());
    b.CreateStore(b.getInt64(number), slot, true);
    return b.CreateLoad(b.getInt64Ty(), slot, true);
}

}  // namespace

namespace {

bool isOpenConstant(const BodyContext& c, ir::VarRef var) {
    return var.space == ir::Space::Constant &&
           c.kernel.kernel->code.openSlot(var.index) != ir::kNone;
}

/// Neither the value nor where it lies changes while a phase runs.
llvm::Value* loadOpen(BodyContext& c, const Instr& instr) {
    const std::uint64_t slot = c.kernel.kernel->code.openSlot(instr.var.index);
    auto invariant = [&c](llvm::Value* loaded) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(loaded))
            load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                              llvm::MDNode::get(c.m.context, {}));
        return loaded;
    };
    llvm::Value* place =
        c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.param(kEnv), offsetof(strc_env, parameters));
    llvm::Value* values = invariant(c.b.CreateLoad(c.m.ptr(), place));
    return invariant(
        c.m.load(c.b, instr.type,
                 c.b.CreateConstInBoundsGEP1_64(c.m.i8(), values, slot * STRC_PARAMETER_BYTES)));
}

/// The items of a firing, which lie beside each other.
llvm::Value* window(BodyContext& c, unsigned side, bool isInPieces) {
    STRC_ASSERT(!isInPieces && !c.queued && !c.usesRings(), "a window that is not in one piece");
    return c.param(side);
}

llvm::Value* addressOf(BodyContext& c, ir::VarRef var) {
    switch (var.space) {
        case ir::Space::Local: {
            const LocalStorage& local = c.locals[var.index];
            return local.address ? c.b.CreateLoad(c.m.ptr(), local.address) : local.memory;
        }
        case ir::Space::Field: {
            auto offset = static_cast<std::uint64_t>(c.kernel.kernel->fieldOffsets[var.index]);
            return c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.param(kFields), offset);
        }
        case ir::Space::Constant: return c.m.bytes(c.kernel.kernel->constants[var.index].bytes);
        case ir::Space::Global: return c.m.bytes(c.m.program.globalValues[var.index].bytes);
        case ir::Space::Stored: return c.m.stored(c.b, c.kernel.kernel->code.stored[var.index]);
        case ir::Space::Input: return window(c, kIn, c.kernel.dealtIn);
        case ir::Space::Output: return window(c, kOut, c.kernel.dealtOut);
    }
    STRC_UNREACHABLE("space");
}

llvm::Value* loadAt(BodyContext& c, const Instr& instr) {
    const Reg ref = instr.operands[0];
    return c.m.load(c.b, instr.type, c.predicate ? selectedAddress(c, ref) : c.value(ref));
}

void storeAt(BodyContext& c, const Instr& instr) {
    const Reg ref = instr.operands[0];
    const Type* type = c.typeOf(instr.operands[1]);
    c.m.store(c.b, type, c.predicate ? selectedAddress(c, ref) : c.value(ref), c.operand(instr, 1));
}

llvm::Value* byteCount(BodyContext& c, const Instr& instr, std::size_t refs) {
    if (instr.operands.size() > refs) return c.b.CreateZExt(c.operand(instr, refs), c.m.i64());
    return c.b.getInt64(static_cast<std::uint64_t>(types::sizeOf(instr.type)));
}

/// Sums that do not wrap are added to the address one after the other: what stays the same in a loop comes first, and the
/// counter alone tells how the address moves.
llvm::Value* elementAt(BodyContext& c, llvm::Type* element, llvm::Value* array,
                       llvm::Value* index) {
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
    if (sum && sum->getOpcode() == llvm::Instruction::Add && sum->hasNoSignedWrap() &&
        !sum->getType()->isVectorTy())
        return elementAt(c, element, elementAt(c, element, array, sum->getOperand(0)),
                         sum->getOperand(1));
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
    llvm::Value* wide =
        c.b.CreateSExt(index, inLanes(type ? type->getNumElements() : 0, c.m.i64()));
    return c.b.CreateInBoundsGEP(element, array, wide);
}

llvm::Value* elementAddress(BodyContext& c, const Instr& instr) {
    llvm::Value *index = c.operand(instr, 1), *limit = c.operand(instr, 2);
    if (c.isChecked(instr))
        c.check(c.b.CreateICmpULT(index, limit), {base::Diag::IndexOutOfRange, instr.range, {}, 2},
                index, limit);
    if (instr.operands.size() > 3) {
        llvm::Value* wide = c.b.CreateSExt(index, inLanes(c.lanesOf(instr.operands[1]), c.m.i64()));
        llvm::Value* stride = c.b.CreateZExt(c.operand(instr, 3), c.m.i64());
        return c.b.CreateInBoundsGEP(c.m.i8(), c.operand(instr, 0), c.b.CreateMul(wide, stride));
    }
    const bool isPlain =
        instr.type->isScalar() && !instr.type->isFloatN() && !instr.type->is(TypeKind::Vector);
    if (isPlain) return elementAt(c, c.m.memoryType(instr.type), c.operand(instr, 0), index);
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    return elementAt(c, llvm::ArrayType::get(c.m.i8(), bytes), c.operand(instr, 0), index);
}

void askForStack(BodyContext& c, Site site, llvm::Value* bytes) {
    const int id = c.m.site(std::move(site));
    c.b.CreateCall(
        c.m.runtime("strc_need_stack"),
        {c.param(kEnv), c.b.getInt32(static_cast<std::uint32_t>(id)), c.param(kNode), bytes});
}

void declareDynamic(BodyContext& c, const Instr& instr) {
    LocalStorage& local = c.locals[instr.var.index];
    const Type* type = c.body.locals[instr.var.index].type;
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        c.b.CreateStore(c.operand(instr, k), local.extents[k]);
    if (!local.address) return;  // a parameter: the memory is the caller's
    llvm::Value* bytes =
        c.b.getInt64(static_cast<std::uint64_t>(types::sizeOf(types::innermost(type))));
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        llvm::Value* count = c.operand(instr, k);
        c.require(c.b.CreateICmpSGE(count, c.b.getInt32(0)),
                  {base::Diag::BoundNegative, instr.range, {}, 1}, count);
        bytes = c.b.CreateMul(bytes, c.b.CreateSExt(count, c.m.i64()));
        Site large{base::Diag::OutOfMemory,
                   instr.range,
                   {"array '" + c.body.locals[instr.var.index].name + "'"},
                   1};
        c.require(c.b.CreateICmpULE(bytes, c.b.getInt64(kLargestDynamic)), large, bytes);
    }
    askForStack(c,
                {base::Diag::OutOfMemory,
                 instr.range,
                 {"array '" + c.body.locals[instr.var.index].name + "'"},
                 1},
                bytes);
    auto* memory = c.b.CreateAlloca(c.m.i8(), bytes);
    memory->setAlignment(llvm::Align(32));
    c.b.CreateStore(memory, local.address);
    if (!instr.flag) c.b.CreateMemSet(memory, c.b.getInt8(0), bytes, llvm::MaybeAlign(1));
}

void declareLocal(BodyContext& c, const Instr& instr) {
    STRC_ASSERT(instr.var.space == ir::Space::Local, "a field that begins its life in a firing");
    if (!instr.operands.empty()) return declareDynamic(c, instr);
    const Type* type = c.body.locals[instr.var.index].type;
    if (instr.var.index < c.body.params && type->isAggregate()) return;
    if (instr.flag) return;
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(type));
    c.b.CreateMemSet(c.locals[instr.var.index].memory, c.b.getInt8(0), c.b.getInt64(bytes),
                     llvm::MaybeAlign(1));
}

const Type* declaredType(const BodyContext& c, ir::VarRef var) {
    switch (var.space) {
        case ir::Space::Local: return c.body.locals[var.index].type;
        case ir::Space::Field: return c.kernel.kernel->fieldTypes[var.index];
        case ir::Space::Constant: return c.kernel.kernel->constants[var.index].type;
        case ir::Space::Global: return c.m.program.globalValues[var.index].type;
        case ir::Space::Stored: return c.kernel.kernel->code.stored[var.index].type;
        case ir::Space::Input: return c.kernel.kernel->input;
        case ir::Space::Output: return c.kernel.kernel->output;
    }
    STRC_UNREACHABLE("space");
}

llvm::Value* extentOf(BodyContext& c, const Instr& instr) {
    const Type* type = declaredType(c, instr.var);
    if (instr.var.space == ir::Space::Local && !types::isConcrete(type))
        return c.b.CreateLoad(c.m.i32(), c.locals[instr.var.index].extents[instr.index]);
    for (std::uint32_t k = 0; k < instr.index; ++k) type = type->element;
    return c.b.getInt32(static_cast<std::uint32_t>(type->extent));
}

}  // namespace

bool emitMemory(BodyContext& c, const Instr& instr) {
    switch (instr.op) {
        case Op::Load:
            if (isOpenConstant(c, instr.var))
                c.set(instr, loadOpen(c, instr));
            else if (instr.var.space == ir::Space::Constant)
                c.set(instr, c.m.constant(c.kernel.kernel->constants[instr.var.index]));
            else if (instr.var.space == ir::Space::Global)
                c.set(instr, c.m.constant(c.m.program.globalValues[instr.var.index]));
            else
                c.set(instr, c.m.load(c.b, instr.type, addressOf(c, instr.var)));
            return true;
        case Op::Store:
            if (c.predicate)
                c.m.store(c.b, instr.type, addressOf(c, instr.var),
                          selectValue(c, c.operand(instr, 0),
                                      c.m.load(c.b, instr.type, addressOf(c, instr.var))));
            else
                c.m.store(c.b, instr.type, addressOf(c, instr.var), c.operand(instr, 0));
            return true;
        case Op::Addr: c.set(instr, addressOf(c, instr.var)); return true;
        case Op::Extent: c.set(instr, extentOf(c, instr)); return true;
        case Op::Declare: declareLocal(c, instr); return true;
        case Op::Elem: c.set(instr, elementAddress(c, instr)); return true;
        case Op::Member: {
            std::int64_t offset =
                c.typeOf(instr.operands[0])->structure->fields[instr.index].offset;
            c.set(instr, c.b.CreateInBoundsGEP(c.m.i8(), c.operand(instr, 0),
                                               c.b.getInt64(static_cast<std::uint64_t>(offset))));
            return true;
        }
        case Op::LoadAt: c.set(instr, loadAt(c, instr)); return true;
        case Op::StoreAt: storeAt(c, instr); return true;
        case Op::Contract: emitContract(c, instr); return true;
        case Op::Copy: {
            auto align = llvm::MaybeAlign(1);
            c.b.CreateMemMove(c.operand(instr, 0), align, c.operand(instr, 1), align,
                              byteCount(c, instr, 2));
            return true;
        }
        case Op::Zero:
            c.b.CreateMemSet(c.operand(instr, 0), c.b.getInt8(0), byteCount(c, instr, 1),
                             llvm::MaybeAlign(1));
            return true;
        case Op::Require: {
            const std::string subject = instr.flag ? instr.value.bytes : "'require'";
            c.require(c.operand(instr, 0), {base::Diag::TensorShape,
                                            instr.range,
                                            {subject, ir::demandText(c.body, instr)},
                                            0,
                                            instr.flag ? instr.index : 0});
            return true;
        }
        case Op::Check: {
            ir::BrokenRate broken = ir::brokenBy(c.body.checks[instr.index]);
            c.check(c.operand(instr, 0),
                    {broken.id, instr.range, std::move(broken.words), broken.numbers},
                    c.operand(instr, 1), c.operand(instr, 2));
            return true;
        }
        case Op::CheckExtent:
            c.check(c.b.CreateICmpEQ(c.operand(instr, 0), c.operand(instr, 1)),
                    {base::Diag::ArrayLength, instr.range, {"the array"}, 2}, c.operand(instr, 0),
                    c.operand(instr, 1));
            return true;
        default: return false;
    }
}

void needStack(BodyContext& c, const ir::Body& needy, base::SourceRange at, std::string name,
               bool always) {
    if (!c.m.isOnStack(needy)) return;
    const std::int64_t bytes = bytesOfArrays(needy);
    if (bytes <= kSmall && !always) return;
    askForStack(c, {base::Diag::OutOfMemory, at, {std::move(name)}, 1},
                c.b.getInt64(static_cast<std::uint64_t>(bytes)));
}

void declareLarge(BodyContext& c) {
    std::vector<MemoryPiece> pieces;
    std::int64_t bytes = bytesOfArrays(c.body) + c.products.scratchBytes;
    for (std::size_t k = c.body.params; k < c.locals.size(); ++k) {
        const bool isMade = c.locals[k].memory || c.locals[k].address;
        if (isMade && !c.items.locals.contains(static_cast<std::uint32_t>(k))) continue;
        if (c.shared.own.contains(static_cast<std::uint32_t>(k))) continue;  // shared_loops.h
        bytes -= types::sizeOf(c.body.locals[k].type);
        if (!isMade) pieces.push_back({c.localBytes(k) + spareBytes(c, k), {k}});
    }
    const std::string name = c.function->getName().str();
    if (pieces.size() > 1 && !c.m.debug && base::PassRun(c.m.passes, base::Pass::Arena, name))
        pieces = together(std::move(pieces), c.body);
    for (const MemoryPiece& piece : pieces) bytes += static_cast<std::int64_t>(piece.bytes);
    const bool isOnStack = c.m.isOnStack(c.body);
    const bool mayAsk = isOnStack && (!c.isFunction() || c.body.kind == ir::BodyKind::Handler);
    if (mayAsk && bytes > kSmall)
        askForStack(c, {base::Diag::OutOfMemory, c.body.range, {"'" + c.body.name + "'"}, 1},
                    c.b.getInt64(static_cast<std::uint64_t>(bytes)));
    for (const MemoryPiece& piece : pieces) {
        auto* made = llvm::ArrayType::get(c.m.i8(), piece.bytes);
        llvm::Value* count = isOnStack && bytes > kMostOfFrame ? hidden(c.b, 1) : nullptr;
        auto* slot = c.b.CreateAlloca(made, count, c.body.locals[piece.locals[0]].name);
        slot->setAlignment(llvm::Align(32));
        for (std::size_t local : piece.locals) c.locals[local].memory = slot;
    }
    c.products.scratch = makeScratch(c, c.b);
}

bool isLarge(const BodyContext& c, std::size_t local) {
    return c.body.locals[local].type->isAggregate() && c.localBytes(local) > kLarge;
}

}  // namespace strc::codegen
