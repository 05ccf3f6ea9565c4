#pragma once
/// Firings whose items lie on a tape of their own each (plan::Plan::inputsOf): they take and give arrays, which are filled from
/// these tapes before, and emptied to them afterwards.

#include "lowered/detail/items.h"

namespace strc::lowered {

class Dealer {
public:
    Dealer(ir::Writer& writer, Items& items, const plan::Plan& plan)
        : w(writer), items(items), plan(plan) {}

    /// A local with the window of that firing of the step; of `lanes` firings in columns, if that is not 0.
    std::uint32_t take(const plan::Step&, const Index& firing, std::int64_t lanes);
    /// A local for what a firing gives, or for the rows of `lanes` firings.
    std::uint32_t prepare(const plan::Step&, std::int64_t lanes);
    /// Puts what lies there where it belongs. It was prepared last.
    void give(const plan::Step&, const Index& firing);

private:
    std::uint32_t array(const std::vector<EdgeId>&, std::int64_t lanes);
    void move(Reg to, Reg from, std::int64_t lanes);

    ir::Writer& w;
    Items& items;
    const plan::Plan& plan;
    std::uint32_t given = ir::kNone;
    std::int64_t givenLanes = 0;
};

}  // namespace strc::lowered
