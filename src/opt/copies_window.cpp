#include "opt/detail/copies_window.h"

#include <algorithm>
#include <cstring>

#include "eval/eval.h"

namespace strc::opt {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::Type;
using types::TypeKind;

/// Operations that may be tried for a firing: some megabytes of items.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 26;

/// What comes from items may be stored, loaded and pushed, nothing else; there is nothing else that could change from
/// firing to firing.
class Blind {
public:
    explicit Blind(const Body& what)
        : body(what),
          fromItems(what.regs.size()),
          holdsItems(what.locals.size()),
          roots(what.regs.size(), ir::kNone) {}

    bool isSo() {
        do {
            hasChanged = false;
            if (!block(body.entry)) return false;
        } while (hasChanged);
        return true;
    }

private:
    bool block(BlockId id) {
        if (id == ir::kNone) return true;
        return std::all_of(body.blocks[id].instrs.begin(), body.blocks[id].instrs.end(),
                           [&](const Instr& instr) {
                               return instruction(instr) &&
                                      std::all_of(instr.blocks.begin(), instr.blocks.end(),
                                                  [&](BlockId inner) { return block(inner); });
                           });
    }

    bool instruction(const Instr& i) {
        switch (i.op) {
            case Op::Pop: return item(i.result);
            case Op::PopInto: return holds(roots[i.operands[0]]);
            case Op::Discard:
            case Op::Push:
            case Op::PushFrom: return true;
            case Op::Load:
                if (i.var.space == Space::Constant) return true;
                return isLocal(i) && (!holdsItems[i.var.index] || item(i.result));
            case Op::Store: return isLocal(i) && (!fromItems[i.operands[0]] || holds(i.var.index));
            case Op::Addr:
                if (isLocal(i)) roots[i.result] = i.var.index;
                return isLocal(i) || i.var.space == Space::Constant;
            case Op::Elem:
            case Op::Member: roots[i.result] = roots[i.operands[0]]; return isClean(i);
            case Op::LoadAt: return !hasItems(i.operands[0]) || item(i.result);
            case Op::StoreAt: return !fromItems[i.operands[1]] || holds(roots[i.operands[0]]);
            case Op::Copy: return !hasItems(i.operands[1]) || holds(roots[i.operands[0]]);
            case Op::Declare: return isLocal(i) && isClean(i);
            case Op::If:
            case Op::Loop:
            case Op::Yield: return isClean(i);
            default: return ir::info(i.op).effects == ir::Effects::Pure && isClean(i);
        }
    }

    static bool isLocal(const Instr& i) { return i.var.space == Space::Local; }
    bool isClean(const Instr& i) const {
        return std::none_of(i.operands.begin(), i.operands.end(),
                            [&](Reg reg) { return fromItems[reg]; });
    }
    bool hasItems(Reg ref) const { return roots[ref] != ir::kNone && holdsItems[roots[ref]]; }

    bool item(Reg reg) {
        hasChanged = hasChanged || !fromItems[reg];
        fromItems[reg] = true;
        return true;
    }
    bool holds(std::uint32_t local) {
        if (local == ir::kNone) return false;
        hasChanged = hasChanged || !holdsItems[local];
        holdsItems[local] = true;
        return true;
    }

    const Body& body;
    std::vector<bool> fromItems;  ///< by register
    std::vector<bool> holdsItems;  ///< by local
    std::vector<std::uint32_t> roots;  ///< by register: the local that a ref leads into
    bool hasChanged = false;
};

/// Ordinary numbers of a type, all different, as they lie in memory; none for types that have few of them.
class Numbering {
public:
    explicit Numbering(const Type* type) {
        switch (type->kind) {
            case TypeKind::Float: first = 0x3f800000, most = 1 << 22; break;
            case TypeKind::Double: first = 0x3ff0000000000000, most = std::int64_t{1} << 40; break;
            case TypeKind::Int: first = 0x10000000, most = 1 << 29; break;
            default: break;
        }
        size = static_cast<std::size_t>(types::sizeOf(type));
    }

    bool has(std::int64_t count) const { return count <= most; }
    void fill(std::byte* to, std::int64_t count, std::uint64_t from) const {
        for (std::int64_t k = 0; k < count; ++k, to += size) {
            const std::uint64_t number = first + from + static_cast<std::uint64_t>(k);
            std::memcpy(to, &number, size);  // the low bytes, which come first
        }
    }

private:
    std::uint64_t first = 0;
    std::int64_t most = 0;
    std::size_t size = 0;
};

/// One firing.
class Trial {
public:
    Trial(const base::Limits& most, const ir::Module& module, types::TypeTable& types,
          const elab::Kernel& of)
        : limits(most), kernel(of) {
        run.module = &module;
        run.code = &kernel.code;
        run.constants = kernel.constants;
        run.itemTypes[0] = kernel.input;
        run.itemTypes[1] = kernel.output;
        code = eval::compile(module, &kernel.code, *kernel.code.work, types);
    }

    /// With numbers from `from` on.
    bool copies(const Numbering& numbers, std::int64_t count, std::uint64_t from) {
        eval::Tape in(static_cast<std::uint32_t>(types::sizeOf(kernel.input))),
            out(static_cast<std::uint32_t>(types::sizeOf(kernel.output)));
        const auto pops = static_cast<std::uint64_t>(kernel.work.pop.max),
                   pushes = static_cast<std::uint64_t>(kernel.work.push.max);
        std::byte* window = in.append(pops);
        numbers.fill(window, count, from);
        const std::vector<std::byte> before(window, window + pops * in.bytesPerItem());
        eval::Host host;
        run.input = &in;
        run.output = &out;
        run.host = &host;
        eval::Machine machine(limits);
        machine.stepsLeft = kMostSteps;
        eval::Firing firing{kernel.work.pop.max, kernel.work.pop.max, kernel.work.push.max};
        return machine.fire(*code, run, firing) == eval::Outcome::Done && in.size() == 0 &&
               out.size() == pushes && std::memcmp(out.at(0), before.data(), before.size()) == 0;
    }

private:
    const base::Limits& limits;
    const elab::Kernel& kernel;
    eval::Instance run;
    eval::CodePtr code;
};

/// Its only body is `work`, which is all that a firing depends on.
bool isPlain(const elab::Kernel& kernel) {
    const ir::StreamCode& code = kernel.code;
    const bool isOpen = std::any_of(code.open.begin(), code.open.end(),
                                    [](std::uint32_t slot) { return slot != ir::kNone; });
    return kernel.builtin == types::BuiltinStream::None && !kernel.prework &&
           !kernel.work.isDynamic() && kernel.work.peek == kernel.work.pop && code.work &&
           !code.startsLate && !isOpen && kernel.input && kernel.output;
}

}  // namespace

bool copiesWindow(const base::Limits& limits, const ir::Module& module, types::TypeTable& types,
                  const elab::Kernel& kernel) {
    if (!isPlain(kernel)) return false;
    const Type* scalar = types::innermost(kernel.input);
    const std::int64_t bytes = kernel.work.pop.max * types::sizeOf(kernel.input);
    if (scalar != types::innermost(kernel.output) || bytes == 0 ||
        bytes != kernel.work.push.max * types::sizeOf(kernel.output))
        return false;
    const Numbering numbers(scalar);
    const std::int64_t count = bytes / types::sizeOf(scalar);
    if (!numbers.has(2 * count) || !Blind(*kernel.code.work).isSo()) return false;
    // A constant that happens to be the number of its place is none the second time.
    const auto next = static_cast<std::uint64_t>(count);
    Trial trial(limits, module, types, kernel);
    return trial.copies(numbers, count, 0) && trial.copies(numbers, count, next);
}

}  // namespace strc::opt
