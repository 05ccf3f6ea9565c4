// Variables, arrays, structs.

#include <algorithm>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/body_emitter.h"
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

bool BodyEmitter::memory(const Instr& instr) {
    switch (instr.op) {
        case Op::Load:
            if (isOpen(instr.var))
                set(instr, loadOpen(instr));
            else if (instr.var.space == ir::Space::Constant)
                set(instr, m.constant(kernel.kernel->constants[instr.var.index]));
            else if (instr.var.space == ir::Space::Global)
                set(instr, m.constant(m.program.globalValues[instr.var.index]));
            else
                set(instr, m.load(b, instr.type, addressOf(instr.var)));
            return true;
        case Op::Store:
            if (predicate)
                m.store(b, instr.type, addressOf(instr.var),
                        select(operand(instr, 0), m.load(b, instr.type, addressOf(instr.var))));
            else
                m.store(b, instr.type, addressOf(instr.var), operand(instr, 0));
            return true;
        case Op::Addr: set(instr, addressOf(instr.var)); return true;
        case Op::Extent: set(instr, extent(instr)); return true;
        case Op::Declare: declareLocal(instr); return true;
        case Op::Elem: set(instr, element(instr)); return true;
        case Op::Member: {
            std::int64_t offset = typeOf(instr.operands[0])->structure->fields[instr.index].offset;
            set(instr, b.CreateInBoundsGEP(m.i8(), operand(instr, 0),
                                           b.getInt64(static_cast<std::uint64_t>(offset))));
            return true;
        }
        case Op::LoadAt: set(instr, loadAt(instr)); return true;
        case Op::StoreAt: storeAt(instr); return true;
        case Op::Contract: contract(instr); return true;
        case Op::Copy: {
            auto align = llvm::MaybeAlign(1);
            b.CreateMemMove(operand(instr, 0), align, operand(instr, 1), align,
                            byteCount(instr, 2));
            return true;
        }
        case Op::Zero:
            b.CreateMemSet(operand(instr, 0), b.getInt8(0), byteCount(instr, 1),
                           llvm::MaybeAlign(1));
            return true;
        case Op::Require: {
            const std::string subject = instr.flag ? instr.value.bytes : "'require'";
            require(operand(instr, 0), {base::Diag::TensorShape,
                                        instr.range,
                                        {subject, ir::demandText(body, instr)},
                                        0,
                                        instr.flag ? instr.index : 0});
            return true;
        }
        case Op::Check: {
            ir::BrokenRate broken = ir::brokenBy(body.checks[instr.index]);
            check(operand(instr, 0),
                  {broken.id, instr.range, std::move(broken.words), broken.numbers},
                  operand(instr, 1), operand(instr, 2));
            return true;
        }
        case Op::CheckExtent:
            check(b.CreateICmpEQ(operand(instr, 0), operand(instr, 1)),
                  {base::Diag::ArrayLength, instr.range, {"the array"}, 2}, operand(instr, 0),
                  operand(instr, 1));
            return true;
        default: return false;
    }
}

bool BodyEmitter::isOpen(ir::VarRef var) const {
    return var.space == ir::Space::Constant && kernel.kernel->code.openSlot(var.index) != ir::kNone;
}

/// Neither the value nor where it lies changes while a phase runs.
llvm::Value* BodyEmitter::loadOpen(const Instr& instr) {
    const std::uint64_t slot = kernel.kernel->code.openSlot(instr.var.index);
    auto invariant = [this](llvm::Value* loaded) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(loaded))
            load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                              llvm::MDNode::get(m.context, {}));
        return loaded;
    };
    llvm::Value* place =
        b.CreateConstInBoundsGEP1_64(m.i8(), param(kEnv), offsetof(strc_env, parameters));
    llvm::Value* values = invariant(b.CreateLoad(m.ptr(), place));
    return invariant(m.load(
        b, instr.type, b.CreateConstInBoundsGEP1_64(m.i8(), values, slot * STRC_PARAMETER_BYTES)));
}

llvm::Value* BodyEmitter::addressOf(ir::VarRef var) {
    switch (var.space) {
        case ir::Space::Local: {
            const LocalStorage& local = locals[var.index];
            return local.address ? b.CreateLoad(m.ptr(), local.address) : local.memory;
        }
        case ir::Space::Field: {
            auto offset = static_cast<std::uint64_t>(kernel.kernel->fieldOffsets[var.index]);
            return b.CreateConstInBoundsGEP1_64(m.i8(), param(kFields), offset);
        }
        case ir::Space::Constant: return m.bytes(kernel.kernel->constants[var.index].bytes);
        case ir::Space::Global: return m.bytes(m.program.globalValues[var.index].bytes);
        case ir::Space::Stored: return m.stored(b, kernel.kernel->code.stored[var.index]);
        default: STRC_UNREACHABLE("a variable without memory");
    }
}

llvm::Value* BodyEmitter::loadAt(const Instr& instr) {
    const Reg ref = instr.operands[0];
    return m.load(b, instr.type, predicate ? selectedAddress(ref) : value(ref));
}

void BodyEmitter::storeAt(const Instr& instr) {
    const Reg ref = instr.operands[0];
    const Type* type = typeOf(instr.operands[1]);
    m.store(b, type, predicate ? selectedAddress(ref) : value(ref), operand(instr, 1));
}

llvm::Value* BodyEmitter::byteCount(const Instr& instr, std::size_t refs) {
    if (instr.operands.size() > refs) return b.CreateZExt(operand(instr, refs), m.i64());
    return b.getInt64(static_cast<std::uint64_t>(types::sizeOf(instr.type)));
}

llvm::Value* BodyEmitter::element(const Instr& instr) {
    llvm::Value *index = operand(instr, 1), *limit = operand(instr, 2);
    if (isChecked(instr))
        check(b.CreateICmpULT(index, limit), {base::Diag::IndexOutOfRange, instr.range, {}, 2},
              index, limit);
    llvm::Value* wide = b.CreateSExt(index, inLanes(lanesOf(instr.operands[1]), m.i64()));
    if (instr.operands.size() > 3) {
        llvm::Value* stride = b.CreateZExt(operand(instr, 3), m.i64());
        return b.CreateInBoundsGEP(m.i8(), operand(instr, 0), b.CreateMul(wide, stride));
    }
    const bool isPlain = instr.type->isScalar() && !instr.type->isFloatN() &&
                         !instr.type->is(TypeKind::Vector);
    if (isPlain)
        return b.CreateInBoundsGEP(m.memoryType(instr.type), operand(instr, 0), wide);
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    return b.CreateInBoundsGEP(llvm::ArrayType::get(m.i8(), bytes), operand(instr, 0), wide);
}

// ---- room

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

/// Before `needy` begins.
void BodyEmitter::needStack(const ir::Body& needy, base::SourceRange at, std::string name,
                            bool always) {
    if (!m.isOnStack(needy)) return;
    const std::int64_t bytes = bytesOfArrays(needy);
    if (bytes <= kSmall && !always) return;
    askForStack({base::Diag::OutOfMemory, at, {std::move(name)}, 1},
                b.getInt64(static_cast<std::uint64_t>(bytes)));
}

void BodyEmitter::askForStack(Site site, llvm::Value* bytes) {
    const int id = m.site(std::move(site));
    b.CreateCall(m.runtime("strc_need_stack"),
                 {param(kEnv), b.getInt32(static_cast<std::uint32_t>(id)), param(kNode), bytes});
}

/// Where the body has begun: arrays too large for a frame that is made before anybody can ask.
void BodyEmitter::declareLarge() {
    std::vector<MemoryPiece> pieces;
    std::int64_t bytes = bytesOfArrays(body) + products.scratchBytes;
    for (std::size_t k = body.params; k < locals.size(); ++k) {
        const bool isMade = locals[k].memory || locals[k].address;
        if (isMade && !items.locals.contains(static_cast<std::uint32_t>(k))) continue;
        if (shared.own.contains(static_cast<std::uint32_t>(k))) continue;  // shared_loops.h
        bytes -= types::sizeOf(body.locals[k].type);
        if (!isMade) pieces.push_back({localBytes(k) + spareBytes(k), {k}});
    }
    const std::string name = function->getName().str();
    if (pieces.size() > 1 && !m.debug && base::PassRun(m.passes, base::Pass::Arena, name))
        pieces = together(std::move(pieces), body);
    for (const MemoryPiece& piece : pieces) bytes += static_cast<std::int64_t>(piece.bytes);
    const bool isOnStack = m.isOnStack(body);
    const bool mayAsk = isOnStack && (!isFunction() || body.kind == ir::BodyKind::Handler);
    if (mayAsk && bytes > kSmall)
        askForStack({base::Diag::OutOfMemory, body.range, {"'" + body.name + "'"}, 1},
                    b.getInt64(static_cast<std::uint64_t>(bytes)));
    for (const MemoryPiece& piece : pieces) {
        auto* made = llvm::ArrayType::get(m.i8(), piece.bytes);
        llvm::Value* count = isOnStack && bytes > kMostOfFrame ? hidden(b, 1) : nullptr;
        auto* slot = b.CreateAlloca(made, count, body.locals[piece.locals[0]].name);
        slot->setAlignment(llvm::Align(32));
        for (std::size_t local : piece.locals) locals[local].memory = slot;
    }
    products.scratch = makeScratch(b);
}

std::uint64_t BodyEmitter::localBytes(std::size_t local) const {
    return static_cast<std::uint64_t>(types::sizeOf(body.locals[local].type));
}

bool BodyEmitter::isLarge(std::size_t local) const {
    return body.locals[local].type->isAggregate() && localBytes(local) > kLarge;
}

// ---- lives of variables

void BodyEmitter::declareLocal(const Instr& instr) {
    STRC_ASSERT(instr.var.space == ir::Space::Local, "a field that begins its life in a firing");
    if (!instr.operands.empty()) return declareDynamic(instr);
    const Type* type = body.locals[instr.var.index].type;
    if (instr.var.index < body.params && type->isAggregate()) return;
    if (instr.flag) return;
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(type));
    b.CreateMemSet(locals[instr.var.index].memory, b.getInt8(0), b.getInt64(bytes),
                   llvm::MaybeAlign(1));
}

void BodyEmitter::declareDynamic(const Instr& instr) {
    LocalStorage& local = locals[instr.var.index];
    const Type* type = body.locals[instr.var.index].type;
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        b.CreateStore(operand(instr, k), local.extents[k]);
    if (!local.address) return;  // a parameter: the memory is the caller's
    llvm::Value* bytes =
        b.getInt64(static_cast<std::uint64_t>(types::sizeOf(types::innermost(type))));
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        llvm::Value* count = operand(instr, k);
        require(b.CreateICmpSGE(count, b.getInt32(0)),
                {base::Diag::BoundNegative, instr.range, {}, 1}, count);
        bytes = b.CreateMul(bytes, b.CreateSExt(count, m.i64()));
        Site large{base::Diag::OutOfMemory,
                   instr.range,
                   {"array '" + body.locals[instr.var.index].name + "'"},
                   1};
        require(b.CreateICmpULE(bytes, b.getInt64(kLargestDynamic)), large, bytes);
    }
    askForStack({base::Diag::OutOfMemory,
                 instr.range,
                 {"array '" + body.locals[instr.var.index].name + "'"},
                 1},
                bytes);
    auto* memory = b.CreateAlloca(m.i8(), bytes);
    memory->setAlignment(llvm::Align(32));
    b.CreateStore(memory, local.address);
    if (!instr.flag) b.CreateMemSet(memory, b.getInt8(0), bytes, llvm::MaybeAlign(1));
}

const Type* BodyEmitter::declaredType(ir::VarRef var) const {
    switch (var.space) {
        case ir::Space::Local: return body.locals[var.index].type;
        case ir::Space::Field: return kernel.kernel->fieldTypes[var.index];
        case ir::Space::Constant: return kernel.kernel->constants[var.index].type;
        case ir::Space::Global: return m.program.globalValues[var.index].type;
        case ir::Space::Stored: return kernel.kernel->code.stored[var.index].type;
        case ir::Space::Input: return kernel.kernel->input;
        case ir::Space::Output: return kernel.kernel->output;
    }
    STRC_UNREACHABLE("space");
}

llvm::Value* BodyEmitter::extent(const Instr& instr) {
    const Type* type = declaredType(instr.var);
    if (instr.var.space == ir::Space::Local && !types::isConcrete(type))
        return b.CreateLoad(m.i32(), locals[instr.var.index].extents[instr.index]);
    for (std::uint32_t k = 0; k < instr.index; ++k) type = type->element;
    return b.getInt32(static_cast<std::uint32_t>(type->extent));
}

}  // namespace strc::codegen
