// A part takes the same share of all that is done in an iteration: of the iterations of each loop, of the places of each sum of
// products and each copy. Whether these are items of the batch is not asked before but proved afterwards: if no part
// touches what another one writes, the order between parts does not matter.

#include "opt/detail/batch_tiling.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/contraction.h"
#include "ir/parallel_loops.h"
#include "ir/writer.h"

namespace strc::opt {
namespace {

using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

/// Of a part: with fewer, weights are read from the second cache too often.
constexpr std::int64_t kLeastItems = 4;
/// Of a loop that is worth it: some 10 µs.
constexpr std::int64_t kLeastProducts = std::int64_t{1} << 20;

/// The loop over the items of a batch, if it is one: what is furthest apart in the result.
std::size_t outermost(const ir::Contraction& how) {
    const auto largest = std::max_element(
        how.loops.begin(), how.loops.end(),
        [](const auto& x, const auto& y) { return std::abs(x.out) < std::abs(y.out); });
    return static_cast<std::size_t>(largest - how.loops.begin());
}

/// Equal parts of so many items; 1: there are none.
std::int64_t partsOf(std::int64_t items) {
    std::int64_t each = kLeastItems;
    while (each < items && items % each != 0) ++each;
    return each < items ? items / each : 1;
}

/// What the sums of products say of a loop around them. The second cache is to keep the weights for all parts.
class Costs {
public:
    Costs(const Body& of, const target::Model& on) : body(of), target(on) {}

    std::int64_t parts(const ir::Induction& counts, const Instr& loop) {
        for (const Instr& instr : body.blocks[loop.blocks[1]].instrs)
            if (instr.op == Op::Contract) add(instr);
        const bool pays = products >= kLeastProducts / std::max<std::int64_t>(counts.trips, 1) &&
                          weights <= target.secondCacheBytes;
        return pays ? partsOf(items) : 1;
    }

private:
    void add(const Instr& instr) {
        const ir::Contraction how = ir::contractionOf(instr);
        if (how.loops.empty()) return;
        const ir::ContractionLoop& loop = how.loops[outermost(how)];
        items = loop.trips;
        products += ir::countProducts(how);
        if (loop.a == 0) weights += types::sizeOf(body.regs[instr.operands[1]].type);
        if (loop.b == 0) weights += types::sizeOf(body.regs[instr.operands[2]].type);
    }

    const Body& body;
    const target::Model& target;
    std::int64_t items = 1, products = 0, weights = 0;
};

/// Which instructions of an iteration look at a local, also by refs, and whether one that is divided writes it.
class Uses {
public:
    Uses(const Body& of, ir::BlockId iteration) : body(of), roots(of.regs.size(), ir::kNone) {
        ir::forEach(body, body.entry, [&](const Instr& instr) {
            if (instr.op == Op::Addr && instr.var.space == Space::Local)
                roots[instr.result] = instr.var.index;
            else if (instr.op == Op::Elem || instr.op == Op::Member)
                roots[instr.result] = roots[instr.operands[0]];
        });
        for (const Instr& instr : body.blocks[iteration].instrs) {
            divides = instr.op == Op::Loop || instr.op == Op::Contract || instr.op == Op::Copy ||
                      instr.op == Op::Zero;
            at = &instr;
            look(instr);
            for (ir::BlockId block : instr.blocks)
                ir::forEach(body, block, [&](const Instr& inner) { look(inner); });
        }
    }

    bool isOfOne(std::uint32_t local) const {
        const auto found = users.find(local);
        return found == users.end() || found->second.size() == 1;
    }
    bool isShared(std::uint32_t local) const { return written.contains(local); }

private:
    void look(const Instr& instr) {
        const bool isVariable =
            (instr.op == Op::Load || instr.op == Op::Store || instr.op == Op::Declare) &&
            instr.var.space == Space::Local;
        if (isVariable) use(instr.var.index, instr.op != Op::Load);
        if (instr.op == Op::Elem || instr.op == Op::Member) return;
        for (std::size_t k = 0; k < instr.operands.size(); ++k) {
            const std::uint32_t root = roots[instr.operands[k]];
            if (root != ir::kNone) use(root, instr.op != Op::LoadAt);
        }
    }

    void use(std::uint32_t local, bool writes) {
        users[local].insert(at);
        if (writes && divides) written.insert(local);
    }

    const Body& body;
    std::vector<std::uint32_t> roots;  ///< by register: the local that a ref leads to
    const Instr* at = nullptr;
    bool divides = false;
    std::map<std::uint32_t, std::set<const Instr*>> users;
    std::set<std::uint32_t> written;  ///< by what is divided
};

/// One loop of a body's first block.
class BatchDivision {
public:
    BatchDivision(const Body& of, types::TypeTable& types, const target::Model& on, std::size_t at)
        : body(of),
          target(on),
          all(of.blocks[of.entry].instrs),
          loop(all[at]),
          index(at),
          affine(of),
          w(types) {}

    /// Empty: it cannot be, or does not pay.
    std::optional<Body> run() {
        const std::span<const Instr> before(all.data(), index);
        const auto counts = affine.induction(before, loop);
        if (!counts) return std::nullopt;
        parts = Costs(body, target).parts(*counts, loop);
        if (parts == 1 || ir::findParallelLoop(body, affine, before, loop)) return std::nullopt;
        write(*counts);
        if (!isFine || !areApart()) return std::nullopt;
        moveDeclarations();
        return std::move(w.body);
    }

private:
    void write(const ir::Induction& counts) {
        w.body = body;
        w.block = body.entry;
        w.range = loop.range;
        w.body.blocks[w.block].instrs.clear();
        for (const Instr& instr : std::span(all).first(index))
            if (&instr != counts.begin) put(instr);
        declareArrays();
        counters.insert(counts.counter);
        w.loop(parts, [&](Reg which) {
            counters.insert(static_cast<std::uint32_t>(w.body.locals.size() - 1));
            part = which;
            put(*counts.begin);
            put(loop);
            tileIteration();
        });
        place = w.body.blocks[w.block].instrs.size() - 1;
        for (const Instr& instr : std::span(all).subspan(index + 1)) put(instr);
    }

    void put(Instr instr) { w.body.blocks[w.block].instrs.push_back(std::move(instr)); }

    /// Arrays whose live ranges begin in an iteration are those of all parts, so what is proved holds for them, too.
    void declareArrays() {
        declarationsAt = w.body.blocks[w.block].instrs.size();
        for (const Instr& instr : body.blocks[loop.blocks[1]].instrs) {
            if (instr.op == Op::Declare) put(instr);
            isFine = isFine && (instr.op != Op::Declare || (instr.flag && instr.operands.empty()));
            if (instr.op == Op::If)
                for (ir::BlockId block : instr.blocks)
                    ir::forEach(body, block, [&](const Instr& inner) {
                        isFine = isFine && inner.op != Op::Declare;
                    });
        }
    }

    void tileIteration() {
        const ir::BlockId outside = std::exchange(w.block, loop.blocks[1]);
        w.body.blocks[w.block].instrs.clear();
        const std::span<const Instr> iteration(body.blocks[w.block].instrs);
        for (std::size_t k = 0; k < iteration.size() && isFine; ++k) {
            switch (iteration[k].op) {
                case Op::Declare: break;
                case Op::Loop: tileLoop(iteration.first(k), iteration[k]); break;
                case Op::Contract: tileSums(iteration[k]); break;
                case Op::Copy:
                case Op::Zero: tileArrays(iteration[k]); break;
                default: put(iteration[k]);
            }
        }
        w.block = outside;
    }

    /// Its counter goes on from where that of the part before ended.
    void tileLoop(std::span<const Instr> before, const Instr& inner) {
        const auto counts = affine.induction(before, inner);
        if (!counts || counts->start != 0 || counts->step != 1 || counts->trips == 0 ||
            counts->trips % parts != 0 ||
            ir::isUsedOutside(body, counts->counter, inner, counts->begin)) {
            isFine = false;
            return;
        }
        counters.insert(counts->counter);
        const std::int64_t share = counts->trips / parts;
        limit(inner.blocks[0], share);
        const types::Type* integer = w.types.intType();
        const Reg first = w.operation(Op::Mul, integer, {part, w.integer(share)});
        std::vector<ir::BlockId> blocks{inner.blocks[1]};
        while (!blocks.empty()) {
            const ir::BlockId next = blocks.back();
            blocks.pop_back();
            if (next == ir::kNone) continue;
            const ir::BlockId outside = std::exchange(w.block, next);
            w.body.blocks[next].instrs.clear();
            for (const Instr& instr : body.blocks[next].instrs) {
                put(instr);
                blocks.insert(blocks.end(), instr.blocks.begin(), instr.blocks.end());
                const ir::VarRef counter{Space::Local, counts->counter};
                if (instr.op != Op::Load || instr.var != counter) continue;
                const Reg iteration = w.result(integer, false);
                w.emit(Op::Add, integer, {iteration, first}).result = instr.result;
            }
            w.block = outside;
        }
        put(inner);
    }

    /// A condition that counts compares with what the second instruction of its block says.
    void limit(ir::BlockId condition, std::int64_t trips) {
        auto& instrs = w.body.blocks[condition].instrs;
        const Reg asked = instrs.back().operands[0];
        auto by = [&](Reg reg) {
            return std::find_if(instrs.begin(), instrs.end(),
                                [&](const Instr& instr) { return instr.result == reg; });
        };
        const auto comparison = by(asked);
        const bool isBelow = comparison != instrs.end() && comparison->op == Op::Lt;
        const auto number = isBelow ? by(comparison->operands[1]) : instrs.end();
        if (number == instrs.end()) {
            isFine = false;
            return;
        }
        number->op = Op::Const;
        number->var = {};
        number->value = types::Value::of(w.types.intType(), static_cast<std::int32_t>(trips));
    }

    void tileSums(Instr instr) {
        ir::Contraction how = ir::contractionOf(instr);
        isFine = isFine && !how.loops.empty();
        if (!isFine) return;
        ir::ContractionLoop& items = how.loops[outermost(how)];
        isFine = items.out != 0 && items.trips % parts == 0;
        items.trips = static_cast<std::int32_t>(items.trips / parts);
        const std::int32_t steps[]{items.out, items.a, items.b, items.added[0], items.added[1]};
        std::vector<std::int64_t> lengths;
        for (std::size_t k = 0; k < instr.operands.size() && isFine; ++k) {
            if (steps[k] != 0) {
                const types::Type* type = w.body.regs[instr.operands[k]].type;
                isFine = type->extent == steps[k] * static_cast<std::int64_t>(items.trips) * parts;
                instr.operands[k] = share(instr.operands[k]);
            }
            lengths.push_back(w.body.regs[instr.operands[k]].type->extent);
        }
        isFine = isFine &&
                 ir::fits(how, lengths[0], lengths[1], lengths[2], std::span(lengths).subspan(3));
        instr.value = ir::toValue(how, w.types);
        instr.type = instr.value.type;
        put(std::move(instr));
    }

    void tileArrays(Instr instr) {
        isFine = isFine && instr.type->is(types::TypeKind::Array) &&
                 instr.operands.size() == (instr.op == Op::Copy ? 2U : 1U);
        for (Reg& operand : instr.operands) {
            if (isFine) operand = share(operand);
            if (isFine) instr.type = w.body.regs[operand].type;
        }
        put(std::move(instr));
    }

    /// The part's share of an array.
    Reg share(Reg array) {
        const types::Type* type = w.body.regs[array].type;
        isFine = isFine && type->extent % parts == 0;
        if (!isFine) return array;
        const types::Type* made = w.types.array(type->element, type->extent / parts);
        const Reg count = w.integer(parts);
        w.emit(Op::Elem, made, {array, part, count}).checked = false;
        return w.result(made, true);
    }

    /// Afterwards each part may have its own.
    void moveDeclarations() {
        auto& outside = w.body.blocks[w.body.entry].instrs;
        auto& inside = w.body.blocks[outside[place].blocks[1]].instrs;
        const auto first = outside.begin() + static_cast<std::ptrdiff_t>(declarationsAt);
        const auto last = std::find_if(first, outside.end(),
                                       [](const Instr& instr) { return instr.op != Op::Declare; });
        inside.insert(inside.begin(), first, last);
        outside.erase(first, last);
    }

    /// The proof is one for iterations that are whole. A part has its share of each operation, so what several operations know
    /// must not be a part's own, unless all parts make all of it.
    bool areApart() const {
        const std::span<const Instr> made(w.body.blocks[w.body.entry].instrs);
        ir::Affine known(w.body);
        const auto trips = ir::findParallelLoop(w.body, known, made.first(place), made[place]);
        const Uses uses(w.body, loop.blocks[1]);
        return trips && std::all_of(trips->own.begin(), trips->own.end(), [&](auto local) {
                   return counters.contains(local) || uses.isOfOne(local) || !uses.isShared(local);
               });
    }

    const Body& body;
    const target::Model& target;
    const std::vector<Instr>& all;
    const Instr& loop;
    const std::size_t index;
    ir::Affine affine;
    ir::Writer w;
    std::int64_t parts = 1;
    Reg part = ir::kNone;  ///< which one
    std::set<std::uint32_t> counters;  ///< of the loops that are divided, and those around them
    std::size_t declarationsAt = 0;  ///< where arrays of all parts are declared
    std::size_t place = 0;  ///< of the loop over the parts
    bool isFine = true;
};

}  // namespace

bool tileBatches(const pass::Context& context, elab::Kernel& kernel) {
    Body& body = *kernel.code.work;
    bool changes = false;
    for (std::size_t k = 0; k < body.blocks[body.entry].instrs.size(); ++k) {
        if (body.blocks[body.entry].instrs[k].op != Op::Loop) continue;
        if (auto made = BatchDivision(body, context.types, context.target, k).run()) {
            body = std::move(*made);
            changes = true;
        }
    }
    return changes;
}

}  // namespace strc::opt
