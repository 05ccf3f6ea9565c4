#pragma once
/// The rules for results, a class for each kind of operations (types::TensorKind): the column `shape` of
/// types/tensor_functions.def names their members. Each gives the type of the result, or null after `fail`. Private to tensor.

#include "tensor/detail/rule_operands.h"

namespace strc::tensor {

class ElementwiseRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* arithmetic();
    const Type* comparison();
    const Type* math();
    const Type* function();
    const Type* choice();
    const Type* cast();
    const Type* likeFirst();
    const Type* negation();

private:
    const Type* elementwise(const Type* result);
    const Type* mathElement();
};

class ReductionRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* sum();
    const Type* mean();
    const Type* extreme();
    const Type* indexOfGreatest();

private:
    const Type* reduced(const Type* result);
    bool needsOne() const;
};

class NormalisationRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* softmax();
};

class ContractionRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* matmul();
    const Type* conv();
};

class ReshapingRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* reshape();
    const Type* flatten();
    const Type* squeeze();
    const Type* unsqueeze();
};

class ViewRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* transpose();
    const Type* permute();
    const Type* slice();
    const Type* narrow();
    const Type* flip();
    const Type* windows();
    const Type* broadcastTo();
};

class GatherRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* take();
};

class AssembledRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* cumSum();
    const Type* attention();
    const Type* pad();
    const Type* spread();
    const Type* update();
    const Type* concat();
};

class MadeRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    const Type* made();
    const Type* full();
    const Type* arange();
};

class ExchangeRules : public RuleOperands {
public:
    using RuleOperands::RuleOperands;
    /// As far as it is said: all of it, or nothing.
    const Type* stored();
    const Type* fromScalar();
    const Type* fromArray();
    const Type* read();
    const Type* item();
    const Type* size();
    const Type* rank();

private:
    /// Is the element what the program takes it for?
    const Type* scalar();
};

}  // namespace strc::tensor
