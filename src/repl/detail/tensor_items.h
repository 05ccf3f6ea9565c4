#pragma once
/// Tensors between what is typed, which has values, and the channels of a stream, whose items are memory. Private
/// to repl.

#include <string>
#include <vector>

#include "session/pipeline.h"
#include "types/value.h"

namespace strc::repl {

/// An item as the tensor that it is.
types::Value fromItem(const types::Value& item, const types::Type* tensor);

/// Converts a value to items. The next items have the types `tensors`, over and over, beginning with number `next`.
/// Empty if the value does not have their shape.
std::optional<std::string> toItems(const session::Held& value,
                                   const std::vector<const types::Type*>& tensors,
                                   std::uint64_t next, const types::Type* memory,
                                   types::TypeTable&);

const types::Type* tensorType(const session::Held& tensor, types::TypeTable&);

/// As --input has it: "2x3:float".
std::string shapeText(const types::Type* tensor);

}  // namespace strc::repl
