#pragma once
/// Every bound that keeps bad input from eating the machine. Each has a test.

#include <cstdint>

namespace strc::base {

struct Limits {
    std::uint32_t nesting = 1000;  ///< brackets and blocks inside one another in one text
    std::uint32_t treeDepth =
        2500;  ///< levels of a syntax tree: nesting, and chains of operators, `else if`
    std::uint64_t elaborationSteps = 2'000'000'000;  ///< IR operations while the graph is built
    std::uint64_t nodes = 1'000'000;  ///< filters, splitters and joiners of one graph
    std::uint64_t enqueuedItems = 1'000'000;  ///< of one feedback loop
    std::uint32_t streamDepth = 20'000;  ///< composites inside one another
    std::uint32_t callDepth = 10'000;  ///< helper functions inside one another
    std::uint64_t arrayBytes = 1ull << 28;  ///< one array or struct value
    std::uint64_t textBytes = 1ull << 24;  ///< one text that a program puts together
    std::uint64_t totalBytes = 1ull
                               << 30;  ///< of each: all tapes, all states and arguments, the stack
    std::uint64_t simulationSteps = 2'000'000'000;  ///< firings counted in one schedule search
    std::uint64_t emptyFirings = 1'000'000;  ///< dynamic firings in a row that do nothing
    std::uint32_t errors = 200;  ///< messages shown before giving up
};

}  // namespace strc::base
