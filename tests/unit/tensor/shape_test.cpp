#include "tensor/shape.h"

#include <gtest/gtest.h>

namespace strc::tensor {
namespace {

using types::TensorFn;
using types::TypeKind;

class ShapeTest : public testing::Test {
protected:
    Operand tensor(Dims dims, TypeKind element = TypeKind::Float) {
        return {types.tensor(types.scalar(element), std::move(dims)), std::nullopt};
    }
    Operand number(std::int32_t value) {
        return {types.intType(), Value::of(types.intType(), value)};
    }
    Operand unknown() { return {types.intType(), std::nullopt}; }

    /// The type of the result as text, or why there is none.
    std::string of(TensorFn fn, std::vector<Operand> operands, const Type* type = nullptr) {
        ir::Instr instr;
        instr.op = ir::Op::Tensor;
        instr.tensor = fn;
        instr.type = type ? type : types.tensor();
        Shaped shaped = resultOf(instr, operands, types);
        return shaped.type ? types::toString(shaped.type) : shaped.why;
    }

    types::TypeTable types;
};

TEST_F(ShapeTest, ElementwiseBroadcasts) {
    EXPECT_EQ(of(TensorFn::Add, {tensor({2, 3}), tensor({3})}), "tensor<float>[2, 3]");
    EXPECT_EQ(of(TensorFn::Mul, {tensor({2, 1}), tensor({4, 1, 5})}), "tensor<float>[4, 2, 5]");
    EXPECT_EQ(of(TensorFn::Sub, {tensor({}), tensor({7})}), "tensor<float>[7]");
    EXPECT_EQ(of(TensorFn::Add, {tensor({0, 3}), tensor({1, 3})}), "tensor<float>[0, 3]");
    EXPECT_EQ(of(TensorFn::Add, {tensor({2, 3}), tensor({2})}),
              "the shapes 2x3 and 2 do not fit each other");
}

TEST_F(ShapeTest, ElementsWiden) {
    EXPECT_EQ(of(TensorFn::Add, {tensor({2}, TypeKind::Int), tensor({2})}), "tensor<float>[2]");
    EXPECT_EQ(of(TensorFn::Add, {tensor({2}, TypeKind::Half), tensor({2}, TypeKind::BFloat16)}),
              "tensor<float>[2]");
    EXPECT_EQ(of(TensorFn::Add, {tensor({2}, TypeKind::Long), tensor({2}, TypeKind::Int)}),
              "tensor<long>[2]");
    EXPECT_EQ(of(TensorFn::Eq, {tensor({2}, TypeKind::Long), tensor({2})}), "tensor<boolean>[2]");
}

TEST_F(ShapeTest, ATensorWithoutDimensionsWidensOnlyToAHigherKind) {
    EXPECT_EQ(of(TensorFn::Add, {tensor({2}), tensor({}, TypeKind::Double)}), "tensor<float>[2]");
    EXPECT_EQ(of(TensorFn::Add, {tensor({}, TypeKind::Double), tensor({2}, TypeKind::Int)}),
              "tensor<double>[2]");
    EXPECT_EQ(of(TensorFn::Add, {tensor({}), tensor({}, TypeKind::Double)}), "tensor<double>[]");
}

TEST_F(ShapeTest, ReductionsDropOrKeepTheirDimension) {
    EXPECT_EQ(of(TensorFn::Sum, {tensor({2, 3, 4})}), "tensor<float>[]");
    EXPECT_EQ(of(TensorFn::Sum, {tensor({2, 3, 4}), number(-2)}), "tensor<float>[2, 4]");
    EXPECT_EQ(of(TensorFn::Mean, {tensor({2, 3}, TypeKind::Int), number(1), number(1)}),
              "tensor<float>[2, 1]");
    EXPECT_EQ(of(TensorFn::Sum, {tensor({2}, TypeKind::Boolean)}), "tensor<long>[]");
    EXPECT_EQ(of(TensorFn::Prod, {tensor({2, 3, 4}), number(-2)}), "tensor<float>[2, 4]");
    EXPECT_EQ(of(TensorFn::Prod, {tensor({2, 0}), number(1)}), "tensor<float>[2]");
    EXPECT_EQ(of(TensorFn::Prod, {tensor({2}, TypeKind::Int8)}), "tensor<long>[]");
    EXPECT_EQ(of(TensorFn::Argmax, {tensor({2, 3}), number(0)}), "tensor<long>[3]");
    EXPECT_EQ(of(TensorFn::Sum, {tensor({2}), number(1)}),
              "there is no dimension 1 in 1 dimension");
    EXPECT_EQ(of(TensorFn::Amax, {tensor({2, 0}), number(1)}), "dimension 1 has no items");
    EXPECT_EQ(of(TensorFn::Softmax, {tensor({})}),
              "a tensor without dimensions has none to go over");
}

TEST_F(ShapeTest, ProductsOfMatricesAndRows) {
    EXPECT_EQ(of(TensorFn::Matmul, {tensor({2, 3}), tensor({3, 4})}), "tensor<float>[2, 4]");
    EXPECT_EQ(of(TensorFn::Matmul, {tensor({3}), tensor({3})}), "tensor<float>[]");
    EXPECT_EQ(of(TensorFn::Matmul, {tensor({5, 1, 2, 3}), tensor({7, 3, 4})}),
              "tensor<float>[5, 7, 2, 4]");
    EXPECT_EQ(of(TensorFn::Matmul, {tensor({7, 2, 3}), tensor({3})}), "tensor<float>[7, 2]");
    EXPECT_EQ(of(TensorFn::Matmul, {tensor({2, 3}), tensor({2, 3})}),
              "the last dimension of 2x3 has 3 items, the last but one of 2x3 has 2");
    EXPECT_EQ(of(TensorFn::Matmul, {tensor({}), tensor({3})}),
              "both sides need at least one dimension");
}

TEST_F(ShapeTest, ReshapeCountsElements) {
    EXPECT_EQ(of(TensorFn::Reshape, {tensor({2, 6}), number(3), number(-1)}),
              "tensor<float>[3, 4]");
    EXPECT_EQ(of(TensorFn::Reshape, {tensor({2, 6}), number(5), number(-1)}),
              "12 elements of 2x6 cannot stand as 5x-1");
    EXPECT_EQ(of(TensorFn::Reshape, {tensor({2}), number(-1), number(-1)}), "-1 is no extent");
    EXPECT_EQ(of(TensorFn::Reshape, {tensor({2}), unknown()}),
              "operand 2 decides on the shape and is not known when the program is compiled");
    EXPECT_EQ(of(TensorFn::Flatten, {tensor({2, 3, 4}), number(1)}), "tensor<float>[2, 12]");
    EXPECT_EQ(of(TensorFn::Flatten, {tensor({2, 3, 4}), number(2), number(1)}),
              "dimension 2 stands behind 1");
}

TEST_F(ShapeTest, Views) {
    EXPECT_EQ(of(TensorFn::Transpose, {tensor({2, 3, 4}), number(0), number(-1)}),
              "tensor<float>[4, 3, 2]");
    EXPECT_EQ(of(TensorFn::Permute, {tensor({2, 3}), number(1), number(1)}),
              "dimension 1 is named twice");
    EXPECT_EQ(of(TensorFn::Squeeze, {tensor({2, 1}), number(1)}), "tensor<float>[2]");
    EXPECT_EQ(of(TensorFn::Squeeze, {tensor({2, 1}), number(0)}), "tensor<float>[2, 1]");
    EXPECT_EQ(of(TensorFn::Unsqueeze, {tensor({2}), number(-1)}), "tensor<float>[2, 1]");
    EXPECT_EQ(of(TensorFn::Slice, {tensor({5}), number(0), number(1), number(5), number(3)}),
              "tensor<float>[2]");
    EXPECT_EQ(of(TensorFn::Slice, {tensor({5}), number(0), number(1), number(6)}),
              "1 to 6 does not lie in the 5 items of dimension 0");
    EXPECT_EQ(of(TensorFn::Slice, {tensor({5}), number(0), number(0), number(5), number(0)}),
              "a step of 0 leads nowhere");
    EXPECT_EQ(of(TensorFn::Broadcast, {tensor({3}), number(2), number(3)}), "tensor<float>[2, 3]");
    EXPECT_EQ(of(TensorFn::Broadcast, {tensor({3}), number(3), number(2)}),
              "3 does not become 3x2");
    EXPECT_EQ(of(TensorFn::Concat, {tensor({2, 3}), tensor({4, 3}), number(0)}),
              "tensor<float>[6, 3]");
    EXPECT_EQ(of(TensorFn::Concat, {tensor({2, 3}), tensor({4, 2}), number(0)}),
              "2x3 and 4x2 differ in another dimension than 0");
}

TEST_F(ShapeTest, ElementsAreReadAsWhatTheyAre) {
    EXPECT_EQ(of(TensorFn::Read, {tensor({2}), unknown()}, types.floatType()), "float");
    EXPECT_EQ(of(TensorFn::Read, {tensor({2}, TypeKind::Long), number(1)}, types.intType()), "int");
    EXPECT_EQ(of(TensorFn::Read, {tensor({2}), number(2)}, types.floatType()),
              "index 2 does not lie in the 2 items of dimension 0");
    EXPECT_EQ(of(TensorFn::Read, {tensor({2}, TypeKind::Double), number(1)}, types.floatType()),
              "an element is double here and is read as float; declare the tensor with its element "
              "type, 'tensor<double>'");
    EXPECT_EQ(of(TensorFn::Item, {tensor({1, 1})}, types.floatType()), "float");
    EXPECT_EQ(of(TensorFn::Item, {tensor({2})}, types.floatType()), "2 is not one element");
}

TEST_F(ShapeTest, NothingHasMoreElementsThanAnIntCounts) {
    EXPECT_EQ(of(TensorFn::Zeros, {number(65536), number(65536)}),
              "the result has more than 2147483647 elements");
    EXPECT_EQ(of(TensorFn::Zeros, {number(-2)}), "-2 is no extent");
}

}  // namespace
}  // namespace strc::tensor
