#pragma once
/// Chooses how a sum of products is computed: by generated code, or by a library (--kernels).

#include <optional>
#include <string>

#include "operators/operator.h"

namespace strc::operators {

enum class Provider : std::uint8_t { Generated, OneDnn, Torch };

/// "generated", "onednn", "torch"
std::string nameOf(Provider);

struct Choice {
    Provider provider = Provider::Generated;  ///< what there is beside generated code
    bool isFree = false;  ///< it gets what it does faster, not all that it can do
};

struct Chosen {
    Provider provider = Provider::Generated;
    std::optional<Operator> what;  ///< empty: no library knows it
    const ir::StoredArray* weights = nullptr;  ///< null: they change
};

/// Decides who computes an Op::Contract of a body. `code` has the stored arrays that the body names; null: it names none.
Chosen choose(const ir::Body&, const ir::StreamCode* code, const ir::Instr&, Choice);

/// "onednn: matmul 8x512 512x256"
std::string print(const Chosen&);

/// The stored array that a ref leads to, if there is one.
const ir::StoredArray* storedArray(const ir::Body&, const ir::StreamCode*, ir::Reg);

}  // namespace strc::operators
