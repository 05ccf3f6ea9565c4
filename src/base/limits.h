#pragma once
/// Every bound that keeps bad input from eating the machine. Each has a test.

#include <cstdint>

namespace strc::base {

struct Limits {
    std::uint32_t nesting = 1000;             ///< brackets and blocks inside one another in one text
    std::uint32_t treeDepth = 2500;           ///< levels of a syntax tree: nesting, and chains of operators, `else if`
    std::uint64_t elaborationSteps = 2'000'000'000;  ///< IR operations while the graph is built
    std::uint64_t nodes = 5'000'000;          ///< filters, splitters and joiners of one graph
    std::uint64_t enqueuedItems = 10'000'000; ///< of one feedback loop
    std::uint32_t streamDepth = 20'000;       ///< composites inside one another
    std::uint32_t callDepth = 10'000;         ///< helper functions inside one another
    std::uint64_t arrayBytes = 1ull << 32;    ///< one array or struct value
    std::uint64_t totalBytes = 8ull << 30;    ///< state and channels of one program
    std::uint64_t simulationSteps = 2'000'000'000;  ///< firings counted in one schedule search
    std::uint64_t emptyFirings = 1'000'000;   ///< dynamic firings in a row that do nothing
    std::uint32_t errors = 200;               ///< messages shown before giving up
};

}  // namespace strc::base
