#pragma once
/// Values that stand under a name in a weights file. Private to tensor.

#include <optional>
#include <string>
#include <vector>

#include "tensor/detail/body_context.h"

namespace strc::tensor {

struct StoredValues {
    const Type* type = nullptr;  ///< null after a fault with which it cannot go on
    ir::StoredArray array;
    /// If there is a type nevertheless, it goes on as if the values were there: all that is missing is reported at once.
    std::optional<Fault> fault = std::nullopt;
};

/// Looks values up. `wanted`: a tensor; what it leaves open is as it is found.
StoredValues findStored(const BodyContext&, const ir::Instr&, const std::string& name,
                        const Type* wanted);

/// The two texts with a point between them; without the first just the second.
std::string storedName(const std::string& prefix, const std::string& last);

/// The variable that gets the value of a register, if nothing else is done with it before.
const ir::VarRef* storedTo(const ir::Body&, ir::Reg value);

/// Adds what is missing, once for a place and a name.
void noteMissing(Fault, std::vector<Fault>& missing);

}  // namespace strc::tensor
