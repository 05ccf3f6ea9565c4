#pragma once
/// How large a body of several filters becomes. Private to opt.

#include <cstddef>

#include "ir/ir.h"

namespace strc::opt {

/// Loops that the operations on tensors in one body become: what is beyond is no neighbour's loop any more.
constexpr std::size_t kMostOperations = 512;

/// What a body would grow by.
struct Cost {
    std::size_t operations = 0;  ///< loops that they become
    std::size_t sums = 0;  ///< of products behind each other: each is many loops
    Cost operator+(const Cost& other) const {
        return {operations + other.operations, sums + other.sums};
    }
    bool isLittle(std::size_t mostSums) const {
        return operations <= kMostOperations && sums <= mostSums;
    }
};

Cost costOf(const ir::Body&);

}  // namespace strc::opt
