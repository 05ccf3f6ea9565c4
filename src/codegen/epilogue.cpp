// What follows the sums of a contraction, where a library has made these.

#include <algorithm>
#include <vector>

#include "codegen/detail/contractions.h"
#include "codegen/detail/rings.h"

namespace strc::codegen {
namespace {

using ir::ContractionLoop;

class Epilogue {
public:
    Epilogue(llvm::IRBuilder<>& builder, const ir::Contraction& contraction,
             const Operands& allOperands)
        : b(builder), how(contraction), operands(allOperands) {
        for (const ContractionLoop& loop : how.loops)
            if (loop.out != 0 && loop.trips > 1) loops.push_back(loop);
        // Neighbours in the innermost loop.
        std::stable_sort(loops.begin(), loops.end(),
                         [](auto& x, auto& y) { return x.out > y.out; });
    }

    void emit() {
        std::vector<llvm::Value*> places{number(how.out)};
        for (std::size_t k = 0; k < how.addends; ++k) places.push_back(number(how.added[k]));
        around(0, places);
    }

private:
    llvm::Value* number(std::int64_t value) {
        return b.getInt64(static_cast<std::uint64_t>(value));
    }

    llvm::Value* moved(llvm::Value* from, llvm::Value* trips, std::int64_t step) {
        if (step == 0) return from;
        return b.CreateAdd(from, b.CreateMul(trips, number(step), "", false, true), "", false,
                           true);
    }

    /// `places`: elements from the beginnings of the result and of the addends.
    void around(std::size_t depth, const std::vector<llvm::Value*>& places) {
        if (depth == loops.size()) return finish(places);
        const ContractionLoop& loop = loops[depth];
        emitLoop(b, loop.trips, [&](llvm::Value* k) {
            std::vector<llvm::Value*> there{moved(places[0], k, loop.out)};
            for (std::size_t i = 0; i < how.addends; ++i)
                there.push_back(moved(places[i + 1], k, loop.added[i]));
            around(depth + 1, there);
        });
    }

    void finish(const std::vector<llvm::Value*>& places) {
        llvm::Type* element = operands.element;
        std::vector<llvm::Value*> addends;
        for (std::size_t k = 0; k < how.addends; ++k)
            addends.push_back(b.CreateLoad(
                element, b.CreateInBoundsGEP(element, operands.addends[k], places[k + 1])));
        llvm::Value* to = b.CreateInBoundsGEP(element, operands.out, places[0]);
        b.CreateStore(finishSum(b, b.CreateLoad(element, to), addends, how.bounds), to);
    }

    llvm::IRBuilder<>& b;
    const ir::Contraction& how;
    const Operands& operands;
    std::vector<ContractionLoop> loops;
};

}  // namespace

void emitEpilogue(llvm::IRBuilder<>& b, const ir::Contraction& how, const Operands& operands) {
    if (how.hasEpilogue()) Epilogue(b, how, operands).emit();
}

}  // namespace strc::codegen
