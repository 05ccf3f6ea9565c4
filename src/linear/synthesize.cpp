#include "linear/detail/synthesize.h"

#include <algorithm>
#include <span>

#include "linear/detail/writer.h"

namespace strc::linear {
namespace {

using ir::Op;
using ir::Reg;

constexpr std::size_t kFewTerms = 8;  ///< of a run; no loop is made for them
constexpr std::int64_t kWideGap = 4;  ///< items without a factor that are not worth a zero
/// More runs of a row than that are taken by a table of items.
constexpr std::size_t kMostRuns = 8;

/// Terms as loops over neighbours.
std::vector<std::span<const Term>> runsOf(const Affine& row) {
    std::vector<std::span<const Term>> runs;
    const std::span<const Term> all = row.terms;
    std::size_t begin = 0;
    for (std::size_t k = 1; k <= all.size(); ++k)
        if (k == all.size() || all[k].item - all[k - 1].item > kWideGap) {
            runs.push_back(all.subspan(begin, k - begin));
            begin = k;
        }
    return runs;
}

class Synthesis {
public:
    Synthesis(const Form& wanted, base::SourceRange range, types::TypeTable& table)
        : form(wanted), type(wanted.type), types(table), w(table, range) {}

    ir::Body run() {
        sum = w.local("sum", type);
        for (const Affine& row : form.rows) {
            w.store(sum, w.constant(type, row.constant));
            const auto runs = runsOf(row);
            if (runs.size() > kMostRuns && row.terms.size() > kFewTerms)
                scattered(row);
            else
                for (std::span<const Term> each : runs) dense(each);
            w.push(type, w.load(sum));
        }
        w.loop(form.pop, [&](Reg) { w.discard(type); });
        return w.finish();
    }

private:
    const Type* arrayOf(const Type* element, const std::vector<Number>& numbers) {
        return types.array(element, static_cast<std::int64_t>(numbers.size()));
    }

    void dense(std::span<const Term> terms) {
        if (terms.size() <= kFewTerms) return oneByOne(terms);
        const std::int64_t first = terms.front().item;
        std::vector<Number> factors(static_cast<std::size_t>(terms.back().item - first + 1));
        for (const Term& term : terms)
            factors[static_cast<std::size_t>(term.item - first)] = term.factor;
        const Reg table = w.table(arrayOf(type, factors), factors);
        w.loop(static_cast<std::int64_t>(factors.size()), [&](Reg i) {
            const Reg offset =
                first == 0 ? i : w.operation(Op::Add, types.intType(), {i, w.integer(first)});
            addProduct(w.element(table, i), offset);
        });
    }

    void scattered(const Affine& row) {
        std::vector<Number> factors, items;
        for (const Term& term : row.terms) {
            factors.push_back(term.factor);
            items.push_back({static_cast<double>(term.item), 0});
        }
        const Reg factorTable = w.table(arrayOf(type, factors), factors);
        const Reg itemTable = w.table(arrayOf(types.intType(), items), items);
        w.loop(static_cast<std::int64_t>(factors.size()),
               [&](Reg i) { addProduct(w.element(factorTable, i), w.element(itemTable, i)); });
    }

    void addProduct(Reg factor, Reg offset) {
        const Reg product = w.operation(Op::Mul, type, {factor, w.peek(type, offset)});
        w.store(sum, w.operation(Op::Add, type, {w.load(sum), product}));
    }

    void oneByOne(std::span<const Term> terms) {
        Reg total = w.load(sum);
        for (const Term& term : terms) {
            Reg item = w.peek(type, w.integer(term.item));
            const bool isNegated = term.factor == Number{-1, 0};
            if (!isNegated && term.factor != Number{1, 0})
                item = w.operation(Op::Mul, type, {w.constant(type, term.factor), item});
            total = w.operation(isNegated ? Op::Sub : Op::Add, type, {total, item});
        }
        w.store(sum, total);
    }

    const Form& form;
    const Type* type;
    types::TypeTable& types;
    Writer w;
    std::uint32_t sum = 0;
};

}  // namespace

elab::Kernel synthesize(const Form& form, const std::string& name, base::SourceRange range,
                        types::TypeTable& types) {
    elab::Kernel kernel;
    kernel.stream = ir::kNone;
    kernel.input = kernel.output = form.type;
    kernel.work = {graph::fixedRate(form.pop), graph::fixedRate(form.peek),
                   graph::fixedRate(form.push())};
    kernel.code.name = name;
    kernel.code.input = kernel.code.output = form.type;
    kernel.code.range = kernel.code.header = range;
    kernel.code.setup.result = types.voidType();
    kernel.code.setup.kind = ir::BodyKind::Setup;
    kernel.code.setup.blocks.resize(1);
    kernel.code.work = Synthesis(form, range, types).run();
    return kernel;
}

}  // namespace strc::linear
