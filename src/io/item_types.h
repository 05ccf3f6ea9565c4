#pragma once
/// Types of items as the library of files (strc/files/format.h) and the tables of executables have them.

#include <cstdint>
#include <map>
#include <vector>

#include "strc/executable.h"
#include "types/type.h"

namespace strc::io {

/// OTHER: files do not hold it.
strc_kind kindOf(types::TypeKind);

/// Rows that refer to each other by number.
class ItemTypes {
public:
    /// The number of its row; rows that it refers to come before.
    std::uint32_t add(const types::Type*);

    const std::vector<strc_type>& rows() const { return typeRows; }
    const std::vector<strc_field>& fields() const { return fieldRows; }

private:
    std::vector<strc_type> typeRows;
    std::vector<strc_field> fieldRows;
    std::map<const types::Type*, std::uint32_t> numbers;
};

}  // namespace strc::io
