#include "device/detail/windows.h"

#include <algorithm>

#include "ir/count_items.h"
#include "ir/writer.h"

namespace strc::device {

using ir::Instr;
using ir::Op;
using ir::Reg;

namespace {

constexpr std::uint64_t kSteps = 1 << 20;  ///< of counting

class WindowWriter {
public:
    WindowWriter(const elab::Kernel& of, const ir::ItemCounts& known, types::TypeTable& table)
        : kernel(of), counts(known), types(table), w(table) {
        w.body = *of.code.work;
    }

    ir::Body run() {
        const std::size_t blocks = w.body.blocks.size();
        begin();
        for (ir::BlockId id = 0; id < blocks; ++id) rewrite(id);
        end();
        return std::move(w.body);
    }

private:
    /// Fills an empty entry block with what comes first; what was there follows in rewrite().
    void begin() {
        first.swap(w.body.blocks[w.body.entry].instrs);
        w.block = w.body.entry;
        w.range = w.body.range;
        if (takes()) {
            in = w.local("in", types.array(kernel.input, counts.peeks.max));
            w.emit(Op::PopInto, w.body.locals[in].type, {w.address(in)});
            taken = cursor("taken");
        }
        if (gives()) {
            out = w.local("out", types.array(kernel.output, counts.pushes.max));
            given = cursor("given");
        }
    }

    std::uint32_t cursor(const std::string& name) {
        const std::uint32_t local = w.local(name, types.intType());
        w.store(local, w.integer(0));
        return local;
    }

    void rewrite(ir::BlockId id) {
        w.block = id;
        std::vector<Instr> before;
        before.swap(id == w.body.entry ? first : w.body.blocks[id].instrs);
        for (const Instr& instr : before) {
            w.range = instr.range;
            rewrite(instr);
        }
    }

    void rewrite(const Instr& instr) {
        switch (instr.op) {
            case Op::Pop: read(w.load(taken), instr.result); return advance(taken, 1);
            case Op::Peek:
                return read(
                    w.operation(Op::Add, types.intType(), {w.load(taken), instr.operands[0]}),
                    instr.result);
            case Op::Discard: return advance(taken, 1);
            case Op::DiscardMany: return advance(taken, instr.index);
            case Op::Push:
                w.setElement(w.address(out), w.load(given), instr.operands[0]);
                return advance(given, 1);
            default: w.body.blocks[w.block].instrs.push_back(instr);
        }
    }

    void read(Reg at, Reg result) {
        w.element(w.address(in), at);
        w.body.blocks[w.block].instrs.back().result = result;
    }

    void advance(std::uint32_t local, std::int64_t by) {
        w.store(local, w.operation(Op::Add, types.intType(), {w.load(local), w.integer(by)}));
    }

    /// Before the body returns.
    void end() {
        if (!gives()) return;
        auto& instrs = w.body.blocks[w.body.entry].instrs;
        std::vector<Instr> last;
        if (!instrs.empty() && instrs.back().op == Op::Return) {
            last.push_back(instrs.back());
            instrs.pop_back();
        }
        w.block = w.body.entry;
        w.emit(Op::PushFrom, w.body.locals[out].type, {w.address(out)});
        auto& all = w.body.blocks[w.body.entry].instrs;
        all.insert(all.end(), last.begin(), last.end());
    }

    bool takes() const { return counts.peeks.max > 0; }
    bool gives() const { return counts.pushes.max > 0; }

    const elab::Kernel& kernel;
    const ir::ItemCounts& counts;
    types::TypeTable& types;
    ir::Writer w;
    std::vector<Instr> first;  ///< of the entry block
    std::uint32_t in = ir::kNone, out = ir::kNone, taken = ir::kNone,
                  given = ir::kNone;  ///< locals
};

bool hasReturnInside(const ir::Body& body) {
    for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
        for (const Instr& instr : body.blocks[id].instrs)
            if (instr.op == Op::Return && id != body.entry) return true;
    return false;
}

}  // namespace

bool isOfNumbers(const elab::Kernel& kernel) {
    return kernel.input && kernel.output && kernel.input->isScalar() && kernel.output->isScalar();
}

base::Result<ir::Body> withWindows(const ir::Module& program, const elab::Kernel& kernel,
                                   types::TypeTable& types) {
    if (!kernel.code.work || kernel.code.broken) return base::Failure{"it has no code of its own"};
    const ir::Body& body = *kernel.code.work;
    if (hasReturnInside(body)) return base::Failure{"it returns early"};
    const ir::ItemCounts counts = ir::countItems(program, kernel.code, body, kSteps);
    const bool isKnown = counts.pops.isExact() && counts.pushes.isExact() &&
                         counts.peeks.isExact() && counts.peeks.max != ir::kUnknown &&
                         counts.certainNegativePeek == 0;
    if (!isKnown) return base::Failure{"what it takes or gives depends on what it computes"};
    return WindowWriter(kernel, counts, types).run();
}

}  // namespace strc::device
