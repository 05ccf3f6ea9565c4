#pragma once
/// Runs the filters of a symbolic::Program, one firing at a time, as the reference engine would. Tensors that machine code passes
/// on without a look at them are names there.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "dynamic_shapes/program.h"
#include "dynamic_shapes/tensor_heap.h"

namespace strc::dynamic_shapes {

/// The callbacks of bodies, and limits of their run.
struct Callbacks {
    std::function<void(std::string_view)> print;
    /// Empty: natives cannot be called.
    std::function<std::optional<eval::Trap>(const ir::Native&, std::span<std::uint64_t>,
                                            std::uint64_t&)>
        callNative;
    const volatile bool* interrupt = nullptr;  ///< may be null
    std::optional<std::chrono::steady_clock::time_point> deadline;
    bool cFormat = false;
};

class Filters final : eval::Host {
public:
    /// References outlive this.
    Filters(const Program&, types::TypeTable&, const base::Limits&, Callbacks);
    ~Filters() override;

    /// One firing of a node: `parts` are memory of the items that it takes, then of those that it gives. Trapped: why is in
    /// `fault`.
    eval::Outcome fire(std::uint32_t node, void* const* parts, types::Random&);
    /// Of a firing that has given any number of items: how many are left, and the next of them, all of which are taken before the
    /// node fires again. False: `fault`.
    std::int32_t left(std::uint32_t node) const;
    bool next(std::uint32_t node, void* to);
    /// A shape that does not fit has two words: the operation, empty for the filter itself, and why.
    const eval::Trap& fault() const { return *trap; }

    /// Frees tensors that nothing refers to any more; called while nothing fires. `forEachName` calls its argument with all names
    /// that machine code has; other numbers among them do no harm.
    void settle(const std::function<void(const TensorHeap::Mark&)>& forEachName);

    const Type* typeOf(TensorHandle name) const { return heap.typeOf(name); }
    const std::byte* elementsOf(TensorHandle name) { return heap.elementsOf(name); }
    /// A tensor that comes from outside; its name counts until `settle`. Throws std::bad_alloc.
    TensorHandle enter(const Type* concrete, const std::byte* elements);

private:
    struct Actor;

    // ---- eval::Host
    void print(std::string_view text) override { callbacks.print(text); }
    types::Random& random() override { return *generator; }
    eval::Tensors& tensors() override { return heap; }
    std::optional<eval::Trap> callNative(const ir::Native&, std::span<std::uint64_t> args,
                                         std::uint64_t& result) override;

    void setUp(Actor&);
    void forEachRoot(const TensorHeap::Mark&);
    bool take(Actor&, void* const* parts, const Rates&);
    bool give(Actor&, void* const* parts, const Rates&);
    bool giveItem(Actor&, std::int64_t item, std::byte* to);
    bool isFit(const Channel&, TensorHandle);
    static eval::Trap asDynamic(const Actor&, const Rates&, eval::Trap);
    bool checkCounts(const Actor&, const Rates&, const eval::Firing&);
    bool fail(eval::Trap);
    eval::Outcome fire(Actor&, void* const* parts);

    const Program& program;
    types::TypeTable& types;
    Callbacks callbacks;
    eval::Machine machine;
    TensorHeap heap;
    eval::TapeBudget budget;  ///< of items in hand
    std::int64_t wanted = 0;  ///< bytes that were asked for last
    std::vector<std::unique_ptr<Actor>> actors;  ///< as Program::filters
    std::map<std::uint32_t, Actor*> byNode;
    std::map<std::pair<std::uint32_t, bool>, eval::CodePtr> codes;  ///< by kernel; of its prework
    std::vector<TensorHandle> outside;  ///< that machine code may have
    types::Random* generator = nullptr;
    std::optional<eval::Trap> trap;
};

}  // namespace strc::dynamic_shapes
