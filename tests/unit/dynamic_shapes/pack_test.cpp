#include "dynamic_shapes/pack.h"

#include "ir/text.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

/// Filters whose shapes only the run knows, as bytes.
class Pack : public CompiledTest {
protected:
    dynamic_shapes::Packed packed() {
        compile(R"(void->void pipeline Main { add Lengths; add Vectors(2); add Ahead; add Show; }
            void->int filter Lengths { int n; work push 1 { push(n % 3 + 1); n++; } }
            int->tensor filter Vectors(float by) { tensor<float>[2] w; int[3] t; tensor last; init { w = ones(2); t[1] = 7; }
                tensor twice(tensor x) { return concat(x, x, 0); }
                work pop 1 push 1 { last = twice(arange(pop()) * by); push(concat(last, w * t[1], 0)); } }
            tensor->tensor filter Ahead { prework push 1 { push(zeros(1)); } work pop 1 peek 2 push 1 { push(peek(1)); pop(); } }
            tensor->void filter Show { work pop 1 { println(pop()); } })");
        return dynamic_shapes::pack(*program.elaboration.compiled->dynamicFilters,
                                    [](base::SourceRange) { return true; });
    }
};

TEST_F(Pack, IsTheSameProgramAgain) {
    const dynamic_shapes::Packed before = packed();
    types::TypeTable types;
    base::NameTable names;
    auto again = dynamic_shapes::unpack(before.bytes, types, names);
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again->isOfLibrary, std::vector<bool>(before.places.size(), true));
    EXPECT_EQ(again->program.filters.size(), 3u);
    EXPECT_EQ(again->program.filters[1].name, "Ahead");
    EXPECT_TRUE(again->program.filters[1].prework.has_value());
    const dynamic_shapes::Packed after =
        dynamic_shapes::pack(again->program, [](base::SourceRange) { return true; });
    EXPECT_EQ(after.bytes, before.bytes);
    for (std::uint32_t k = 0; k < after.places.size(); ++k) EXPECT_EQ(after.places[k].begin, k);
}

TEST_F(Pack, WhatEndsTooSoonIsASentence) {
    const std::string bytes = packed().bytes;
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        types::TypeTable types;
        base::NameTable names;
        EXPECT_FALSE(dynamic_shapes::unpack(std::string_view(bytes).substr(0, size), types, names));
    }
}

}  // namespace
}  // namespace strc::testing
