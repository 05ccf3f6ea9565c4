#include "dynamic_shapes/program.h"

#include <algorithm>

#include "ir/calls.h"

namespace strc::dynamic_shapes {
namespace {

/// More items than that are not worth a part each.
constexpr std::int64_t kMostApart = 16;

bool callsNatives(const ir::Body& body) {
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& instr : block.instrs)
            if (instr.op == ir::Op::Call && instr.callee.kind == ir::CalleeKind::Native)
                return true;
    return false;
}

}  // namespace

bool isHandedOverWhole(const Type* memory, std::int64_t items) {
    return !memory->isAggregate() || items > kMostApart;
}

bool hasOpenConstants(const Program& program) {
    auto isOpen = [](std::uint32_t slot) { return slot != ir::kNone; };
    return std::any_of(program.module.streams.begin(), program.module.streams.end(),
                       [&](const ir::StreamCode& stream) {
                           return std::any_of(stream.open.begin(), stream.open.end(), isOpen);
                       });
}

bool callsNatives(const Program& program) {
    for (const ir::StreamCode& stream : program.module.streams)
        for (const ir::Body* body : ir::bodiesThatRun(program.module, stream))
            if (callsNatives(*body)) return true;
    return false;
}

}  // namespace strc::dynamic_shapes
