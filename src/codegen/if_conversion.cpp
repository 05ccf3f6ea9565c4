// Branches on data whose sides are both done (ir/if_conversion.h). What `predicate` does not hold for writes to memory that
// nobody reads: behind an array, or beside the output and the caller's arrays.

#include "codegen/detail/if_conversion.h"

#include "base/pass.h"

namespace strc::codegen {
namespace {

constexpr std::uint64_t kSpare = 16;  ///< bytes: the largest scalar
constexpr std::int64_t kMostBeside = 4096;  ///< bytes of the memory beside the output

/// As long as the output, and an item more: where a full output would go on.
std::int64_t discardedBytes(const BodyContext& c) {
    const std::int64_t most = kMostBeside + 1;
    if (c.rates.push.max >= most) return most;
    return (c.rates.push.max + 1) * types::sizeOf(c.kernel.kernel->output);
}

}  // namespace

void chooseIfConversion(BodyContext& c) {
    const bool isFiring = c.code && c.kernel.kernel && c.body.kind != ir::BodyKind::Setup &&
                          c.body.kind != ir::BodyKind::Init;
    if (!isFiring || c.queued || c.debug || c.hasVectors || c.variant || c.m.options.level < 2 ||
        c.usesRings())
        return;
    const bool fits =
        c.kernel.kernel->output && !c.kernel.dealtOut && discardedBytes(c) <= kMostBeside;
    ir::IfConversion found = ir::findIfConversion(c.body, fits);
    const std::string name = c.function->getName().str();
    c.m.passes.show(base::Pass::IfConversion, name, [&] { return ir::print(c.body, found); });
    if (found.any && base::PassRun(c.m.passes, base::Pass::IfConversion, name))
        c.ifConversion = std::move(found);
}

std::uint64_t spareBytes(const BodyContext& c, std::size_t local) {
    return c.ifConversion && c.ifConversion->locals[local] ? kSpare : 0;
}

bool isConverted(const BodyContext& c, const Instr& branch) {
    return c.ifConversion && c.ifConversion->blocks[branch.blocks[0]];
}

llvm::Value* selectValue(BodyContext& c, llvm::Value* x, llvm::Value* otherwise) {
    llvm::Value* made = c.b.CreateSelect(c.predicate, x, otherwise);
    if (auto* instruction = llvm::dyn_cast<llvm::SelectInst>(made))
        instruction->setMetadata(llvm::LLVMContext::MD_unpredictable,
                                 llvm::MDNode::get(c.m.context, {}));
    return made;
}

/// Instead of an element of the array. LLVM makes a branch again of a store to one of two places if the one is a variable for a
/// register, which a volatile store shows that it is not.
llvm::Value* spareElement(BodyContext& c, std::uint32_t root) {
    if (root >= c.body.params)
        return c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.locals[root].memory, c.localBytes(root));
    if (!c.spare) {
        auto* slot = c.entry.CreateAlloca(llvm::ArrayType::get(c.m.i8(), kSpare), nullptr, "spare");
        slot->setAlignment(llvm::Align(16));
        c.entry.CreateStore(c.entry.getInt8(0), slot, true);
        c.spare = slot;
    }
    return c.spare;
}

llvm::Value* selectedAddress(BodyContext& c, Reg ref) {
    return selectValue(c, c.value(ref), spareElement(c, c.ifConversion->roots[ref]));
}

llvm::Value* selectedOutput(BodyContext& c) {
    if (!c.discarded) {
        auto bytes = static_cast<std::uint64_t>(discardedBytes(c));
        auto* slot = c.entry.CreateAlloca(llvm::ArrayType::get(c.m.i8(), bytes), nullptr, "beside");
        slot->setAlignment(llvm::Align(16));
        c.discarded = slot;
    }
    return selectValue(c, c.param(kOut), c.discarded);
}

}  // namespace strc::codegen
