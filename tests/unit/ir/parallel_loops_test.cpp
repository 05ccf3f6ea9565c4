#include "ir/parallel_loops.h"

#include <gtest/gtest.h>

#include "ir/contraction.h"
#include "ir/writer.h"

namespace strc::ir {
namespace {

/// A loop of 4 iterations, of which each does what is inside. Of `a` and `b` there are 12 floats each.
class ParallelLoopsTest : public testing::Test {
protected:
    using Inside = std::function<void(Reg round)>;

    /// Names of the arrays that each iteration has for itself, or "no".
    std::string own(const Inside& inside, const std::function<void()>& behind = [] {}) {
        const std::size_t before = w.body.blocks[w.body.entry].instrs.size();
        w.loop(4, inside);
        behind();
        Affine affine(w.body);
        const std::span<const Instr> all(w.body.blocks[w.body.entry].instrs);
        for (std::size_t k = before; k < all.size(); ++k) {
            if (all[k].op != Op::Loop) continue;
            const auto trips = findParallelLoop(w.body, affine, all.first(k), all[k]);
            if (!trips) return "no";
            EXPECT_EQ(trips->counts.trips, 4);
            EXPECT_TRUE(trips->own.contains(trips->counts.counter));
            std::string names;
            for (std::uint32_t local : trips->own)
                if (w.body.locals[local].type->isAggregate())
                    names += w.body.locals[local].name + " ";
            return names;
        }
        return "no loop";
    }
    const types::Type* floats(std::int64_t count) { return types.array(types.floatType(), count); }
    Reg times(Reg round, std::int64_t step) {
        return w.operation(Op::Mul, types.intType(), {round, w.integer(step)});
    }
    Reg sum(Reg x, Reg y) { return w.operation(Op::Add, types.intType(), {x, y}); }
    Reg element(std::uint32_t array, Reg index) { return w.element(w.address(array), index); }
    /// 3 elements of the iteration's own.
    void copyRow(std::uint32_t to, std::uint32_t from, Reg round) {
        w.loop(3, [&](Reg i) {
            const Reg place = sum(times(round, 3), i);
            w.setElement(w.address(to), place, element(from, place));
        });
    }
    /// 3 elements of `to`: sums of products of elements of `from`.
    void contract(std::uint32_t to, std::uint32_t from) {
        const Contraction how{0, 0, 0, {{3, 1, 0, 1}, {2, 0, 1, 1}}};
        const Reg out = w.address(to), in = w.address(from);
        w.emit(Op::Contract, nullptr, {out, in, in}).value = toValue(how, types);
    }

    types::TypeTable types;
    Writer w{types};
    std::uint32_t a = w.local("a", floats(12)), b = w.local("b", floats(12));
};

TEST_F(ParallelLoopsTest, RowsOfTheirOwn) {
    EXPECT_EQ(own([&](Reg round) { copyRow(a, b, round); }), "");
}

TEST_F(ParallelLoopsTest, RowsThatMeet) {
    EXPECT_EQ(own([&](Reg round) {
                  w.loop(4, [&](Reg i) {
                      const Reg place = sum(times(round, 3), i);
                      w.setElement(w.address(a), place, element(b, i));
                  });
              }),
              "no");
}

TEST_F(ParallelLoopsTest, RowsOfOthersAreRead) {
    EXPECT_EQ(own([&](Reg round) {
                  w.setElement(w.address(a), times(round, 3), element(a, w.integer(1)));
              }),
              "no");
}

TEST_F(ParallelLoopsTest, ArraysThatBeginInARound) {
    EXPECT_EQ(own([&](Reg round) {
                  const std::uint32_t c = w.local("c", floats(4));
                  w.setElement(w.address(c), w.integer(1), element(b, round));
                  w.setElement(w.address(a), round, element(c, w.integer(1)));
              }),
              "c ");
}

TEST_F(ParallelLoopsTest, ArraysThatBeganBefore) {
    const std::uint32_t c = w.local("c", floats(2));
    auto fill = [&](std::int64_t count) {
        return [&, count](Reg round) {
            w.loop(count, [&](Reg i) { w.setElement(w.address(c), i, element(b, round)); });
            w.setElement(w.address(a), round, element(c, w.integer(1)));
        };
    };
    EXPECT_EQ(own(fill(2)), "c ");
    EXPECT_EQ(own(fill(1)), "no") << "the rest may come from another round";
}

TEST_F(ParallelLoopsTest, ArraysThatAreNeededBehindTheLoop) {
    const std::uint32_t c = w.local("c", floats(2));
    EXPECT_EQ(own(
                  [&](Reg round) {
                      w.loop(2, [&](Reg i) { w.setElement(w.address(c), i, element(b, round)); });
                      w.setElement(w.address(a), round, element(c, w.integer(1)));
                  },
                  [&] { w.setElement(w.address(a), w.integer(0), element(c, w.integer(0))); }),
              "no");
}

TEST_F(ParallelLoopsTest, Scalars) {
    const std::uint32_t x = w.local("x", types.floatType());
    auto keep = [&](Reg round) {
        w.store(x, element(b, round));
        w.setElement(w.address(a), round, w.load(x));
    };
    EXPECT_EQ(own(keep), "");
    EXPECT_EQ(own(keep, [&] { w.setElement(w.address(a), w.integer(0), w.load(x)); }), "no");
}

TEST_F(ParallelLoopsTest, RunningSums) {
    const std::uint32_t x = w.local("x", types.floatType());
    EXPECT_EQ(own([&](Reg round) {
                  w.store(x,
                          w.operation(Op::Add, types.floatType(), {w.load(x), element(b, round)}));
                  w.setElement(w.address(a), round, w.load(x));
              }),
              "no");
}

TEST_F(ParallelLoopsTest, Contractions) {
    EXPECT_EQ(own([&](Reg round) {
                  const std::uint32_t c = w.local("c", floats(4)), d = w.local("d", floats(3));
                  w.loop(4, [&](Reg i) { w.setElement(w.address(c), i, element(b, round)); });
                  contract(d, c);
                  w.loop(3, [&](Reg i) {
                      w.setElement(w.address(a), sum(times(round, 3), i), element(d, i));
                  });
              }),
              "c d ");
    EXPECT_EQ(own([&](Reg) { contract(a, b); }), "no");
    const std::uint32_t e = w.local("e", floats(3));
    EXPECT_EQ(own([&](Reg round) {
                  contract(e, b);
                  w.setElement(w.address(a), round, element(e, w.integer(2)));
              }),
              "e ")
        << "all of it is written in every round";
}

TEST_F(ParallelLoopsTest, WholeArraysAtOnce) {
    auto copy = [&](std::uint32_t to) {
        w.emit(Op::Copy, w.body.locals[to].type, {w.address(to), w.address(b)});
    };
    EXPECT_EQ(own([&](Reg round) {
                  const std::uint32_t c = w.local("c", floats(12));
                  copy(c);
                  w.setElement(w.address(a), round, element(c, w.integer(0)));
              }),
              "c ");
    EXPECT_EQ(own([&](Reg round) {
                  copy(a);
                  w.setElement(w.address(a), round, element(b, round));
              }),
              "no");
}

TEST_F(ParallelLoopsTest, WhatHasAnOrder) {
    EXPECT_EQ(own([&](Reg round) { w.emit(Op::Print, types.floatType(), {element(b, round)}); }),
              "no");
}

}  // namespace
}  // namespace strc::ir
