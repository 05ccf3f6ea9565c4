#pragma once
/// Scaled dot-product attention, softmax(q k^T scale) v: row by row of the queries, or in blocks of rows; and told as a whole, around
/// that (ir/attention.h). Private to tensor.

#include "tensor/detail/elements.h"

namespace strc::tensor {

class Attention {
public:
    explicit Attention(Elements& in)
        : elements(in), w(in.w), numbers(in.numbers), places(in.places) {}

    void attend(const Node&, ir::Reg array);

private:
    void attendInLoops(const Node&, ir::Reg array);

    /// False: that cannot be, and nothing is written.
    bool tell(const Node&, ir::Reg array);

    ir::Reg scaleOfScores(const Node&);
    ir::Reg attended(const Node&, std::size_t operand, const MultiIndex&);

    // ---- row by row
    struct Heads;
    void attendRow(const Heads&, const MultiIndex& outer, const Index& row);
    void scoreRow(const Heads&, const MultiIndex& outer, const Index& row);
    void powersOfRow(const Heads&);

    // ---- in blocks of rows
    struct Blocks;
    struct Block;
    bool canAttendInBlocks(const Node&) const;
    void attendBlocks(const Node&, ir::Reg array);
    void attendBlock(const Blocks&, const MultiIndex& outer, Block);
    std::uint32_t room(const char* name, const Type*, std::int64_t count);
    void copyRows(const Blocks&, std::size_t operand, const MultiIndex& outer, const Index& first,
                  std::int64_t rows, std::uint32_t to);
    void layOutKeys(const Blocks&, const MultiIndex& outer);
    void powersOfRow(const Blocks&, const Block&, ir::Reg row);

    Elements& elements;
    ir::Writer& w;
    Numbers& numbers;
    Places& places;
};

}  // namespace strc::tensor
