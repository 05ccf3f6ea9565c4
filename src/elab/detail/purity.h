#pragma once
/// Does elaborating a stream's instance do more than compute its state? Then it runs for each one.

#include <set>
#include <unordered_map>

#include "ir/ir.h"

namespace strc::elab {

class Purity {
public:
    explicit Purity(const ir::Module& module) : module(module) {}

    /// Neither setup nor init prints, draws random numbers or calls natives, directly or not.
    bool isPure(const ir::StreamCode&);

private:
    const ir::Module& module;
    std::unordered_map<const ir::StreamCode*, bool> known;
};

/// graph::Effect bits of a body and everything it calls.
std::uint8_t effectsOf(const ir::Module&, const ir::StreamCode*, const ir::Body&);

}  // namespace strc::elab
