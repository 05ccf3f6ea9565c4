#pragma once
/// Makes the work of a filter with linear sums. Private to linear.

#include <vector>

#include "ir/writer.h"
#include "linear/detail/form.h"

namespace strc::linear {

class Writer : public ir::Writer {
public:
    /// `range`: what all instructions come from.
    Writer(types::TypeTable&, base::SourceRange range);

    using ir::Writer::constant;
    ir::Reg constant(const Type*, Number);  ///< of a numeric type
    /// A ref to constants: an array, or an array of arrays row by row.
    ir::Reg table(const Type* array, const std::vector<Number>&);

    ir::Reg peek(const Type*, ir::Reg offset);  ///< which is known to lie in the window
    void push(const Type*, ir::Reg);
    void discard(const Type*);

    /// The body returns that instead of nothing.
    void finishWith(ir::Reg);
    ir::Body finish() { return std::move(body); }
};

}  // namespace strc::linear
