#pragma once
/// Local tensors that each iteration of a loop has for itself: it stores them before it does anything else with them, and
/// nobody looks at them outside of it. Private to tensor.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ir/ir.h"

namespace strc::tensor {

class IterationLocals {
public:
    explicit IterationLocals(const ir::Body&);

    /// How often the local is loaded: twice stands for any number of iterations of loops that do not store it first.
    int loads(std::uint32_t local) const;
    /// A loop whose iterations are being looked at.
    void enter(const ir::Instr& loop) { entered.insert(&loop); }
    void leave(const ir::Instr& loop) { entered.erase(&loop); }
    /// Does only an iteration of a loop know it that has not been entered?
    bool isInside(std::uint32_t local) const;
    /// Those of a loop itself, without those of loops inside of it.
    std::vector<std::uint32_t> ofLoop(const ir::Instr& loop) const;

private:
    /// The innermost loop around all that has to do with a local, and how many loops its iterations stand in.
    struct Home {
        const ir::Instr* loop = nullptr;
        int depth = 0;
    };

    std::map<std::uint32_t, Home> homes;
    std::map<std::uint32_t, int> counts;
    std::set<const ir::Instr*> entered;
};

}  // namespace strc::tensor
