#pragma once
/// The operations on tensors: names and operands for checking, lowering and the text of the IR. What
/// they do is defined in src/tensor.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strc::types {

enum class TensorFn : std::uint8_t {
#define FN(Id, name, signature, form, kind, reads, shape, dimensions) Id,
#include "types/tensor_functions.def"
    Count
};

enum class TensorForm : std::uint8_t { Operator, Call, Maker };

/// How an operation makes its result of its operands.
enum class TensorKind : std::uint8_t {
    Elementwise,  ///< each element of the elements at the same place
    Reshaping,  ///< element i, counted row by row, is element i of the operand
    View,  ///< only says where elements are
    Reduction,  ///< each element of several of the operand
    Contraction,  ///< each element is a sum of products of two operands
    Normalisation,  ///< several of the others, one behind the other
    Assembled,  ///< written part by part, only as a whole
    Gather,  ///< elements of a place that another operand names
    Made,  ///< of numbers alone
    Exchange,  ///< between tensors and scalars, or with what is stored
};

/// How an operation goes through the elements of its operands.
enum class TensorReads : std::uint8_t {
    Once,
    Placed,  ///< once, and each goes to a place of its own in the result
    Often,  ///< more than once, or not all of them
    InOrder,  ///< row by row, wherever they lie
    OftenInOrder,
};

struct TensorFnInfo {
    std::string_view name;
    std::string_view signature;  ///< tensor_functions.def says what it means
    TensorForm form;
    TensorKind kind;
    TensorReads reads;
};

/// Not of Count.
const TensorFnInfo& info(TensorFn);
/// TensorFn::Count if there is none of that name.
TensorFn findTensorFn(std::string_view name);

/// Does it read elements of its operands more than once, or not all of them?
bool readsOften(TensorFn);
/// Does it read its operands row by row, wherever their elements lie?
bool readsInOrder(TensorFn);
/// Do the elements of its operands go to places of their own, once?
bool placesElements(TensorFn);

/// The letter that stands at place `k` of `count` operands, i for all kinds of ints; 0 if there is none.
char operandAt(std::string_view signature, std::size_t k, std::size_t count);
/// Is it an int that is a dimension of the first operand?
bool isDimension(std::string_view signature, std::size_t k, std::size_t count);
/// May the value of operand `k` of `count`, a scalar, be another one the next time, without new code?
bool isValueOfRun(TensorFn, std::size_t k, std::size_t count);
/// May one array of ints stand for the ints?
bool takesList(std::string_view signature);
/// Least and greatest number of operands; `most` is SIZE_MAX where any number may follow.
struct OperandCount {
    std::size_t least = 0, most = 0;
};
OperandCount operandCount(std::string_view signature);

}  // namespace strc::types
