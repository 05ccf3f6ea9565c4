// What is combined computes what its parts compute, on as much input.
#include "linear/detail/combine.h"

#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strc::linear {
namespace {

using Items = std::vector<std::int32_t>;

/// All firings that the input is enough for.
Items fire(const Form& form, const Items& input) {
    Items output;
    for (std::size_t at = 0; at + static_cast<std::size_t>(form.peek) <= input.size();
         at += static_cast<std::size_t>(form.pop))
        for (const Affine& row : form.rows) {
            auto sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(row.constant.re));
            for (const Term& term : row.terms)
                sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(term.factor.re)) *
                       static_cast<std::uint32_t>(input[at + static_cast<std::size_t>(term.item)]);
            output.push_back(static_cast<std::int32_t>(sum));
        }
    return output;
}

class CombineTest : public testing::Test {
protected:
    std::int64_t number(std::int64_t from, std::int64_t to) {
        return std::uniform_int_distribution<std::int64_t>(from, to)(random);
    }

    Form form(std::int64_t pop, std::int64_t push) {
        Form made{types.intType(), pop, pop + number(0, 3), {}};
        for (std::int64_t k = 0; k < push; ++k) {
            Affine row;
            row.constant.re = static_cast<double>(number(-3, 3));
            for (std::int64_t item = 0; item < made.peek; ++item)
                if (number(0, 2) > 0)
                    row.terms.push_back({item, {static_cast<double>(number(1, 2'000'000'000)), 0}});
            made.rows.push_back(row);
        }
        return made;
    }

    Items items(std::size_t count) {
        Items made(count);
        for (std::int32_t& item : made)
            item = static_cast<std::int32_t>(number(INT32_MIN, INT32_MAX));
        return made;
    }

    types::TypeTable types;
    std::mt19937 random{7};
};

/// Items that can come once there are `input` items.
std::size_t available(const Form& form, std::size_t input) {
    std::int64_t items = 0;
    while (form.need(items + 1) <= static_cast<std::int64_t>(input)) ++items;
    return static_cast<std::size_t>(items);
}

/// The parts may be further by less than a firing of the whole.
void expectPrefix(const Items& whole, const Items& parts, std::int64_t push) {
    ASSERT_LE(whole.size(), parts.size());
    EXPECT_LT(parts.size() - whole.size(), static_cast<std::size_t>(push));
    EXPECT_TRUE(std::equal(whole.begin(), whole.end(), parts.begin()));
}

TEST_F(CombineTest, PipelinesDoWhatTheirPartsDo) {
    for (int round = 0; round < 200; ++round) {
        const Form first = form(number(1, 4), number(1, 4)),
                   second = form(number(1, 4), number(1, 4));
        const auto whole = inPipeline(first, second);
        ASSERT_TRUE(whole);
        EXPECT_EQ(whole->form.pop, whole->firings[0] * first.pop);
        EXPECT_EQ(whole->form.push(), whole->firings[1] * second.push());
        const Items input = items(60);
        expectPrefix(fire(whole->form, input), fire(second, fire(first, input)),
                     whole->form.push());
        for (std::size_t count = 0; count < 60; ++count) {
            const Items some(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(count));
            EXPECT_EQ(available(whole->form, count), fire(second, fire(first, some)).size());
        }
    }
}

/// What a splitter gives its branches, and what a joiner makes of what they give.
Items splitJoin(const std::vector<Form>& branches, const std::vector<std::int64_t>& splits,
                const std::vector<std::int64_t>& joins, const Items& input) {
    const std::int64_t total = std::accumulate(splits.begin(), splits.end(), std::int64_t{0});
    std::vector<Items> outputs;
    std::int64_t before = 0;
    for (std::size_t k = 0; k < branches.size(); ++k) {
        Items own = splits.empty() ? input : Items{};
        if (!splits.empty()) {
            const std::int64_t trips = static_cast<std::int64_t>(input.size()) / total;
            for (std::int64_t i = 0; i < trips; ++i)
                for (std::int64_t j = 0; j < splits[k]; ++j)
                    own.push_back(input[static_cast<std::size_t>(i * total + before + j)]);
            before += splits[k];
        }
        outputs.push_back(fire(branches[k], own));
    }
    Items joined;
    for (std::size_t round = 0;; ++round) {
        for (std::size_t k = 0; k < branches.size(); ++k)
            if (outputs[k].size() < (round + 1) * static_cast<std::size_t>(joins[k])) return joined;
        for (std::size_t k = 0; k < branches.size(); ++k) {
            const auto weight = static_cast<std::size_t>(joins[k]);
            joined.insert(joined.end(),
                          outputs[k].begin() + static_cast<std::ptrdiff_t>(round * weight),
                          outputs[k].begin() + static_cast<std::ptrdiff_t>((round + 1) * weight));
        }
    }
}

TEST_F(CombineTest, SplitJoinsDoWhatTheirPartsDo) {
    for (int round = 0; round < 200; ++round) {
        const bool duplicates = number(0, 1) == 0;
        std::vector<Form> branches;
        std::vector<std::int64_t> splits, joins;
        for (std::int64_t k = number(2, 4); k > 0; --k) {
            // Each branch takes `scale` times and gives `weight` times what one of rates 1 would.
            const std::int64_t scale = number(1, 3), weight = number(1, 3);
            branches.push_back(form(scale, scale * weight));
            joins.push_back(weight);
            if (!duplicates) splits.push_back(1);
        }
        std::vector<const Form*> pointers;
        for (const Form& branch : branches) pointers.push_back(&branch);
        const auto whole = inSplitJoin(pointers, splits, joins);
        ASSERT_TRUE(whole);
        const Items input = items(90);
        expectPrefix(fire(whole->form, input), splitJoin(branches, splits, joins, input),
                     whole->form.push());
        for (std::size_t count = 0; count < 90; ++count) {
            const Items some(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(count));
            EXPECT_EQ(available(whole->form, count),
                      splitJoin(branches, splits, joins, some).size());
        }
    }
}

TEST_F(CombineTest, WhatWouldBeTooLargeIsNotMade) {
    Form wide = form(1, 1), many = form(1, 2);
    wide.rows.resize(static_cast<std::size_t>(kMostRows), wide.rows[0]);
    many.pop = many.peek = kMostRows + 1;
    EXPECT_FALSE(inPipeline(wide, many));
    Form far = form(1, 1);
    far.pop = far.peek = std::int64_t{1} << 40;
    EXPECT_FALSE(inPipeline(form(1, 7), far));
}

TEST_F(CombineTest, SumsWrap) {
    const Affine big{{{0, {2147483647, 0}}}, {2147483647, 0}};
    Affine sum;
    addTo(Domain::Int, sum, big, {2, 0});
    EXPECT_EQ(sum, (Affine{{{0, {-2, 0}}}, {-2, 0}}));
    addTo(Domain::Int, sum, sum, {-1, 0});
    EXPECT_EQ(sum, Affine{});
}

TEST_F(CombineTest, WhatRoundsAwayIsLeftOut) {
    const Affine row{{{0, {1, 0}}, {1, {-1e-8, 0}}, {2, {1e-8, 0}}, {3, {1e-6, 0}}}, {}};
    auto left = [&](const Type* type) {
        Affine rest = row;
        dropNoise(type, rest);
        std::vector<std::int64_t> items;
        for (const Term& term : rest.terms) items.push_back(term.item);
        return items;
    };
    EXPECT_THAT(left(types.floatType()), testing::ElementsAre(0, 3));
    EXPECT_THAT(left(types.doubleType()), testing::ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(left(types.intType()), testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(CombineTest, FormsAreShown) {
    Form shown{types.intType(), 2, 4, {Affine{{{0, {1, 0}}, {3, {-2, 0}}}, {7, 0}}, Affine{}}};
    EXPECT_EQ(print(shown), "pop 2 peek 4 push 2, 2 terms\n  x0 - 2*x3 + 7\n  0\n");
}

}  // namespace
}  // namespace strc::linear
