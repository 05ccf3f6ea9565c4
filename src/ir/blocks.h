#pragma once
/// Questions about the instructions of a block and of all blocks inside of it.

#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// Does an instruction in the block, or in one inside of it, satisfy `holds`? kNone is an empty block.
template <typename Holds>
bool contains(const Body& body, BlockId start, Holds&& holds) {
    std::vector<BlockId> todo{start};
    while (!todo.empty()) {
        const BlockId id = todo.back();
        todo.pop_back();
        if (id == kNone) continue;
        for (const Instr& i : body.blocks[id].instrs) {
            if (holds(i)) return true;
            todo.insert(todo.end(), i.blocks.begin(), i.blocks.end());
        }
    }
    return false;
}

}  // namespace strc::ir
