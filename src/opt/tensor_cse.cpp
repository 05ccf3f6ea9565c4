#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "opt/detail/tensor_body.h"
#include "opt/detail/tensor_constants.h"
#include "opt/detail/tensor_passes.h"

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

bool isChanged(const ir::Body& body, std::uint32_t field) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            const bool changes = instr.op == Op::Store || instr.op == Op::Addr;
            if (changes && instr.var == ir::VarRef{Space::Field, field}) return true;
        }
    return false;
}

/// What stands in a weights file may be other values when an executable starts.
bool areEqual(const ir::StoredArray& a, const ir::StoredArray& b) {
    if (a.type != b.type || !a.bytes || !b.bytes) return false;
    if (a.bytes == b.bytes) return true;
    return !a.isInFile && !b.isInFile &&
           std::memcmp(a.bytes.get(), b.bytes.get(),
                       static_cast<std::size_t>(types::sizeOf(a.type))) == 0;
}

std::size_t firstEqual(const std::vector<ir::StoredArray>& arrays, std::size_t array) {
    std::size_t first = 0;
    while (first < array && !areEqual(arrays[first], arrays[array])) ++first;
    return first;
}

/// What the value depends on; empty: on more than that.
std::string keyOf(const elab::Kernel& kernel, const Instr& instr, const std::vector<Reg>& instead) {
    const ir::Body& body = *kernel.code.work;
    const bool isField = instr.op == Op::Load && instr.var.space == Space::Field;
    const bool isPure =
        instr.op == Op::Tensor || (instr.op == Op::Const && !body.regs[instr.result].ref);
    if (!isPure && !(isField && !isChanged(body, instr.var.index))) return {};
    std::string key;
    auto add = [&](auto number) { key += std::to_string(number) + ' '; };
    add(static_cast<int>(instr.op));
    add(static_cast<int>(instr.tensor));
    add(static_cast<int>(instr.math));
    if (storedOf(kernel, instr)) {
        key += "stored ";
        add(firstEqual(kernel.code.stored, kernel.storedTensors[instr.var.index]));
        add(reinterpret_cast<std::uintptr_t>(kernel.tensors[instr.var.index]));
    } else {
        add(instr.var.index);
    }
    add(reinterpret_cast<std::uintptr_t>(instr.type));
    for (Reg operand : instr.operands) add(instead[operand]);
    return key + instr.value.bytes;
}

}  // namespace

bool shareSubexpressions(const pass::Context& /*context*/, elab::Kernel& kernel) {
    ir::Body& body = *kernel.code.work;
    std::vector<Reg> instead(body.regs.size());
    std::iota(instead.begin(), instead.end(), Reg{0});
    std::map<std::string, Reg> known;
    bool changes = false;
    for (const Instr& instr : body.blocks[body.entry].instrs) {
        if (instr.result == ir::kNone) continue;
        const std::string key = keyOf(kernel, instr, instead);
        if (key.empty()) continue;
        const auto [found, isNew] = known.try_emplace(key, instr.result);
        if (isNew) continue;
        instead[instr.result] = found->second;
        changes = changes || instr.op != Op::Const;
    }
    if (changes) substitute(body, instead);
    return changes;
}

}  // namespace strc::opt
