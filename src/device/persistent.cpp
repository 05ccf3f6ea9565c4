#include "device/detail/persistent.h"

#include <algorithm>

#include "base/pass.h"
#include "device/detail/groups.h"
#include "device/detail/stage_kernels.h"
#include "ir/affine.h"

namespace strc::device {

using ir::Instr;
using ir::Op;

namespace {

constexpr std::int64_t kFewIterations = 4;  ///< that are not worth a kernel of their own
/// Blocks that surely are at work at the same time on most devices; fewer wait for each other sooner.
constexpr std::int64_t kMostBlocks = 64;
constexpr std::int64_t kWarps = kBlock / kWarp;  ///< of a block
/// Products of an iteration. Beyond that tiles, or tensor cores, do them so much faster that launches do not matter.
constexpr std::int64_t kMostProducts = std::int64_t{1} << 22;
/// Iterations of a stage that has no products: so many for each thread. More of them use a whole device, which 64 blocks do not.
constexpr std::int64_t kMostIterations = 8 * kMostBlocks * kBlock;
constexpr std::int64_t kMostRows = 16;  ///< that share a column of the other operand
constexpr std::size_t kMostStages = 16, kMostArrays = 48;

bool isSame(const Array& a, const Array& b) { return a.home == b.home && a.index == b.index; }

/// A thread that ends early leaves the others waiting.
bool mayFail(const ir::Body& body) {
    bool may = false;
    forEach(body, body.entry, [&](const Instr& instr) {
        const bool isCheck = instr.op == Op::Require || instr.op == Op::Check ||
                             instr.op == Op::CheckExtent || instr.op == Op::Return;
        may = may || isCheck || mayDivideByZero(instr) || (instr.checked && instr.op == Op::Elem);
    });
    return may;
}

/// Memory that the actions of an iteration write.
class Written {
public:
    Written(const Actions& actions, const std::vector<Kernel>& kernels) {
        for (const Action& action : actions) {
            if (const auto* launch = std::get_if<Launch>(&action.what)) {
                const Kernel& kernel = kernels[launch->kernel];
                for (std::size_t k = 0; k < kernel.arrays.size(); ++k)
                    if (kernel.isWritten[k]) all.push_back(kernel.arrays[k]);
            }
            if (const auto* sum = std::get_if<Contract>(&action.what)) all.push_back(sum->out);
            if (const auto* copy = std::get_if<Copy>(&action.what)) all.push_back(copy->to);
            if (const auto* zero = std::get_if<Zero>(&action.what)) all.push_back(zero->to);
        }
    }
    bool has(const Array& array) const {
        return std::any_of(all.begin(), all.end(),
                           [&](const Array& each) { return isSame(each, array); });
    }

private:
    std::vector<Array> all;
};

class PersistentMaker {
public:
    PersistentMaker(const Firing& of, types::TypeTable& table) : firing(of), types(table) {}

    /// None: it stays a loop between launches.
    std::optional<Persist> make(const Repeat& loop) {
        if (loop.count < kFewIterations || loop.body.empty() || loop.body.size() > kMostStages)
            return std::nullopt;
        const Written written(loop.body, firing.kernels);
        made = {};
        made.count = loop.count;
        made.blocks = blocksFor(loop.body);
        for (const Action& action : loop.body) {
            std::optional<Kernel> kernel = kernelOf(action, written);
            if (!kernel || mayFail(kernel->body)) return std::nullopt;
            addStage(std::move(*kernel), written);
        }
        if (made.arrays.size() > kMostArrays || !hasManyThreads()) return std::nullopt;
        findWaits();
        made.otherwise = {Action{loop}};
        return std::move(made);
    }

private:
    /// Else all blocks but one would only wait.
    bool hasManyThreads() const {
        return std::any_of(made.stages.begin(), made.stages.end(),
                           [](const Stage& stage) { return stage.kernel.threads > 1; });
    }

    std::int64_t blocksFor(const Actions& actions) const {
        std::int64_t blocks = 1;
        for (const Action& action : actions) {
            if (const auto* launch = std::get_if<Launch>(&action.what))
                blocks = std::max(blocks, firing.kernels[launch->kernel].threads / kBlock);
            if (const auto* sum = std::get_if<Contract>(&action.what))
                blocks = std::max(blocks, (columnsOf(sum->how) + kWarps - 1) / kWarps);
        }
        return std::min(blocks, kMostBlocks);
    }

    std::optional<Kernel> kernelOf(const Action& action, const Written& written) const {
        if (const auto* launch = std::get_if<Launch>(&action.what)) {
            const Kernel& kernel = firing.kernels[launch->kernel];
            return kernel.threads <= kMostIterations ? std::optional(kernel) : std::nullopt;
        }
        if (const auto* sum = std::get_if<Contract>(&action.what)) return kernelOf(*sum, written);
        if (const auto* copy = std::get_if<Copy>(&action.what))
            return wordsKernel(copyKernel(*copy, types));
        if (const auto* zero = std::get_if<Zero>(&action.what))
            return wordsKernel(zeroKernel(*zero, types));
        return std::nullopt;
    }

    static std::optional<Kernel> wordsKernel(std::optional<Kernel> kernel) {
        return kernel && kernel->threads <= kMostIterations ? std::move(kernel) : std::nullopt;
    }

    /// What stays the same is operand b.
    std::optional<Kernel> kernelOf(const Contract& sum, const Written& written) const {
        Contract turned = sum;
        if (written.has(sum.b) && !written.has(sum.a)) {
            turned.how = ir::swapped(sum.how);
            std::swap(turned.a, turned.b);
        }
        const std::int64_t products = ir::countProducts(turned.how);
        std::int64_t rows = 1;
        for (const ir::ContractionLoop& loop : turned.how.loops)
            if (loop.out != 0 && loop.b == 0) rows *= loop.trips;
        if (products > kMostProducts || rows > kMostRows) return std::nullopt;
        return sumsKernel(turned, !written.has(turned.b), made.blocks * kWarps, types);
    }

    void addStage(Kernel kernel, const Written& written) {
        Stage stage;
        for (const Array& array : kernel.arrays) {
            auto known = std::find(made.arrays.begin(), made.arrays.end(), array);
            stage.arrays.push_back(static_cast<std::uint32_t>(known - made.arrays.begin()));
            stage.isConstant.push_back(!written.has(array));
            if (known == made.arrays.end()) made.arrays.push_back(array);
        }
        made.outer = std::max(made.outer, kernel.iterationCount);
        stage.kernel = std::move(kernel);
        if (stage.kernel.name.empty())
            stage.kernel.name = "stage" + std::to_string(made.stages.size());
        made.stages.push_back(std::move(stage));
    }

    /// Behind a stage all wait if the next one touches what one since the last wait has written, or writes what it has read; and
    /// behind the last one, as the next iteration may.
    void findWaits() {
        std::size_t first = 0;
        for (std::size_t k = 0; k < made.stages.size(); ++k) {
            bool waits = k + 1 == made.stages.size();
            for (std::size_t before = first; before <= k && !waits; ++before)
                waits = disturbs(made.stages[before].kernel, made.stages[k + 1].kernel);
            made.stages[k].waits = waits;
            if (waits) first = k + 1;
        }
        if (made.outer > 0)
            --made.outer;  // the innermost of the loops that kernels know is this one
    }

    static bool disturbs(const Kernel& before, const Kernel& next) {
        for (std::size_t a = 0; a < before.arrays.size(); ++a)
            for (std::size_t b = 0; b < next.arrays.size(); ++b)
                if (isSame(before.arrays[a], next.arrays[b]) &&
                    (before.isWritten[a] || next.isWritten[b]) &&
                    !isOfSameThread(before, a, next, b))
                    return true;
        return false;
    }

    /// Does one thread do what is done with a place in both? Iterations with the same number are one thread's.
    static bool isOfSameThread(const Kernel& before, std::size_t a, const Kernel& next,
                               std::size_t b) {
        return before.arrays[a] == next.arrays[b] && before.stride[a] != 0 &&
               before.stride[a] == next.stride[b];
    }

    const Firing& firing;
    types::TypeTable& types;
    Persist made;
};

/// Loops that can be, in place of what they are.
void replace(Actions& actions, PersistentMaker& maker, bool& found) {
    for (Action& action : actions) {
        auto* loop = std::get_if<Repeat>(&action.what);
        if (!loop) continue;
        if (std::optional<Persist> made = maker.make(*loop)) {
            action.what = std::move(*made);
            found = true;
        } else {
            replace(loop->body, maker, found);
        }
    }
}

}  // namespace

void makePersistent(base::Passes& passes, Firing& firing, const std::string& name,
                    types::TypeTable& types) {
    Actions actions = firing.actions;
    PersistentMaker maker(firing, types);
    bool isFound = false;
    replace(actions, maker, isFound);
    if (!isFound) return;
    base::PassRun run(passes, base::Pass::DevicePersistent, "filter '" + name + "'");
    if (!run) return;
    firing.actions = std::move(actions);
    run.show([&] { return print(firing, name); });
}

}  // namespace strc::device
