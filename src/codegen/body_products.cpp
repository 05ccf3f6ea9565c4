// Contractions of a body: which of them are products of matrices, and what these need.

#include <algorithm>

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"
#include "codegen/detail/contractions.h"
#include "codegen/stack_size.h"
#include "operators/choice.h"

namespace strc::codegen {

namespace {

StoredOperands storedOperands(const ir::Body& body, const ir::StreamCode* code,
                              const Instr& contraction) {
    return {operators::storedArray(body, code, contraction.operands[1]),
            operators::storedArray(body, code, contraction.operands[2])};
}

}  // namespace

std::int64_t mostStackBytes(const ir::Body& body) {
    const bool contracts =
        std::any_of(body.blocks.begin(), body.blocks.end(), [](const auto& block) {
            return std::any_of(block.instrs.begin(), block.instrs.end(),
                               [](const Instr& instr) { return instr.op == Op::Contract; });
        });
    return contracts ? kMostPacked : 0;
}

void BodyEmitter::chooseProducts() {
    std::string text;
    std::optional<base::PassRun> run;
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.op != Op::Contract || products.kernels.contains(&instr)) continue;
            if (!run) run.emplace(m.passes, base::Pass::RegisterTiling, function->getName().str());
            if (!*run) return;
            const std::int64_t bytes = types::sizeOf(typeOf(instr.operands[0])->element);
            const StoredOperands stored = storedOperands(body, code, instr);
            std::optional<Product> product =
                productOf(ir::contractionOf(instr), bytes, m.target(), stored[0], stored[1]);
            text += product ? codegen::print(*product) : "loops\n";
            if (!product) continue;
            if (product->canFetchPanels()) fetchPanels(*product);
            products.scratchBytes = std::max(products.scratchBytes, product->scratchBytes(bytes));
            const ir::StoredArray* array = stored[product->isSwapped ? 0 : 1];
            products.chosen.emplace(&instr, ChosenProduct{std::move(*product), array});
        }
    if (run) run->show([&] { return text; });
}

void BodyEmitter::fetchPanels(Product& product) {
    base::PassRun run(m.passes, base::Pass::PrefetchPanels, function->getName().str());
    product.fetchesPanels = static_cast<bool>(run);
    if (run) run.show([&] { return codegen::print(product); });
}

/// For the blocks of all products in turn; null: they need none.
llvm::Value* BodyEmitter::makeScratch(llvm::IRBuilder<>& where) {
    if (products.scratchBytes == 0) return nullptr;
    auto* slot = where.CreateAlloca(
        llvm::ArrayType::get(m.i8(), static_cast<std::uint64_t>(products.scratchBytes)), nullptr,
        "room");
    slot->setAlignment(llvm::Align(64));
    return slot;
}

void BodyEmitter::contract(const Instr& instr) {
    const Type* element = typeOf(instr.operands[0])->element;
    Operands operands{m.memoryType(element), operand(instr, 0), operand(instr, 1),
                      operand(instr, 2)};
    for (std::size_t k = 3; k < instr.operands.size(); ++k)
        operands.addends.push_back(operand(instr, k));
    if (auto kernel = products.kernels.find(&instr); kernel != products.kernels.end()) {
        b.CreateCall(m.runtime("strc_kernel_run"), {param(kEnv), b.getInt32(kernel->second),
                                                    operands.out, operands.a, operands.b});
        return emitEpilogue(b, ir::contractionOf(instr), operands);
    }
    const ir::Contraction how = ir::contractionOf(instr);
    if (!shared.leave &&
        emitSplit(m, b, entry, how, operands, storedOperands(body, code, instr), param(kEnv)))
        return;
    auto pollNow = [this] { poll(); };
    auto found = products.chosen.find(&instr);
    if (found == products.chosen.end())
        return shared.leave ? emitContraction(b, entry, how, operands, pollNow)
                            : emitContractionParts(m, b, entry, how, operands, param(kEnv));
    const auto& [product, stored] = found->second;
    if (product.source == VectorSource::Stored)
        (product.isSwapped ? operands.a : operands.b) =
            m.packed(*stored, product, types::sizeOf(element));
    if (shared.leave)
        return emitProduct(b, m.module, product, m.target(), operands, products.scratch, pollNow);
    emitProductParts(m, b, entry, product, operands, products.scratch, param(kEnv));
}

}  // namespace strc::codegen
