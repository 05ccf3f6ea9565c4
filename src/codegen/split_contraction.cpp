// Contractions whose parts are said (`--split`): each part is a contraction of its own, in tiles where that pays. Parts of the sums
// make results of their own, which the runtime adds up; there the processes of a mesh share parts (strc/mesh.h).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/pass.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/shared_parts.h"
#include "strc/mesh.h"

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
          element(elementType),
          elementBytes(static_cast<std::int64_t>(elementType->getPrimitiveSizeInBits() / 8)),
          stored(storedOperands) {
        for (const ContractionLoop& each : how.loops)
            if (each.out != 0 && &each != &loop) others.push_back(each);
        std::stable_sort(others.begin(), others.end(),
                         [](const auto& one, const auto& two) { return one.out > two.out; });
    }

    /// Can the runtime be told of the result?
    bool canEmit() const {
        const bool goesOn = std::all_of(others.begin(), others.end(),
                                        [](const auto& each) { return each.out > 0; });
        return !isSpread() ||
               (goesOn && loop.out >= 0 && others.size() <= std::size_t{STRC_SPREAD_LOOPS});
    }

    void emit(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands& operands,
              llvm::Value* env) {
        auto part = [this](llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables,
                           const Operands& here, std::int64_t trips,
                           llvm::Value* number) { piece(builder, variables, here, trips, number); };
        SharedParts parts{loop, grain, part};
        if (isSpread()) parts.spread = spreadPlan();
        if (areSums()) parts.partial = partialElements();
        emitShared(m, b, entry, parts, operands, env);
        if (areSums() && how.hasEpilogue()) emitEpilogue(b, how, operands);
    }

    std::string text() const {
        const std::optional<Product> product = productFor(grain);
        return fmt::format("{} parts of {}{} by hand{}: {}", partCount(), grain,
                           areSums() ? " sums" : "", ownText(),
                           product ? print(*product) : "loops\n");
    }

private:
    bool areSums() const { return loop.out == 0; }
    bool isSpread() const { return areSums() || m.options.mesh; }
    std::int64_t partCount() const { return (loop.trips + grain - 1) / grain; }

    /// Does a process of this rank, if the code is for one, do that part?
    bool isOwn(std::int64_t part) const {
        const std::optional<Mesh>& mesh = m.options.mesh;
        if (!mesh || mesh->count == 0) return true;
        return part >= strc_spread_first(partCount(), mesh->rank, mesh->count) &&
               part < strc_spread_first(partCount(), mesh->rank + 1, mesh->count);
    }

    std::string ownText() const {
        const std::optional<Mesh>& mesh = m.options.mesh;
        if (!mesh || mesh->count < 2) return "";
        return fmt::format(", process {} of {} does {} from {} on", mesh->rank, mesh->count,
                           strc_spread_first(partCount(), mesh->rank + 1, mesh->count) -
                               strc_spread_first(partCount(), mesh->rank, mesh->count),
                           strc_spread_first(partCount(), mesh->rank, mesh->count));
    }

    std::int64_t partialElements() const {
        std::int64_t elements = 1;
        for (const ContractionLoop& each : others) elements *= each.trips;
        return elements;
    }

    /// The sums of a part stand row by row in memory of their own, and what follows the sum waits.
    void makePartial(Contraction& piece) const {
        std::int64_t step = partialElements();
        std::vector<bool> isDone(piece.loops.size());
        for (const ContractionLoop& each : others) {
            step /= each.trips;
            for (std::size_t k = 0; k < isDone.size(); ++k) {
                if (isDone[k] || k == how.parts->loop || how.loops[k].out != each.out) continue;
                piece.loops[k].out = static_cast<std::int32_t>(step);
                isDone[k] = true;
                break;
            }
        }
        piece.out = 0;
        piece.addends = 0;
        piece.bounds = {};
    }

    Contraction contractionOf(std::int64_t trips) const {
        Contraction piece = how;
        piece.parts.reset();
        piece.loops[how.parts->loop].trips = static_cast<std::int32_t>(trips);
        if (areSums()) makePartial(piece);
        return piece;
    }

    strc_spread_sums sumsOf() const {
        if (!areSums()) return STRC_SPREAD_RESULT;
        if (element->isFloatTy()) return STRC_SPREAD_FLOATS;
        return element->isDoubleTy() ? STRC_SPREAD_DOUBLES : STRC_SPREAD_INTS;
    }

    llvm::Constant* spreadPlan() const {
        strc_spread_plan plan{};
        plan.sums = sumsOf();
        plan.stays_apart = !areSums() && how.parts->isPaired;
        plan.element = static_cast<std::uint32_t>(elementBytes);
        plan.loop_count = static_cast<std::uint32_t>(others.size());
        plan.parts = partCount();
        plan.grain = grain;
        plan.first = how.out;
        plan.split = {loop.trips, loop.out};
        for (std::size_t k = 0; k < others.size(); ++k)
            plan.loops[k] = {others[k].trips, others[k].out};
        const llvm::StringRef bytes(reinterpret_cast<const char*>(&plan), sizeof plan);
        llvm::Constant* value = llvm::ConstantDataArray::getString(m.context, bytes, false);
        auto* global = new llvm::GlobalVariable(m.module, value->getType(), true,
                                                llvm::GlobalValue::PrivateLinkage, value, "spread");
        global->setAlignment(llvm::Align(alignof(strc_spread_plan)));
        return global;
    }

    std::optional<Product> productFor(std::int64_t trips) const {
        if (!m.passes.isEnabled(base::Pass::RegisterTiling)) return std::nullopt;
        return productOf(contractionOf(trips), elementBytes, m.target(), stored[0], stored[1]);
    }

    void piece(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, Operands here, std::int64_t trips,
               llvm::Value* number) {
        const std::optional<Product> product = productFor(trips);
        if (areSums()) here.addends.clear();
        if (!product) return emitContraction(b, entry, contractionOf(trips), here, [] {});
        if (product->source == VectorSource::Stored)
            (product->isSwapped ? here.a : here.b) = panels(b, *product, trips, number);
        emitPiece(m, b, entry, *product, here);
    }

    /// The panels of a part: all parts that have so many iterations share them, or each has its own. Where it is known which
    /// process the code is for, it has none of other processes' parts.
    llvm::Value* panels(llvm::IRBuilder<>& b, const Product& product, std::int64_t trips,
                        llvm::Value* number) {
        const std::int64_t step = product.isSwapped ? loop.a : loop.b;
        const ir::StoredArray& array = *stored[product.isSwapped ? 0 : 1];
        const std::int64_t wholes = loop.trips / grain;
        auto packed = [&](std::int64_t part) -> llvm::Constant* {
            if (step != 0 && !isOwn(part)) return llvm::ConstantPointerNull::get(m.ptr());
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
    llvm::Type* const element;
    const std::int64_t elementBytes;
    const StoredOperands& stored;
    std::vector<ContractionLoop> others;  ///< of the result, outermost first
};

}  // namespace

bool emitSplit(const ContractionSite& site, const Contraction& how, const Operands& operands,
               const StoredOperands& stored) {
    auto& [m, b, entry, env] = site;
    // Parts in turn on one thread gain nothing, but they have the bits of a mesh.
    if (!how.parts || (m.options.inPieces && !m.options.mesh)) return false;
    Splitter splitter(m, how, operands.element, stored);
    if (!splitter.canEmit()) return false;
    base::PassRun run(m.passes, base::Pass::ParallelProducts,
                      b.GetInsertBlock()->getParent()->getName().str());
    if (!run && !how.parts->isPaired) return false;  // the other one of the pair relies on it
    run.show([&] { return splitter.text(); });
    splitter.emit(b, entry, operands, env);
    return true;
}

}  // namespace strc::codegen
