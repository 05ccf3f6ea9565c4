#pragma once
/// A tensor in a body that is being expanded: memory, a number, or an operation that is still to be
/// computed. Private to tensor.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "tensor/shape.h"

namespace strc::tensor {

struct Node;
using NodePtr = std::shared_ptr<Node>;

enum class NodeKind : std::uint8_t { Memory, Number, Operation };

struct Node {
    NodeKind kind = NodeKind::Operation;
    const Type* type = nullptr;  ///< concrete

    // ---- Memory: from the beginning of a variable
    ir::VarRef var;
    const Type* array = nullptr;  ///< of the variable
    Dims steps;  ///< from item to item, by dimension; empty: row by row

    // ---- Number: the same in all places, in a register of the element's type
    ir::Reg reg = ir::kNone;
    std::optional<types::Value> value;  ///< if it is known

    // ---- Operation
    types::TensorFn fn = types::TensorFn::Count;
    types::MathFn math = types::MathFn::Count;
    std::vector<NodePtr> operands;
    std::vector<std::int64_t> ints;  ///< dimensions and the like, in the order of the signature
    ir::Reg start = ir::kNone;  ///< Narrow, Update: the first item, if the run decides on it
    base::SourceRange range;

    const Dims& dims() const { return type->dims; }
    std::int64_t count() const { return countElements(type); }
};

inline NodePtr memory(const Type* tensor, ir::VarRef var, const Type* array, Dims steps = {}) {
    auto node = std::make_shared<Node>();
    node->kind = NodeKind::Memory;
    node->type = tensor;
    node->var = var;
    node->array = array;
    node->steps = std::move(steps);
    return node;
}

inline NodePtr number(const Type* tensor, ir::Reg reg,
                      std::optional<types::Value> value = std::nullopt) {
    auto node = std::make_shared<Node>();
    node->kind = NodeKind::Number;
    node->type = tensor;
    node->reg = reg;
    node->value = std::move(value);
    return node;
}

// By the kind of the operation; false for TensorFn::Count, which memory and numbers have.

/// Each element is made of the elements at the same place in the operands.
bool isElementwise(types::TensorFn);
/// Element i of the result, counted row by row, is element i of the operand.
bool keepsOrder(types::TensorFn);
/// Goes through more than one element of an operand for each of the result.
bool isReduction(types::TensorFn);
/// Made of numbers alone, without an operand that is a tensor in memory.
bool isMade(types::TensorFn);
/// A sum of products of two operands.
bool isContraction(types::TensorFn);
/// Only says where elements are.
bool isView(types::TensorFn);
/// Put together part by part: only as a whole.
bool isAssembled(types::TensorFn);
/// Zeros around something with zeros around it: both are written at once.
bool isPadOfPad(const Node&);
/// Have numbers of type `to` all values of the narrow elements `from`, so that a sum of products may take these as they lie in memory
/// (ir/contraction.h)?
bool isWidening(const Type* from, const Type* to);
/// Is it a cast that does that?
bool isWidening(const Node&);
/// Does computing it read that variable?
bool reads(const Node&, ir::VarRef);

}  // namespace strc::tensor
