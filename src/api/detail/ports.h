#pragma once
/// What the items of a main stream's ends are. Private to api.

#include <cstddef>
#include <string_view>

#include "api/detail/compiler.h"

namespace strc::api {

/// Null: there is no such end.
const graph::Edge* endOf(const strc_compiler&, bool isInput);

/// "float", as --input has it. Null, kind Error: tensors have no such elements.
const char* elementName(types::TypeKind);
types::TypeKind elementKind(std::string_view name);

/// A tensor between an item of a channel and memory where its elements lie row by row, as files have them.
class TensorItem {
public:
    TensorItem(const types::Type* item, const types::Type* tensor);

    std::size_t bytes() const { return inside; }
    void take(std::byte* item, const std::byte* from) const;
    void give(std::byte* to, const std::byte* item) const;

private:
    std::size_t inside, size, offset;
};

}  // namespace strc::api
