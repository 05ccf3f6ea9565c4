#pragma once
/// The functions of the one filter: bodies of filters, with items at explicit places.

#include <map>
#include <vector>

#include "lowered/detail/lanes.h"
#include "lowered/detail/rates.h"
#include "lowered/detail/state.h"

namespace strc::lowered {

/// Which body of a kernel it is.
constexpr std::uint32_t kWork = UINT32_MAX, kPrework = UINT32_MAX - 1, kSetup = UINT32_MAX - 2,
                        kInit = UINT32_MAX - 3;

/// A body of a kernel whose items lie on tapes of such types, arrays; null: it has no such side.
struct FunctionKey {
    KernelId kernel = graph::kNone;
    std::uint32_t body = kWork;  ///< or an index into StreamCode::functions
    const Type* in = nullptr;
    const Type* out = nullptr;
    bool inPrework = false;  ///< whose rates its items count for, if there are checks of them
    LaneShape shape = {};  ///< of kWork
    bool hasLoops = false;  ///< kWork: it is Lanes::loopsInVectors
    auto operator<=>(const FunctionKey&) const = default;
};

/// A function's parameters that the lower form adds, in this order, those that it has: the fields of the instance; the tape and
/// the place of the firing's first item, of the input and of the output; the counts of items taken and given so far, an array.
struct Added {
    bool self = false, in = false, out = false, counts = false;
    std::uint32_t count() const {
        return static_cast<std::uint32_t>(self) + 2 * static_cast<std::uint32_t>(in) +
               2 * static_cast<std::uint32_t>(out) + static_cast<std::uint32_t>(counts);
    }
};

class Functions {
public:
    Functions(types::TypeTable&, const State&, const RateProofs&, Lanes&, const elab::Elaboration&);

    /// Its number among the filter's functions; it is made by `finish` if it is new.
    std::uint32_t of(const FunctionKey&);
    /// What is passed to it before its own arguments.
    Added addedTo(const FunctionKey&) const;
    const ir::Body& bodyOf(const FunctionKey&) const;
    std::string nameOf(const FunctionKey&) const;  ///< "Fir_work"
    const elab::Kernel& kernelOf(const FunctionKey& key) const {
        return program.kernels[key.kernel];
    }
    /// Adds a body as it is. Its number among the filter's functions.
    std::uint32_t add(ir::Body);
    /// Puts functions, stored arrays and open constants into the kernel.
    void finish(elab::Kernel&);

    // ---- for the rewriting of bodies
    const State& state;
    const RateProofs& rates;
    Lanes& lanes;
    types::TypeTable& types;
    /// Where a kernel's stored arrays and constants stand among those of the filter.
    std::uint32_t storedOf(KernelId kernel, std::uint32_t k) const {
        return firstStored[kernel] + k;
    }
    std::uint32_t constantOf(KernelId kernel, std::uint32_t k) const {
        return constants[kernel][k];
    }

private:
    void findTapes();
    void gather();

    const elab::Elaboration& program;
    std::map<FunctionKey, std::uint32_t> numbers;
    std::vector<std::optional<FunctionKey>> keys;  ///< by number; none: it is in `whole`
    std::map<std::uint32_t, ir::Body> whole;
    std::vector<std::vector<bool>> usesTapes;  ///< by kernel and function, also through others
    std::vector<std::uint32_t> firstStored;
    std::vector<std::vector<std::uint32_t>> constants;
    elab::Kernel gathered;  ///< constants and stored arrays of all kernels
};

/// The body as such a function.
ir::Body rewritten(Functions&, const FunctionKey&);

}  // namespace strc::lowered
