// Branches on data whose sides are both done (ir/if_conversion.h). What `predicate` does not hold for writes to memory that
// nobody reads: behind an array, or beside the output.

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {
namespace {

constexpr std::uint64_t kSpare = 16;  ///< bytes: the largest scalar
constexpr std::int64_t kMostBeside = 4096;  ///< bytes of the memory beside the output

}  // namespace

/// Not with -g, where lines of the wrong side would seem to run.
void BodyEmitter::chooseIfConversion() {
    const bool isFiring = code && kernel.kernel && body.kind != ir::BodyKind::Setup &&
                          body.kind != ir::BodyKind::Init;
    if (!isFiring || queued || debug || hasVectors || variant || m.options.level < 2 || usesRings()) return;
    const bool fits = kernel.kernel->output && !kernel.dealtOut && discardedBytes() <= kMostBeside;
    ir::IfConversion found = ir::findIfConversion(body, fits);
    const std::string name = function->getName().str();
    m.passes.show(base::Pass::IfConversion, name, [&] { return ir::print(body, found); });
    if (found.any && base::PassRun(m.passes, base::Pass::IfConversion, name))
        ifConversion = std::move(found);
}

/// As long as the output, and an item more: where a full output would go on.
std::int64_t BodyEmitter::discardedBytes() const {
    const std::int64_t most = kMostBeside + 1;
    if (rates.push.max >= most) return most;
    return (rates.push.max + 1) * types::sizeOf(kernel.kernel->output);
}

std::uint64_t BodyEmitter::spareBytes(std::size_t local) const {
    return ifConversion && ifConversion->locals[local] ? kSpare : 0;
}

bool BodyEmitter::isConverted(const Instr& branch) const {
    return ifConversion && ifConversion->blocks[branch.blocks[0]];
}

void BodyEmitter::emitConvertedIf(const Instr& instr) {
    llvm::Value* condition = operand(instr, 0);
    for (std::size_t side : {0, 1}) {
        predicate = side == 0 ? condition : b.CreateNot(condition);
        block(instr.blocks[side]);
    }
    predicate = nullptr;
}

/// One of both, without a branch.
llvm::Value* BodyEmitter::select(llvm::Value* x, llvm::Value* otherwise) {
    llvm::Value* made = b.CreateSelect(predicate, x, otherwise);
    if (auto* instruction = llvm::dyn_cast<llvm::SelectInst>(made))
        instruction->setMetadata(llvm::LLVMContext::MD_unpredictable,
                                 llvm::MDNode::get(m.context, {}));
    return made;
}

/// Where to load or store an element: behind its array, unless `predicate` holds.
llvm::Value* BodyEmitter::selectedAddress(Reg ref) {
    const std::uint32_t root = ifConversion->roots[ref];
    llvm::Value* spare =
        b.CreateConstInBoundsGEP1_64(m.i8(), locals[root].memory, localBytes(root));
    return select(value(ref), spare);
}

/// The output, or the memory beside it.
llvm::Value* BodyEmitter::selectedOutput() {
    if (!discarded) {
        auto bytes = static_cast<std::uint64_t>(discardedBytes());
        auto* slot = entry.CreateAlloca(llvm::ArrayType::get(m.i8(), bytes), nullptr, "beside");
        slot->setAlignment(llvm::Align(16));
        discarded = slot;
    }
    return select(param(kOut), discarded);
}

}  // namespace strc::codegen
