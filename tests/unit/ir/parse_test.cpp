#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/count_items.h"
#include "ir/specialize.h"
#include "ir/stored_fields.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace strc::ir {
namespace {

class IrText : public testing::Test {
protected:
    Module read(std::string_view text) {
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        return module ? std::move(*module) : Module{};
    }

    types::TypeTable types;
    base::NameTable names;
};

constexpr const char* kEverything = R"(struct P {
    int id
    float[4] v
}
global table: int[3] = {1, -2, 3}
global scale: float = 1.0E-4
native Cam.open(String, int) -> int
package Geo function hyp(a: float, b: float) -> float {
    %0: float = load local a
    %1: float = load local b
    %2: float = mul %0, %0
    %3: float = mul %1, %1
    %4: float = add %2, %3
    %5: double = convert %4
    %6: double = math sqrt %5
    %7: float = convert %6
    return %7
}
filter Scale stateful int->int {
    parameter n: int
    captured w: int[?]
    field sum: int
    field buffer: float[?][2]
    default 0 default -> int {
        %0: int = const 3
        return %0
    }
    setup {
        %0: int = load constant n
        %1: int = const 2
        declare<float[?][2]> field buffer, %0, %1
        rate work pop %1
        rate work push dynamic min %1 max %0
    }
    work {
        local x: P
        local i: int
        declare<P> local x
        %0: ref P = addr local x
        %1: ref float[4] = member %0, 1
        %2: int = const 1
        %3: int = const 4
        %4: ref float = elem %1, %2, %3 unchecked
        %5: float = const 0.5
        store.at<float> %4, %5
        %6: int = pop
        %7: boolean = lt<int> %6, %2
        if %7 {
            push<int> %6
        } else {
            %8: int = call stream twice(%6)
            push<int> %8
        }
        loop {
            %9: int = load local i
            %10: boolean = lt<int> %9, %3
            yield<boolean> %10
        } do {
            break
        } step {
            %11: int = const 1
            store<int> local i, %11
        }
        %12: portal<Rx> = const 0
        send set(%6: int) to %12 latency %2
        %13: String = const "a\\b\012"
        print<String> %13
        newline
    }
    function twice(k: int) -> int {
        %0: int = load local k
        %1: int = add %0, %0
        return %1
    }
}
pipeline Main void->void {
    setup {
    }
    composite {
        local w: int[3]
        declare<int[3]> local w
        %0: int = const 5
        %1: ref int[3] = addr local w
        create add stream Scale(default, %1)
        create add builtin Identity<int>()
        split uniform %0
        join roundrobin
    }
}
)";

TEST_F(IrText, FieldsMayBePorts) {
    const char* text = R"(filter Ends untyped {
    field a: int[4] input
    field b: float[2]
    field c: float[4] input
    field d: int[8] output
    work {
    }
}
)";
    Module module = read(text);
    ASSERT_EQ(module.streams.size(), 1u);
    StreamCode& code = module.streams[0];
    EXPECT_EQ(print(code), text);
    EXPECT_THAT(code.inputFields, testing::ElementsAre(0, 2));
    EXPECT_THAT(code.outputFields, testing::ElementsAre(3));
    EXPECT_THAT(storedFields(code), testing::ElementsAre(true, false, true, false))
        << "who fires it stores to inputs";
    EXPECT_THAT(verify(module), testing::IsEmpty());
    const char* fault = "a port is an array on a side without a tape";
    code.output = types.intType();
    EXPECT_THAT(verify(module), testing::ElementsAre(testing::HasSubstr(fault)));
    code.output = nullptr;
    code.fields[2].type = types.intType();
    EXPECT_THAT(verify(module), testing::ElementsAre(testing::HasSubstr(fault)));
}

TEST_F(IrText, WhatIsPrintedReadsBackTheSame) {
    Module module = read(kEverything);
    EXPECT_EQ(print(module), kEverything);
}

TEST_F(IrText, StoredArraysAreReadOnly) {
    const std::string text = R"(filter F void->float {
    stored #0: float[3]
    setup {
    }
    work {
        %0: ref float[3] = addr stored #0
        %1: int = const 2
        %2: int = const 3
        %3: ref float = elem %0, %1, %2
        %4: float = load.at %3
        push<float> %4
    }
}
)";
    Module module = read(text);
    EXPECT_EQ(print(module), text);
    EXPECT_THAT(verify(module), testing::IsEmpty());
    module.streams[0].stored.clear();
    EXPECT_FALSE(verify(module).empty());
    const std::string store = "        declare<float[3]> stored #0\n        push<float> %4";
    module = read(std::string(text).replace(text.find("        push<float> %4"), 22, store));
    EXPECT_FALSE(verify(module).empty());
}

TEST_F(IrText, TransposesAndWhatIsLikely) {
    const std::string text = R"(filter F void->float {
    setup {
    }
    work {
        local a: float[6]
        local b: complex[3]
        declare<float[6]> local a
        declare<complex[3]> local b
        %0: ref float[6] = addr local a
        %1: ref complex[3] = addr local b
        %2: int = const 0
        %3: int = const 3
        %4: int = const 6
        %5: ref float = elem %0, %2, %4 unchecked
        %6: ref complex = elem %1, %2, %3 unchecked
        transpose<complex> %5, %6, %4, %3, 2
        %7: int = add %2, %3 natural
        %8: boolean = lt<int> %7, %4
        if %8 likely {
            transpose<float> %6, %5, %4, %4, 1
        }
    }
}
)";
    EXPECT_EQ(print(read(text)), text);
    EXPECT_THAT(verify(read(text)), testing::IsEmpty());
    for (const char* wrong :
         {"transpose<float> %5, %6, %4, %3, 2", "transpose<complex> %5, %6, %4, %3",
          "transpose<float[6]> %5, %0, %4, %3, 2"}) {
        const std::string right = "transpose<complex> %5, %6, %4, %3, 2";
        Module module = read(std::string(text).replace(text.find(right), right.size(), wrong));
        EXPECT_FALSE(verify(module).empty()) << wrong;
    }
}

TEST_F(IrText, FaultsNameTheLine) {
    auto module = parse("filter F int->int {\n  work {\n    frob %1\n  }\n}\n", types, names);
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error(), "line 3: expected an operation before 'frob'");
    EXPECT_FALSE(parse("filter F int->int { work { push %0", types, names));
    EXPECT_FALSE(parse("filter F int->int { work { %0: int = load local x } }", types, names));
    EXPECT_FALSE(parse("filter F Unknown->int { }", types, names));
    EXPECT_FALSE(
        parse("pipeline P void->void { composite { create add stream Q() } }", types, names));
}

/// Counts of a work body of `int->int` given as text.
class ItemCount : public IrText {
protected:
    ItemCounts count(const std::string& work) {
        Module module =
            read("filter F int->int { field state: int work { local i: int " + work + " } }");
        const StreamCode& code = module.streams.at(0);
        return countItems(module, code, *code.work, 100'000);
    }
};

TEST_F(ItemCount, StraightLine) {
    ItemCounts counts =
        count("%0: int = pop %1: int = const 3 %2: int = peek %1 push<int> %0 push<int> %2");
    EXPECT_EQ(counts.pops, (Interval{1, 1}));
    EXPECT_EQ(counts.pushes, (Interval{2, 2}));
    EXPECT_EQ(counts.peeks, (Interval{5, 5}));
}

TEST_F(ItemCount, ManyItemsAndWindows) {
    ItemCounts counts = count(
        "%0: ref int[9] = addr input %1: ref int[5] = addr output push.many<int> 5 "
        "discard.many<int> 7");
    EXPECT_EQ(counts.pops, (Interval{7, 7}));
    EXPECT_EQ(counts.pushes, (Interval{5, 5}));
    EXPECT_EQ(counts.peeks, (Interval{9, 9}));
}

TEST_F(ItemCount, LoopWithAKnownTripCount) {
    ItemCounts counts = count(R"(
        %0: int = const 0 store<int> local i, %0
        loop { %1: int = load local i %2: int = const 7 %3: boolean = lt<int> %1, %2 yield<boolean> %3 }
        do { %4: int = pop push<int> %4 push<int> %4 }
        step { %5: int = load local i %6: int = const 1 %7: int = add %5, %6 store<int> local i, %7 })");
    EXPECT_EQ(counts.pops, (Interval{7, 7}));
    EXPECT_EQ(counts.pushes, (Interval{14, 14}));
}

TEST_F(ItemCount, BranchesThatDisagreeGiveAnInterval) {
    ItemCounts counts = count(R"(
        %0: int = pop %1: boolean = gt<int> %0, %0
        if %1 { push<int> %0 } else { push<int> %0 push<int> %0 push<int> %0 })");
    EXPECT_EQ(counts.pushes, (Interval{1, 3}));
    EXPECT_EQ(counts.pops, (Interval{1, 1}));
}

TEST_F(ItemCount, LoopOnDataHasNoUpperBound) {
    ItemCounts counts = count(R"(
        loop { %0: int = pop %1: boolean = gt<int> %0, %0 yield<boolean> %1 } do { push<int> %0 })");
    EXPECT_EQ(counts.pops.min, 1);
    EXPECT_EQ(counts.pops.max, kUnknown);
    EXPECT_EQ(counts.pushes, (Interval{0, kUnknown}));
}

TEST_F(ItemCount, ReturnEndsAPath) {
    ItemCounts counts = count(R"(
        %0: int = pop %1: boolean = gt<int> %0, %0
        if %1 { return }
        push<int> %0)");
    EXPECT_EQ(counts.pushes, (Interval{0, 1}));
}

TEST_F(ItemCount, UnknownOffsetsCannotBeJudged) {
    ItemCounts counts = count("%0: int = load field state %1: int = peek %0");
    EXPECT_EQ(counts.peeks.max, kUnknown);
    EXPECT_EQ(counts.peeks.min, 0);
}

TEST_F(ItemCount, EndlessLoopsGiveUp) {
    ItemCounts counts = count(R"(
        loop { %0: boolean = const true yield<boolean> %0 } do { %1: int = pop })");
    EXPECT_EQ(counts.pops.max, kUnknown);
    EXPECT_EQ(counts.pops.min, 0);
}

class Specialize : public IrText {
protected:
    StreamCode specializeWith(Module& module, std::int32_t n) {
        std::vector<Value> constants{Value::of(types.intType(), n)};
        std::vector<const Type*> fields;
        std::vector<Value> fieldValues;
        for (const Variable& field : module.streams[0].fields) {
            fields.push_back(field.type->is(types::TypeKind::Array)
                                 ? types.array(field.type->element, n)
                                 : field.type);
            fieldValues.push_back(field.type->isScalar() ? Value::of(field.type, n + 1) : Value{});
        }
        return specialize(module, module.streams[0],
                          {constants, fields, fieldValues, types.intType(), types.intType()},
                          types);
    }
};

TEST_F(Specialize, ParametersBecomeLiteralsAndBranchesGo) {
    Module module = read(R"(filter F int->int { parameter n: int work {
        %0: int = load constant n %1: int = const 2 %2: boolean = gt<int> %0, %1
        %3: int = pop
        %6: int = if %2 { %4: int = mul %3, %0 yield<int> %4 } else { yield<int> %3 }
        push<int> %6
    } })");
    EXPECT_EQ(print(*specializeWith(module, 5).work), R"(work {
    %0: int = const 5
    %3: int = pop
    %4: int = mul %3, %0
    push<int> %4
}
)");
    EXPECT_EQ(print(*specializeWith(module, 1).work), R"(work {
    %3: int = pop
    push<int> %3
}
)");
}

TEST_F(Specialize, ExtentsAndStridesBecomeLiteral) {
    Module module = read(R"(filter F int->int { parameter n: int field t: int[?] work {
        local a: float[?]
        %0: int = load constant n
        declare<float[?]> local a, %0
        %1: ref float[?] = addr local a
        %2: int = extent local a, 0
        %3: ref float = elem %1, %0, %2
        %4: ref int[?] = addr field t
        %5: int = extent field t, 0
        %6: ref int = elem %4, %5, %5
        %7: int = load.at %6
        push<int> %7
    } })");
    StreamCode code = specializeWith(module, 6);
    EXPECT_EQ(types::toString(code.work->locals[0].type), "float[6]");
    std::string text = print(code);
    EXPECT_NE(text.find("%4: ref int[6] = addr field t"), std::string::npos) << text;
    EXPECT_NE(text.find("%5: int = const 6"), std::string::npos) << text;
    EXPECT_TRUE(verify(module, &code, *code.work).empty());
}

TEST_F(Specialize, FieldsThatNobodyStoresToAreLiterals) {
    const char* reads = "%0: int = load field m push<int> %0";
    Module constant = read(
        std::string("filter F int->int { parameter n: int field m: int work { ") + reads + " } }");
    EXPECT_NE(print(specializeWith(constant, 4)).find("const 5"), std::string::npos);
    Module stored = read(std::string("filter F int->int { parameter n: int field m: int work { ") +
                         reads + " store<int> field m, %0 } }");
    EXPECT_NE(print(specializeWith(stored, 4)).find("load field m"), std::string::npos);
}

TEST_F(Specialize, DivisionByZeroStaysToTrap) {
    Module module = read(R"(filter F int->int { parameter n: int work {
        %0: int = load constant n %1: int = div %0, %0 %2: int = const -2147483648 %3: int = const -1
        %4: int = div %2, %3 push<int> %4
    } })");
    std::string text = print(*specializeWith(module, 0).work);
    EXPECT_NE(text.find("div %0, %0"), std::string::npos) << text;
    EXPECT_NE(text.find("%4: int = const -2147483648"), std::string::npos) << text;
}

}  // namespace
}  // namespace strc::ir
