#pragma once
/// Makes the body of a kernel, instruction by instruction. Private to linear.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "linear/form.h"

namespace strc::linear {

class Writer {
public:
    /// `range`: what all instructions come from.
    Writer(types::TypeTable&, base::SourceRange range);

    ir::Reg constant(const Type*, Number);  ///< of a numeric type
    ir::Reg integer(std::int64_t);
    ir::Reg truth();
    /// A ref to constants: an array, or an array of arrays row by row.
    ir::Reg table(const Type* array, const std::vector<Number>&);
    ir::Reg operation(ir::Op, const Type*, std::vector<ir::Reg> operands);
    ir::Reg reference(ir::Reg array, ir::Reg index);  ///< to an element of a table or local
    ir::Reg element(ir::Reg array, ir::Reg index);    ///< its value
    void setElement(ir::Reg array, ir::Reg index, ir::Reg value);

    std::uint32_t local(const std::string& name, const Type*);
    ir::Reg address(std::uint32_t local);
    ir::Reg load(std::uint32_t local);
    void store(std::uint32_t local, ir::Reg);

    ir::Reg peek(const Type*, ir::Reg offset);  ///< which is known to lie in the window
    void push(const Type*, ir::Reg);
    void discard(const Type*);

    /// `body(i)` for i from 0 to `count` - 1.
    void loop(std::int64_t count, const std::function<void(ir::Reg)>& body);

    /// The body returns that instead of nothing.
    void finishWith(ir::Reg);
    ir::Body finish() { return std::move(made); }

private:
    ir::Instr& emit(ir::Op, const Type*, std::vector<ir::Reg> operands);
    ir::Reg result(const Type*, bool isRef);
    ir::BlockId inBlock(const std::function<void()>& body);

    types::TypeTable& types;
    base::SourceRange range;
    ir::Body made;
    ir::BlockId current = 0;
};

}  // namespace strc::linear
