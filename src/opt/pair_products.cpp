#include "opt/detail/pair_products.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/affine.h"
#include "ir/contraction.h"
#include "opt/detail/compose.h"
#include "types/tensor_split.h"

namespace strc::opt {
namespace {

using ir::Body;
using ir::Contraction;
using ir::ContractionLoop;
using ir::Instr;
using ir::Op;
using ir::Space;

/// Loops of a result that the runtime is told of, the parted one aside (strc/mesh.h).
constexpr std::ptrdiff_t kMostLoops = 8;

/// Loops of a factor or a result as trips and steps, without the one that is parted.
using Steps = std::multiset<std::pair<std::int32_t, std::int32_t>>;

/// The loop over columns, or channels: of the result, and of the second factor alone.
std::optional<std::size_t> columnsOf(const Contraction& how, std::int64_t places) {
    for (std::size_t k = how.loops.size(); k-- > 0;) {
        const ContractionLoop& loop = how.loops[k];
        if (loop.out > 0 && loop.a == 0 && loop.b != 0 && loop.trips > places) return k;
    }
    return std::nullopt;
}

std::optional<std::size_t> sumsOf(const Contraction& how, std::int64_t places) {
    for (std::size_t k = 0; k < how.loops.size(); ++k) {
        const ContractionLoop& loop = how.loops[k];
        if (loop.out == 0 && loop.a > 0 && loop.b != 0 && loop.trips > places) return k;
    }
    return std::nullopt;
}

bool isFloating(const types::Type* type) {
    return type->is(types::TypeKind::Float) || type->is(types::TypeKind::Double);
}

bool isLarge(const Contraction& how) { return ir::countProducts(how) >= types::kLeastSplit; }

/// What code generation can tell the runtime of a result.
bool canSpread(const Contraction& how) {
    const auto isOfResult = [](const ContractionLoop& loop) { return loop.out != 0; };
    return std::none_of(how.loops.begin(), how.loops.end(),
                        [](const ContractionLoop& loop) { return loop.out < 0; }) &&
           std::count_if(how.loops.begin(), how.loops.end(), isOfResult) <= kMostLoops;
}

std::int64_t elementsOf(const Contraction& how) {
    std::int64_t elements = 1;
    for (const ContractionLoop& loop : how.loops)
        if (loop.out != 0) elements *= loop.trips;
    return elements;
}

/// Does the second product find in its iterations of loop `sums` what the first one sets in those of loop `columns`?
bool meet(const Contraction& first, std::size_t columns, const Contraction& second,
          std::size_t sums) {
    Steps set, read;
    for (std::size_t k = 0; k < first.loops.size(); ++k)
        if (k != columns && first.loops[k].out != 0)
            set.emplace(first.loops[k].trips, first.loops[k].out);
    for (std::size_t k = 0; k < second.loops.size(); ++k)
        if (k != sums && second.loops[k].a != 0)
            read.emplace(second.loops[k].trips, second.loops[k].a);
    const ContractionLoop &one = first.loops[columns], &other = second.loops[sums];
    return one.trips == other.trips && one.out == other.a && first.out == second.a && set == read;
}

/// A body and, of it, the registers that lead to locals.
class Flow {
public:
    explicit Flow(const Body& of) : body(of), roots(of.regs.size(), ir::kNone) {
        ir::forEach(body, body.entry, [&](const Instr& instr) {
            if (instr.op == Op::Addr && instr.var.space == Space::Local)
                roots[instr.result] = instr.var.index;
            else if (instr.op == Op::Elem || instr.op == Op::Member)
                roots[instr.result] = roots[instr.operands[0]];
        });
    }

    std::uint32_t localOf(const Instr& instr, std::size_t operand) const {
        return roots[instr.operands[operand]];
    }

    /// Where an array that stays apart is read.
    struct Readers {
        std::vector<std::size_t> products;  ///< in the first block, as their first factor
        int pushes = 0;
    };

    /// Follows such an array from behind an instruction of the first block. None: somebody reads more of it than the same places.
    std::optional<Readers> follow(std::size_t from, std::uint32_t local) const {
        std::set<std::uint32_t> apart{local};
        Readers readers;
        const std::vector<Instr>& instrs = body.blocks[body.entry].instrs;
        for (std::size_t at = from + 1; at < instrs.size(); ++at) {
            const Instr& instr = instrs[at];
            if (instr.op == Op::Loop) {
                if (!mentions(instr, apart)) continue;
                const std::optional<std::set<std::uint32_t>> written = placeByPlace(instr, local);
                if (!written) return std::nullopt;
                apart.insert(written->begin(), written->end());
            } else if (instr.op == Op::Contract && readsAsFirst(instr, apart)) {
                readers.products.push_back(at);
            } else if (instr.op == Op::PushFrom && apart.contains(localOf(instr, 0))) {
                ++readers.pushes;
            } else if (instr.op != Op::Addr && mentions(instr, apart)) {
                return std::nullopt;
            }
        }
        return readers;
    }

private:
    /// And as nothing else.
    bool readsAsFirst(const Instr& contract, const std::set<std::uint32_t>& apart) const {
        for (std::size_t k = 0; k < contract.operands.size(); ++k)
            if (apart.contains(localOf(contract, k)) != (k == 1)) return false;
        return true;
    }

    bool mentions(const Instr& instr, const std::set<std::uint32_t>& apart) const {
        bool does = false;
        auto look = [&](const Instr& each) {
            if (each.op == Op::Addr || each.op == Op::Declare || each.op == Op::Extent)
                does = does || (each.var.space == Space::Local && apart.contains(each.var.index));
            for (std::size_t k = 0; k < each.operands.size(); ++k)
                does = does || apart.contains(localOf(each, k));
        };
        look(instr);
        for (ir::BlockId block : instr.blocks)
            if (block != ir::kNone) ir::forEach(body, block, look);
        return does;
    }

    /// Arrays like `local` that a loop sets, each place from the same place of others alone. None: it is no such loop.
    std::optional<std::set<std::uint32_t>> placeByPlace(const Instr& loop,
                                                        std::uint32_t local) const {
        std::set<std::uint32_t> written;
        std::set<ir::Reg> numbers;  ///< that are the loop's own
        std::uint32_t counter = ir::kNone;
        for (const Instr& instr : body.blocks[loop.blocks[1]].instrs) {
            switch (instr.op) {
                case Op::Load:
                    if (instr.var.space != Space::Local ||
                        (counter != ir::kNone && instr.var.index != counter))
                        return std::nullopt;
                    counter = instr.var.index;
                    numbers.insert(instr.result);
                    break;
                case Op::Elem:
                    if (instr.checked || !numbers.contains(instr.operands[1]) ||
                        !isLike(localOf(instr, 0), local))
                        return std::nullopt;
                    break;
                case Op::StoreAt: written.insert(localOf(instr, 0)); break;
                case Op::Div:
                case Op::Rem:
                    if (!isFloating(instr.type)) return std::nullopt;
                    break;
                default:
                    if (!isPure(instr)) return std::nullopt;
            }
        }
        const bool isFine =
            isCounted(loop, counter) && !looksAt(loop.blocks[0]) && !looksAt(loop.blocks[2]);
        return isFine ? std::optional(written) : std::nullopt;
    }

    /// Its end may not depend on what each process has others of.
    bool looksAt(ir::BlockId block) const {
        bool does = false;
        ir::forEach(body, block, [&](const Instr& instr) {
            does = does || instr.op == Op::Elem || instr.op == Op::LoadAt || instr.op == Op::Member;
        });
        return does;
    }

    static bool isPure(const Instr& instr) {
        return instr.op == Op::Addr || instr.op == Op::LoadAt ||
               ir::info(instr.op).effects == ir::Effects::Pure;
    }

    bool isLike(std::uint32_t other, std::uint32_t local) const {
        return other != ir::kNone && body.locals[other].type == body.locals[local].type;
    }

    /// Nothing but its step writes the counter.
    bool isCounted(const Instr& loop, std::uint32_t counter) const {
        if (counter == ir::kNone || loop.flag || loop.blocks[2] == ir::kNone) return false;
        auto writes = [&](ir::BlockId block) {
            return std::count_if(body.blocks[block].instrs.begin(), body.blocks[block].instrs.end(),
                                 [](const Instr& instr) { return instr.op == Op::Store; });
        };
        return writes(loop.blocks[0]) == 0 && writes(loop.blocks[2]) == 1;
    }

    const Body& body;
    std::vector<std::uint32_t> roots;  ///< by register
};

/// A product by where it stands in a body's first block.
struct Place {
    graph::NodeId node = graph::kNone;
    std::size_t at = 0;
    bool operator<(const Place& other) const {
        return std::pair(node, at) < std::pair(other.node, other.at);
    }
};

class Pairing {
public:
    Pairing(elab::Elaboration& of, std::int64_t placesOfPart, types::TypeTable& table)
        : program(of), places(placesOfPart), types(table), users(of.kernels.size()) {
        for (const graph::Node& node : program.graph.nodes)
            if (node.kind == graph::NodeKind::Filter) ++users[node.kernel];
    }

    bool run() {
        for (graph::NodeId id = 0; id < program.graph.nodes.size(); ++id)
            if (hasOwnBody(id)) pairAll(id);
        for (elab::Kernel& kernel : program.kernels)
            if (kernel.code.work) partTheRest(*kernel.code.work);
        return isAny;
    }

private:
    Body& bodyOf(graph::NodeId id) {
        return *program.kernels[program.graph.nodes[id].kernel].code.work;
    }

    /// Parts of one that several filters share would be those of all.
    bool hasOwnBody(graph::NodeId id) const {
        const graph::Node& node = program.graph.nodes[id];
        return node.kind == graph::NodeKind::Filter && users[node.kernel] == 1 &&
               program.kernels[node.kernel].code.work;
    }

    void pairAll(graph::NodeId id) {
        const Body& body = bodyOf(id);
        const std::size_t count = body.blocks[body.entry].instrs.size();
        for (std::size_t at = 0; at < count; ++at)
            if (body.blocks[body.entry].instrs[at].op == Op::Contract && !done.contains({id, at}))
                pair({id, at});
    }

    Instr& instrAt(const Place& place) {
        Body& body = bodyOf(place.node);
        return body.blocks[body.entry].instrs[place.at];
    }

    void pair(const Place& first) {
        const Contraction how = ir::contractionOf(instrAt(first));
        const std::optional<std::size_t> columns = columnsOf(how, places);
        if (!columns || !isLarge(how) || !canSpread(how)) return;
        const std::optional<Place> second = readerOf(first, how);
        if (!second || done.contains(*second)) return;
        const Contraction next = ir::contractionOf(instrAt(*second));
        const std::optional<std::size_t> sums = sumsOf(next, places);
        if (!sums || !isLarge(next) || !canSpread(next) || !meet(how, *columns, next, *sums))
            return;
        set(first, how, *columns);
        set(*second, next, *sums);
    }

    void set(const Place& place, Contraction how, std::size_t loop) {
        how.parts = ir::LoopParts{loop, static_cast<std::int32_t>(places), true};
        instrAt(place).value = ir::toValue(how, types);
        done.insert(place);
        isAny = true;
    }

    /// The only product that reads the result, behind it or in the next filter.
    std::optional<Place> readerOf(const Place& first, const Contraction& how) {
        const Body& body = bodyOf(first.node);
        const Flow flow(body);
        const std::uint32_t result = flow.localOf(instrAt(first), 0);
        if (result == ir::kNone) return std::nullopt;
        const types::Type* array = body.locals[result].type;
        if (!isFloating(array->element) || elementsOf(how) != array->extent) return std::nullopt;
        const std::optional<Flow::Readers> readers = flow.follow(first.at, result);
        if (!readers || readers->products.size() + static_cast<std::size_t>(readers->pushes) != 1)
            return std::nullopt;
        if (readers->pushes == 0) return Place{first.node, readers->products[0]};
        return readerBehind(first.node, array);
    }

    std::optional<Place> readerBehind(graph::NodeId id, const types::Type* array) {
        const graph::EdgeId edge = program.graph.nodes[id].outputs[0];
        const graph::NodeId next = program.graph.edges[edge].to;
        if (next == graph::kNone || !hasOwnBody(next) || program.graph.nodes[next].prework ||
            !program.graph.edges[edge].initial.empty() || !isDirect(program, edge))
            return std::nullopt;
        const Body& body = bodyOf(next);
        const Flow flow(body);
        const std::vector<Instr>& instrs = body.blocks[body.entry].instrs;
        std::optional<std::size_t> pop;
        for (std::size_t at = 0; at < instrs.size(); ++at)
            if (instrs[at].op == Op::PopInto) pop = at;
        if (!pop || pops(body) != 1) return std::nullopt;
        const std::uint32_t local = flow.localOf(instrs[*pop], 0);
        if (local == ir::kNone || body.locals[local].type != array) return std::nullopt;
        const std::optional<Flow::Readers> readers = flow.follow(*pop, local);
        if (!readers || readers->pushes != 0 || readers->products.size() != 1) return std::nullopt;
        return Place{next, readers->products[0]};
    }

    /// Instructions that look at what comes in.
    static std::size_t pops(const Body& body) {
        std::size_t count = 0;
        ir::forEach(body, body.entry, [&](const Instr& instr) {
            count += instr.op == Op::PopInto || instr.op == Op::PeekInto || instr.op == Op::Pop ||
                     instr.op == Op::Peek || instr.op == Op::PeekVector ||
                     instr.op == Op::PeekColumns;
        });
        return count;
    }

    void partTheRest(Body& body) {
        for (ir::Block& block : body.blocks)
            for (Instr& instr : block.instrs) {
                if (instr.op != Op::Contract) continue;
                Contraction how = ir::contractionOf(instr);
                const std::optional<std::size_t> columns = columnsOf(how, places);
                if (how.parts || !columns || !isLarge(how)) continue;
                how.parts = ir::LoopParts{*columns, static_cast<std::int32_t>(places)};
                instr.value = ir::toValue(how, types);
                isAny = true;
            }
    }

    elab::Elaboration& program;
    const std::int64_t places;
    types::TypeTable& types;
    std::vector<std::size_t> users;  ///< by kernel
    std::set<Place> done;
    bool isAny = false;
};

}  // namespace

bool pairProducts(elab::Elaboration& program, std::int64_t places, types::TypeTable& types) {
    return Pairing(program, places, types).run();
}

}  // namespace strc::opt
