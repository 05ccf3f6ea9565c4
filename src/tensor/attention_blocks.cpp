// Scaled dot-product attention in blocks of queries: the scores of a block are a product of matrices, what they make
// of the values is another one, and softmax lies between them. Scores of other blocks are never there.

#include <algorithm>
#include <cmath>

#include "tensor/detail/attention.h"
#include "tensor/detail/contractions.h"

namespace strc::tensor {

using ir::Contraction;
using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TypeKind;

namespace {

/// Keys that lie beside each other in memory, so that vectors along them can be read: a few vectors of any processor.
constexpr std::int64_t kPanel = 32;
constexpr std::int64_t kMostQueries = 42;  ///< of a block: three high tiles
constexpr std::int64_t kMostScores = 1 << 16;  ///< of a block, if it is not a single query

std::int64_t parts(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

}  // namespace

struct Attention::Blocks {
    const Node& node;
    Reg array;  ///< of the result
    const Type* type;  ///< of elements in registers
    std::int64_t queries, keys, width, values;
    bool isCausal;
    std::int64_t panel, panels;  ///< keys of a panel; panels
    Reg scale;
    std::uint32_t key = 0;  ///< panel by panel, each width x panel
    std::uint32_t value = 0;  ///< row by row

    std::int64_t line() const { return panels * panel; }  ///< of scores
};

/// A block of queries that begins with `first`.
struct Attention::Block {
    Index first;
    std::int64_t rows;
    /// Queries row by row, scaled; the sums of the powers of a row.
    std::uint32_t query = 0, scores = 0, mixed = 0, sums = 0;
};

/// Contractions are of floats and doubles.
bool Attention::canAttendInBlocks(const Node& node) const {
    const Type* type = registerType(node.type->element, w.types);
    return elements.options.attendsInBlocks && node.count() > 0 &&
           (type->is(TypeKind::Float) || type->is(TypeKind::Double));
}

void Attention::attendBlocks(const Node& node, Reg array) {
    const Dims& q = node.operands[0]->dims();
    const Dims& v = node.operands[2]->dims();
    const Type* type = registerType(node.type->element, w.types);
    Blocks blocks{node,
                  array,
                  type,
                  q[q.size() - 2],
                  v[v.size() - 2],
                  q.back(),
                  v.back(),
                  !node.ints.empty() && node.ints[0] != 0,
                  0,
                  0,
                  scaleOfScores(node)};
    blocks.panel = std::min(kPanel, blocks.keys);
    blocks.panels = parts(blocks.keys, blocks.panel);
    const std::int64_t most =
        std::clamp<std::int64_t>(kMostScores / blocks.line(), 1, kMostQueries);
    const std::int64_t rows = parts(blocks.queries, parts(blocks.queries, most));
    // Scratch is declared inside of the loop over heads, so that each thread gets its own.
    places.nest(Dims(node.dims().begin(), node.dims().end() - 2), [&](const MultiIndex& outer) {
        blocks.key = room("key", type, blocks.line() * blocks.width);
        blocks.value = room("value", type, blocks.keys * blocks.values);
        layOutKeys(blocks, outer);
        copyRows(blocks, 2, outer, {}, blocks.keys, blocks.value);
        const std::int64_t whole = blocks.queries / rows;
        w.loop(whole, [&](Reg block) {
            attendBlock(blocks, outer, {places.scaled({0, block}, rows, 0), rows});
        });
        if (const std::int64_t rest = blocks.queries % rows; rest > 0)
            attendBlock(blocks, outer, {{whole * rows}, rest});
    });
}

std::uint32_t Attention::room(const char* name, const Type* type, std::int64_t count) {
    return w.local(name + std::to_string(w.body.locals.size()), w.types.array(type, count));
}

/// Rows of an operand, from `first` on, one behind the other; queries are scaled.
void Attention::copyRows(const Blocks& blocks, std::size_t operand, const MultiIndex& outer,
                         const Index& first, std::int64_t rows, std::uint32_t to) {
    const std::int64_t width = blocks.node.operands[operand]->dims().back();
    w.loop(rows, [&](Reg row) {
        w.loop(width, [&](Reg column) {
            MultiIndex from = outer;
            from.push_back(places.plus({0, row}, first));
            from.push_back({0, column});
            Reg element = attended(blocks.node, operand, from);
            if (operand == 0) element = w.operation(Op::Mul, blocks.type, {element, blocks.scale});
            const Index there = places.plus(places.scaled({0, row}, width, 0), {0, column});
            w.setElement(w.address(to), places.at(there), element);
        });
    });
}

/// Behind the last key there are zeros.
void Attention::layOutKeys(const Blocks& blocks, const MultiIndex& outer) {
    auto place = [&](const Index& panel, Reg d, Reg j) {
        const Index line = places.scaled({0, d}, blocks.panel, 0);
        return places.at(places.plus(
            places.plus(places.scaled(panel, blocks.panel * blocks.width, 0), line), {0, j}));
    };
    auto lay = [&](const Index& panel, std::int64_t count) {
        w.loop(count, [&](Reg j) {
            w.loop(blocks.width, [&](Reg d) {
                MultiIndex from = outer;
                from.push_back(places.plus(places.scaled(panel, blocks.panel, 0), {0, j}));
                from.push_back({0, d});
                const Reg element = attended(blocks.node, 1, from);
                w.setElement(w.address(blocks.key), place(panel, d, j), element);
            });
        });
    };
    const std::int64_t whole = blocks.keys / blocks.panel;
    w.loop(whole, [&](Reg panel) { lay({0, panel}, blocks.panel); });
    if (whole == blocks.panels) return;
    w.loop(blocks.width, [&](Reg d) {
        w.loop(blocks.panel, [&](Reg j) {
            w.setElement(w.address(blocks.key), place({whole}, d, j), numbers.zero(blocks.type));
        });
    });
    lay({whole}, blocks.keys % blocks.panel);
}

void Attention::attendBlock(const Blocks& blocks, const MultiIndex& outer, Block block) {
    block.query = room("query", blocks.type, block.rows * blocks.width);
    block.scores = room("scores", blocks.type, block.rows * blocks.line());
    block.mixed = room("mixed", blocks.type, block.rows * blocks.values);
    block.sums = room("sums", blocks.type, block.rows);
    copyRows(blocks, 0, outer, block.first, block.rows, block.query);
    const auto rows = narrow(block.rows), width = narrow(blocks.width),
               values = narrow(blocks.values), panel = narrow(blocks.panel),
               panels = narrow(blocks.panels), keys = narrow(blocks.keys),
               line = narrow(blocks.line());
    Contractions(elements).contract(
        {0,
         0,
         0,
         {{rows, line, width, 0},
          {panels, panel, 0, width * panel},
          {panel, 1, 0, 1},
          {width, 0, 1, panel}}},
        {w.address(block.scores), w.address(block.query), w.address(blocks.key)});
    w.loop(block.rows, [&](Reg row) { powersOfRow(blocks, block, row); });
    Contractions(elements).contract(
        {0, 0, 0, {{rows, values, line, 0}, {values, 1, 0, 1}, {keys, 0, 1, values}}},
        {w.address(block.mixed), w.address(block.scores), w.address(blocks.value)});
    w.loop(block.rows, [&](Reg row) {
        const Reg sum = w.element(w.address(block.sums), row);
        w.loop(blocks.values, [&](Reg column) {
            const Reg from =
                places.at(places.plus(places.scaled({0, row}, blocks.values, 0), {0, column}));
            const Reg total = w.element(w.address(block.mixed), from);
            MultiIndex to = outer;
            to.push_back(places.plus(block.first, {0, row}));
            to.push_back({0, column});
            places.storeFlat(blocks.array, places.at(places.linear(to, blocks.node.dims())),
                             w.operation(Op::Div, blocks.type, {total, sum}),
                             blocks.node.type->element);
        });
    });
}

/// Scores become exp(score - greatest score of the row); their sums are kept.
void Attention::powersOfRow(const Blocks& blocks, const Block& block, Reg row) {
    const std::string number = std::to_string(w.body.locals.size());
    const std::uint32_t most = w.local("most" + number, blocks.type);
    const std::uint32_t sum = w.local("sum" + number, blocks.type);
    auto infinity = [&] {
        return numbers.convert(numbers.real(-INFINITY), w.types.doubleType(), blocks.type);
    };
    auto place = [&](Reg key) {
        return places.at(places.plus(places.scaled({0, row}, blocks.line(), 0), {0, key}));
    };
    auto score = [&](Reg key) {
        const Reg known = w.element(w.address(block.scores), place(key));
        if (!blocks.isCausal) return known;
        const Reg isLater = w.operation(Op::Gt, w.types.intType(),
                                        {key, places.at(places.plus(block.first, {0, row}))});
        return numbers.select(isLater, blocks.type, infinity, [&] { return known; });
    };
    w.store(most, infinity());
    w.loop(blocks.keys, [&](Reg key) {
        w.store(most, numbers.better(MathFn::Max, score(key), w.load(most), blocks.type));
    });
    w.store(sum, numbers.zero(blocks.type));
    w.loop(blocks.keys, [&](Reg key) {
        const Reg less = w.operation(Op::Sub, blocks.type, {score(key), w.load(most)});
        const Reg power = numbers.exponential(less, blocks.type);
        w.setElement(w.address(block.scores), place(key), power);
        w.store(sum, numbers.relaxedSum(w.load(sum), power, blocks.type));
    });
    w.setElement(w.address(block.sums), row, w.load(sum));
}

}  // namespace strc::tensor
