#pragma once
/// A symbolic::Program as bytes, for an executable that brings it along (strc/symbolic.h). Code has the IR's text form. Places in
/// sources become numbers of a table, which whoever packs gives texts.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "dynamic_shapes/program.h"

namespace strc::dynamic_shapes {

struct Packed {
    std::string bytes;
    std::vector<base::SourceRange> places;
};

Packed pack(const Program&, const std::function<bool(base::SourceRange)>& isOfLibrary);

struct Unpacked {
    Program program;  ///< the begin of a valid range is the number of its place
    std::vector<bool> isOfLibrary;  ///< by place
};

/// Bytes that `pack` has not made may end in a sentence, or in any program.
base::Result<Unpacked> unpack(std::string_view, types::TypeTable&, base::NameTable&);

}  // namespace strc::dynamic_shapes
