// Contractions whose parts are said by hand (`--split`): each part is a contraction of its own, in tiles where that pays.

#include <fmt/format.h>

#include "base/pass.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/shared_parts.h"

namespace strc::codegen {
namespace {

using ir::Contraction;
using ir::ContractionLoop;

class Splitter {
public:
    Splitter(ModuleBuilder& builder, const Contraction& contraction, llvm::Type* elementType,
             const StoredOperands& storedOperands)
        : m(builder),
          how(contraction),
          loop(how.loops[how.parts->loop]),
          grain(how.parts->trips),
          elementBytes(static_cast<std::int64_t>(elementType->getPrimitiveSizeInBits() / 8)),
          stored(storedOperands) {}

    void emit(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands& operands,
              llvm::Value* env) {
        auto part = [this](llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables,
                           const Operands& here, std::int64_t trips,
                           llvm::Value* number) { piece(builder, variables, here, trips, number); };
        emitShared(m, b, entry, {loop, grain, part}, operands, env);
    }

    std::string text() const {
        const std::optional<Product> product = productFor(grain);
        return fmt::format("{} parts of {} by hand: {}", (loop.trips + grain - 1) / grain, grain,
                           product ? print(*product) : "loops\n");
    }

private:
    Contraction contractionOf(std::int64_t trips) const {
        Contraction piece = how;
        piece.parts.reset();
        piece.loops[how.parts->loop].trips = static_cast<std::int32_t>(trips);
        return piece;
    }

    std::optional<Product> productFor(std::int64_t trips) const {
        if (!m.passes.isEnabled(base::Pass::RegisterTiling)) return std::nullopt;
        return productOf(contractionOf(trips), elementBytes, m.target(), stored[0], stored[1]);
    }

    void piece(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, Operands here, std::int64_t trips,
               llvm::Value* number) {
        const std::optional<Product> product = productFor(trips);
        if (!product) return emitContraction(b, entry, contractionOf(trips), here, [] {});
        if (product->source == VectorSource::Stored)
            (product->isSwapped ? here.a : here.b) = panels(b, *product, trips, number);
        emitPiece(m, b, entry, *product, here);
    }

    /// The panels of a part: all parts that have so many iterations share them, or each has its own.
    llvm::Value* panels(llvm::IRBuilder<>& b, const Product& product, std::int64_t trips,
                        llvm::Value* number) {
        const std::int64_t step = product.isSwapped ? loop.a : loop.b;
        const ir::StoredArray& array = *stored[product.isSwapped ? 0 : 1];
        const std::int64_t wholes = loop.trips / grain;
        auto packed = [&](std::int64_t part) {
            Product moved = product;
            moved.firstB += part * grain * step;
            return m.packed(array, moved);
        };
        if (step == 0 || trips < grain) return packed(wholes);
        std::vector<llvm::Constant*> all;
        for (std::int64_t part = 0; part < wholes; ++part) all.push_back(packed(part));
        auto* type = llvm::ArrayType::get(m.ptr(), all.size());
        auto* table =
            new llvm::GlobalVariable(m.module, type, true, llvm::GlobalValue::PrivateLinkage,
                                     llvm::ConstantArray::get(type, all), "panels");
        return b.CreateLoad(m.ptr(), b.CreateInBoundsGEP(m.ptr(), table, number));
    }

    ModuleBuilder& m;
    const Contraction& how;
    const ContractionLoop& loop;
    const std::int64_t grain;
    const std::int64_t elementBytes;
    const StoredOperands& stored;
};

}  // namespace

bool emitSplit(const ContractionSite& site, const Contraction& how, const Operands& operands,
               const StoredOperands& stored) {
    auto& [m, b, entry, env] = site;
    if (!how.parts || m.options.inPieces) return false;
    base::PassRun run(m.passes, base::Pass::ParallelProducts,
                      b.GetInsertBlock()->getParent()->getName().str());
    if (!run) return false;
    Splitter splitter(m, how, operands.element, stored);
    run.show([&] { return splitter.text(); });
    splitter.emit(b, entry, operands, env);
    return true;
}

}  // namespace strc::codegen
