#include "elab/detail/rates.h"

#include <algorithm>

namespace strc::elab {
namespace {

using base::Diag;

const char* kindText(ir::RateKind kind) {
    switch (kind) {
        case ir::RateKind::Push: return "push";
        case ir::RateKind::Pop: return "pop";
        case ir::RateKind::Peek: return "peek";
    }
    STRC_UNREACHABLE("kind of rate");
}

class RateMaker {
public:
    RateMaker(base::Context& context, const StatedRates& stated, const RateOwner& owner)
        : context(context), stated(stated), owner(owner) {}

    graph::Rates make() {
        graph::Rates rates;
        rates.push = one(ir::RateKind::Push);
        rates.pop = one(ir::RateKind::Pop);
        rates.peek = one(ir::RateKind::Peek);
        checkVoid(rates);
        if (!owner.prework) checkWork(rates);
        completePeek(rates);
        return rates;
    }

private:
    const std::optional<StatedRate>& clause(ir::RateKind kind) const {
        return stated[static_cast<std::size_t>(kind)];
    }

    base::SourceRange rangeOf(ir::RateKind kind) const {
        if (owner.added.valid()) return owner.added;
        return clause(kind) ? clause(kind)->range : owner.header;
    }

    base::Diagnostic& report(Diag id, ir::RateKind kind) {
        return context.diags.add(id, rangeOf(kind)).in(owner.path());
    }

    graph::Rate one(ir::RateKind kind) {
        if (!clause(kind)) return {};
        const StatedRate& rate = *clause(kind);
        if (rate.clause.dynamic) return range(kind, rate);
        std::int64_t value = nonNegative(kind, rate.min.value_or(0));
        return {value, value, false, -1};
    }

    graph::Rate range(ir::RateKind kind, const StatedRate& rate) {
        std::int64_t min = nonNegative(kind, rate.min.value_or(0));
        std::int64_t max = rate.max ? nonNegative(kind, *rate.max) : graph::kUnbounded;
        if (max != graph::kUnbounded && min > max) {
            report(Diag::RateRange, kind) << min << kindText(kind) << max;
            max = min;
        }
        return {min, max, true, rate.average.value_or(-1)};
    }

    std::int64_t nonNegative(ir::RateKind kind, std::int64_t value) {
        if (value >= 0) return value;
        report(Diag::RateNegative, kind) << kindText(kind) << value;
        return 1;
    }

    static bool isZero(const graph::Rate& rate) { return rate.max == 0 && rate.min == 0; }

    void checkVoid(graph::Rates& rates) {
        auto refuse = [&](graph::Rate& rate, ir::RateKind kind, const char* side) {
            if (isZero(rate)) return;
            report(Diag::RateOnVoid, kind) << owner.name << side << kindText(kind);
            rate = {};
        };
        if (!owner.hasInput) {
            refuse(rates.pop, ir::RateKind::Pop, "input");
            refuse(rates.peek, ir::RateKind::Peek, "input");
        }
        if (!owner.hasOutput) refuse(rates.push, ir::RateKind::Push, "output");
    }

    void checkWork(graph::Rates& rates) {
        auto zero = [&](graph::Rate& rate, ir::RateKind kind, const char* side) {
            report(Diag::ZeroRate, kind) << owner.name << side << kindText(kind);
            rate = {1, 1, false, -1};
        };
        if (owner.hasInput && isZero(rates.pop)) {
            if (!isZero(rates.peek))
                report(Diag::PeekWithoutPop, ir::RateKind::Peek) << owner.name;
            else
                zero(rates.pop, ir::RateKind::Pop, "input");
        }
        if (owner.hasOutput && isZero(rates.push)) zero(rates.push, ir::RateKind::Push, "output");
    }

    /// A missing peek, or one smaller than pop, means pop.
    void completePeek(graph::Rates& rates) {
        if (!clause(ir::RateKind::Peek)) {
            rates.peek = rates.pop;
            return;
        }
        if (!rates.peek.dynamic && !rates.pop.dynamic && rates.peek.max < rates.pop.max)
            report(Diag::PeekBelowPop, ir::RateKind::Peek) << rates.peek.max << rates.pop.max;
        rates.peek.min = std::max(rates.peek.min, rates.pop.min);
        if (rates.peek.max == graph::kUnbounded || rates.pop.max == graph::kUnbounded)
            rates.peek.max = graph::kUnbounded;
        else
            rates.peek.max = std::max(rates.peek.max, rates.pop.max);
        rates.peek.dynamic = rates.peek.dynamic || rates.pop.dynamic;
    }

    base::Context& context;
    const StatedRates& stated;
    const RateOwner& owner;
};

}  // namespace

graph::Rates makeRates(base::Context& context, const StatedRates& stated, const RateOwner& owner) {
    return RateMaker(context, stated, owner).make();
}

}  // namespace strc::elab
