#include "opt/detail/image_blocking.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/writer.h"
#include "opt/detail/dimension_map.h"
#include "tensor/node.h"

namespace strc::opt {
namespace {

using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorKind;
using types::Type;
using types::TypeKind;

/// Images, channels, rows and columns, at least.
constexpr std::size_t kImageDimensions = 4;

/// What is known of the values of a body: which of them have the images of the batch, one behind the other.
class Batch {
public:
    Batch(const elab::Kernel& kernel, types::TypeTable& types)
        : facts(factsOf(kernel, types)), dimensions(facts), hasImages(facts.types.size()) {
        for (const Instr& instr : kernel.code.work->blocks[kernel.code.work->entry].instrs)
            isAlone = isAlone && look(instr);
    }

    /// Values are written and read in the cache then, and weights are read once more for each image.
    std::int64_t count(const target::Model& target) const {
        const bool pays =
            largest > target.secondCacheBytes && steps > 1 && (images - 1) * weights < 2 * between;
        return isAlone && pays ? images : 1;
    }

private:
    /// Does it deal with each image alone?
    bool look(const Instr& instr) {
        switch (instr.op) {
            case Op::Const:
            case Op::Load: return true;
            case Op::Declare: return !isImages(instr.type);
            case Op::Pop: return pop(instr);
            case Op::Push: return push(instr);
            case Op::Tensor: return operation(instr);
            default: return isScalar(instr);
        }
    }

    /// What is computed with numbers is the same for all images.
    static bool isScalar(const Instr& instr) {
        const ir::Effects effects = ir::info(instr.op).effects;
        if (instr.type && instr.type->is(TypeKind::Tensor)) return false;
        return effects == ir::Effects::Pure || instr.op == Op::Elem || instr.op == Op::LoadAt ||
               (instr.op == Op::Store && instr.var.space == Space::Local);
    }

    bool pop(const Instr& instr) {
        const Type* type = facts.types[instr.result];
        if (images != 1 || !type || !tensor::isImage(type)) return false;
        images = type->dims[0];
        return has(instr.result);
    }

    bool push(const Instr& instr) {
        const bool isFirst = !std::exchange(isPushed, true);
        return isFirst && hasImages[instr.operands[0]];
    }

    bool operation(const Instr& instr) {
        const std::vector<Reg>& operands = instr.operands;
        if (std::none_of(operands.begin(), operands.end(),
                         [&](Reg operand) { return hasImages[operand]; }))
            return true;
        if (!makesImages(instr)) return false;
        switch (types::info(instr.tensor).kind) {
            case TensorKind::Elementwise:
            case TensorKind::View: return has(instr.result);
            case TensorKind::Reshaping: return false;  // it may say how many images there are
            case TensorKind::Contraction: noteWeights(instr); break;
            default: break;
        }
        return hasMemory(instr.result);
    }

    /// Is an image of the result made of the same image of all operands that have some, and all else the same for all images?
    bool makesImages(const Instr& instr) const {
        const Type* type = facts.types[instr.result];
        if (!type || type->dims.size() < kImageDimensions) return false;
        for (std::size_t k = 0; k < instr.operands.size(); ++k) {
            const bool isShared = !hasImages[instr.operands[k]];
            const auto dim = dimensions.operand(instr, k, 0, isShared);
            if (isShared ? dim.has_value() : dim != 0) return false;
        }
        return true;
    }

    void noteWeights(const Instr& instr) {
        for (const Reg operand : instr.operands)
            if (facts.types[operand] && !hasImages[operand])
                weights += bytesOf(facts.types[operand]);
    }

    bool has(Reg value) { return hasImages[value] = facts.types[value]->dims[0] == images; }

    bool hasMemory(Reg value) {
        const std::int64_t bytes = bytesOf(facts.types[value]);
        largest = std::max(largest, bytes);
        between += bytes;
        ++steps;
        return has(value);
    }

    static std::int64_t bytesOf(const Type* type) {
        return types::countElements(type) * types::sizeOf(type->element);
    }

    bool isImages(const Type* type) const {
        return type && type->is(TypeKind::Tensor) && !type->dims.empty() && type->dims[0] == images;
    }

    const TensorFacts facts;
    const DimensionMap dimensions;
    std::vector<bool> hasImages;  ///< by register
    bool isAlone = true, isPushed = false;
    std::int64_t images = 1;
    std::size_t steps = 0;  ///< whose results have memory of their own
    std::int64_t weights = 0, between = 0, largest = 0;  ///< bytes; of values all, and the largest
};

/// The one item that is popped or pushed, in a variable.
std::optional<std::uint32_t> itemOf(const Body& body, Op op) {
    std::optional<Reg> ref;
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            const bool isTape = instr.op == Op::PopInto || instr.op == Op::PushFrom ||
                                instr.op == Op::PeekInto || instr.op == Op::Discard;
            if (!isTape) continue;
            if (instr.op != Op::PopInto && instr.op != Op::PushFrom) return std::nullopt;
            if (instr.op != op) continue;
            if (ref || &block != &body.blocks[body.entry]) return std::nullopt;
            ref = instr.operands[0];
        }
    if (!ref) return std::nullopt;
    for (const Instr& instr : body.blocks[body.entry].instrs)
        if (instr.result == *ref && instr.op == Op::Addr && instr.var.space == Space::Local)
            return instr.var.index;
    return std::nullopt;
}

/// Wherever the variable is meant it is that place.
void replaceAddresses(Body& body, std::uint32_t local, Reg place) {
    const ir::VarRef var{Space::Local, local};
    std::vector<bool> isAddress(body.regs.size());
    for (ir::Block& block : body.blocks)
        std::erase_if(block.instrs, [&](const Instr& instr) {
            if (instr.var != var) return false;
            if (instr.op == Op::Addr) isAddress[instr.result] = true;
            return instr.op == Op::Addr || instr.op == Op::Declare;
        });
    for (ir::Block& block : body.blocks)
        for (Instr& instr : block.instrs)
            for (Reg& operand : instr.operands)
                if (isAddress[operand]) operand = place;
}

}  // namespace

std::int64_t imagesToBlock(const elab::Kernel& kernel, types::TypeTable& types,
                           const target::Model& target) {
    return kernel.code.work ? Batch(kernel, types).count(target) : 1;
}

tensor::Sequence imagesOf(const tensor::Sequence& batches, std::int64_t images,
                          types::TypeTable& types) {
    tensor::Sequence made;
    for (const Type* batch : batches) {
        std::vector<std::int64_t> dims = batch->dims;
        dims[0] /= images;
        made.push_back(types.tensor(batch->element, dims));
    }
    return made;
}

void forgetBatch(Body& body, types::TypeTable& types) {
    auto forget = [&](const Type*& type) {
        if (!type || !type->is(TypeKind::Tensor) || type->dims.empty()) return;
        std::vector<std::int64_t> dims = type->dims;
        dims[0] = types::kDynamic;
        type = types.tensor(type->element, dims);
    };
    for (auto& reg : body.regs) forget(reg.type);
    for (ir::Variable& local : body.locals) forget(local.type);
    for (ir::Block& block : body.blocks)
        for (Instr& instr : block.instrs) forget(instr.type);
}

bool blockImages(ir::StreamCode& code, std::int64_t images, types::TypeTable& types) {
    Body& body = *code.work;
    const std::optional<std::uint32_t> popped = itemOf(body, Op::PopInto);
    const std::optional<std::uint32_t> pushed = itemOf(body, Op::PushFrom);
    if (!popped || !pushed || popped == pushed) return false;
    ir::Writer w(types);
    w.body = std::move(body);
    w.block = w.body.entry;
    w.range = w.body.range;
    std::vector<Instr> one = std::exchange(w.body.blocks[w.block].instrs, {});
    auto batch = [&](std::uint32_t item) {
        return w.local("", types.array(w.body.locals[item].type, images));
    };
    const std::uint32_t in = batch(*popped), out = batch(*pushed);
    code.input = w.body.locals[in].type;
    code.output = w.body.locals[out].type;
    w.emit(Op::PopInto, w.body.locals[in].type, {w.address(in)});
    Reg from = ir::kNone, to = ir::kNone;
    w.loop(images, [&](Reg image) {
        from = w.reference(w.address(in), image);
        to = w.reference(w.address(out), image);
        for (Instr& instr : one)
            if (instr.op != Op::PopInto && instr.op != Op::PushFrom)
                w.body.blocks[w.block].instrs.push_back(std::move(instr));
    });
    w.emit(Op::PushFrom, w.body.locals[out].type, {w.address(out)});
    replaceAddresses(w.body, *popped, from);
    replaceAddresses(w.body, *pushed, to);
    body = std::move(w.body);
    return true;
}

}  // namespace strc::opt
