// Contractions of a body: which of them are products of matrices, and what these need.

#include "codegen/detail/body_products.h"

#include <algorithm>

#include "base/pass.h"
#include "codegen/detail/lane_sums.h"
#include "codegen/stack_size.h"
#include "operators/choice.h"
#include "types/tensor_elements.h"

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

namespace {

void fetchPanels(BodyContext& c, Product& product) {
    base::PassRun run(c.m.passes, base::Pass::PrefetchPanels, c.function->getName().str());
    product.fetchesPanels = static_cast<bool>(run);
    if (run) run.show([&] { return codegen::print(product); });
}

/// The factors are elements of two arrays of int8, and sums ints.
bool isOfBytes(const BodyContext& c, const Instr& instr) {
    auto is = [&](std::size_t k, types::TypeKind kind) {
        return c.typeOf(instr.operands[k])->element->is(kind);
    };
    return is(0, types::TypeKind::Int) && is(1, types::TypeKind::Int8) &&
           is(2, types::TypeKind::Int8);
}

std::optional<Product> productFor(const BodyContext& c, const Instr& instr,
                                  const StoredOperands& stored) {
    const ir::Contraction how = ir::contractionOf(instr);
    if (isOfBytes(c, instr) && !how.parts)
        if (auto made = dotProductOf(how, c.m.target(), stored[0], stored[1])) return made;
    const Type* element = types::laneType(c.typeOf(instr.operands[0])->element);
    return productOf(how, types::sizeOf(element), c.m.target(), stored[0], stored[1]);
}

Factor factorOf(BodyContext& c, const Instr& instr, std::size_t k) {
    const Type* element = types::laneType(c.typeOf(instr.operands[k])->element);
    return {c.m.memoryType(element),
            types::isNarrow(element->kind) ? element->kind : types::TypeKind::Void};
}

}  // namespace

void chooseProducts(BodyContext& c) {
    std::string text;
    std::optional<base::PassRun> run;
    for (const ir::Block& block : c.body.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.op != Op::Contract || c.products.kernels.contains(&instr)) continue;
            if (!run)
                run.emplace(c.m.passes, base::Pass::RegisterTiling, c.function->getName().str());
            if (!*run) return;
            const Type* element = c.typeOf(instr.operands[0])->element;
            const std::int64_t bytes = types::sizeOf(types::laneType(element));
            const StoredOperands stored = storedOperands(c.body, c.code, instr);
            std::optional<Product> product = productFor(c, instr, stored);
            text += product ? codegen::print(*product) : "loops\n";
            if (!product) continue;
            if (c.m.options.ordersSums) fixParts(*product);
            if (types::lanesOf(element) != 0) {
                c.products.chosen.emplace(&instr, ChosenProduct{std::move(*product), nullptr});
                continue;
            }
            if (product->canFetchPanels()) fetchPanels(c, *product);
            c.products.scratchBytes = std::max(
                {c.products.scratchBytes, product->scratchBytes(bytes), product->preparedBytes()});
            const ir::StoredArray* array = stored[product->isSwapped ? 0 : 1];
            c.products.chosen.emplace(&instr, ChosenProduct{std::move(*product), array});
        }
    if (run) run->show([&] { return text; });
}

llvm::Value* makeScratch(BodyContext& c, llvm::IRBuilder<>& where) {
    if (c.products.scratchBytes == 0) return nullptr;
    auto* slot = where.CreateAlloca(
        llvm::ArrayType::get(c.m.i8(), static_cast<std::uint64_t>(c.products.scratchBytes)),
        nullptr, "room");
    slot->setAlignment(llvm::Align(64));
    return slot;
}

namespace {

/// One for each lane, in the order that it has by itself.
void emitInLanes(BodyContext& c, const Instr& instr) {
    const Type* vector = c.typeOf(instr.operands[0])->element;
    const std::int64_t bytes = types::sizeOf(vector->element);
    auto operand = [&](std::size_t k) {
        return LaneOperand{c.operand(instr, k),
                           types::lanesOf(c.typeOf(instr.operands[k])->element) != 0,
                           factorOf(c, instr, k)};
    };
    LaneOperands operands{c.m.memoryType(vector->element), types::lanesOf(vector),
                          c.operand(instr, 0), operand(1), operand(2)};
    for (std::size_t k = 3; k < instr.operands.size(); ++k) operands.addends.push_back(operand(k));
    const ir::Contraction how = ir::contractionOf(instr);
    const auto found = c.products.chosen.find(&instr);
    const SumOrder order = found == c.products.chosen.end()
                               ? orderOf(how, bytes)
                               : orderOf(found->second.product, c.m.target());
    emitLaneSums({c.m, c.b, c.entry, c.param(kEnv)}, how, order, operands);
    c.poll();
}

}  // namespace

void emitContract(BodyContext& c, const Instr& instr) {
    const Type* element = c.typeOf(instr.operands[0])->element;
    if (types::lanesOf(element) != 0) return emitInLanes(c, instr);
    Operands operands{c.m.memoryType(element), c.operand(instr, 0), c.operand(instr, 1),
                      c.operand(instr, 2)};
    for (std::size_t k = 3; k < instr.operands.size(); ++k)
        operands.addends.push_back(c.operand(instr, k));
    operands.factorA = factorOf(c, instr, 1);
    operands.factorB = factorOf(c, instr, 2);
    if (auto kernel = c.products.kernels.find(&instr); kernel != c.products.kernels.end()) {
        c.b.CreateCall(c.m.runtime("strc_kernel_run"), {c.param(kEnv), c.b.getInt32(kernel->second),
                                                        operands.out, operands.a, operands.b});
        return emitEpilogue(c.b, ir::contractionOf(instr), operands);
    }
    const ir::Contraction how = ir::contractionOf(instr);
    const ContractionSite site{c.m, c.b, c.entry, c.param(kEnv)};
    if (!c.shared.leave && emitSplit(site, how, operands, storedOperands(c.body, c.code, instr)))
        return;
    auto pollNow = [&c] { c.poll(); };
    auto found = c.products.chosen.find(&instr);
    if (found == c.products.chosen.end())
        return c.shared.leave ? emitContraction(c.b, c.entry, how, operands, pollNow)
                              : emitContractionParts(site, how, operands);
    const auto& [product, stored] = found->second;
    if (product.source == VectorSource::Stored)
        (product.isSwapped ? operands.a : operands.b) = c.m.packed(*stored, product);
    if (product.word > 1)
        operands.factorA.type = operands.factorB.type =
            c.b.getIntNTy(static_cast<unsigned>(8 * product.word));
    if (product.preparesRows) prepareRows(c.b, product, c.m.target(), operands, c.products.scratch);
    if (c.shared.leave)
        return emitProduct(c.b, product, c.m.target(), operands, c.products.scratch, pollNow);
    emitProductParts(site, product, operands, c.products.scratch);
}

}  // namespace strc::codegen
