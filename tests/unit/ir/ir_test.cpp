#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verify.h"

namespace strc::ir {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A filter `int->int` with `work` made by hand.
class IrTest : public testing::Test {
protected:
    IrTest() {
        stream.name = "F";
        stream.input = stream.output = integer();
        stream.constants = {{"n", integer(), {}}};
        stream.params = 1;
        stream.fields = {{"table", types.array(integer(), types::kDynamic), {}}};
        body.name = "work";
        body.kind = BodyKind::Work;
        body.locals = {{"x", integer(), {}},
                       {"x", types.floatType(), {}},
                       {"", types.array(integer(), 4), {}}};
        body.blocks.resize(1);
    }

    const Type* integer() const { return types.intType(); }

    Reg reg(const Type* type, bool ref = false) {
        body.regs.push_back({type, ref});
        return static_cast<Reg>(body.regs.size() - 1);
    }

    Instr& add(Op op, const Type* type, std::vector<Reg> operands = {}, BlockId block = 0) {
        Instr instr;
        instr.op = op;
        instr.type = type;
        instr.operands = std::move(operands);
        body.blocks[block].instrs.push_back(instr);
        return body.blocks[block].instrs.back();
    }

    Reg value(Op op, const Type* type, std::vector<Reg> operands = {}, BlockId block = 0) {
        Reg result = reg(type);
        add(op, type, std::move(operands), block).result = result;
        return result;
    }

    Reg constant(std::int32_t n, BlockId block = 0) {
        Reg result = value(Op::Const, integer(), {}, block);
        body.blocks[block].instrs.back().value = Value::of(integer(), n);
        return result;
    }

    std::vector<std::string> faults() const { return verify(module, &stream, body); }

    types::TypeTable types;
    Module module;
    StreamCode stream;
    Body body;
};

TEST_F(IrTest, PrintsOneInstructionALine) {
    Reg one = constant(1);
    Reg item = value(Op::Pop, integer());
    Reg sum = value(Op::Add, integer(), {item, one});
    add(Op::Store, integer(), {sum}).var = {Space::Local, 0};
    Reg more = reg(types.boolean());
    add(Op::Lt, integer(), {item, one}).result = more;
    add(Op::If, nullptr, {more}).blocks = {1, kNone, kNone};
    body.blocks.resize(2);
    add(Op::Push, integer(), {sum}, 1).checked = false;
    EXPECT_EQ(print(body), R"(work {
    local x#0: int
    local x#1: float
    local #2: int[4]
    %0: int = const 1
    %1: int = pop
    %2: int = add %1, %0
    store<int> local x#0, %2
    %3: boolean = lt<int> %1, %0
    if %3 {
        push<int> %2 unchecked
    }
}
)");
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(IrTest, PrintsVariablesByNameWhereTheyAreKnown) {
    Reg zero = constant(0);
    Reg array = reg(stream.fields[0].type, true);
    Instr& addr = add(Op::Addr, stream.fields[0].type);
    addr.result = array;
    addr.var = {Space::Field, 0};
    Reg extent = reg(integer());
    Instr& count = add(Op::Extent, integer());
    count.result = extent;
    count.var = {Space::Field, 0};
    count.index = 0;
    Reg element = reg(integer(), true);
    add(Op::Elem, integer(), {array, zero, extent}).result = element;
    stream.work = body;
    std::string text = print(stream);
    EXPECT_THAT(text,
                HasSubstr("filter F int->int {\n    parameter n: int\n    field table: int[?]\n"));
    EXPECT_THAT(text, HasSubstr("%1: ref int[?] = addr field table\n"));
    EXPECT_THAT(text, HasSubstr("%2: int = extent field table, 0\n"));
    EXPECT_THAT(text, HasSubstr("%3: ref int = elem %1, %0, %2\n"));
    EXPECT_THAT(faults(), IsEmpty());
    EXPECT_THAT(print(body), HasSubstr("addr field #0\n"));
}

TEST_F(IrTest, PrintsValuesSoThatTheyCanBeReadBack) {
    auto text = [&](Value value) {
        body.blocks[0].instrs.clear();
        Reg result = reg(value.type, value.type->isAggregate());
        Instr& instr = add(Op::Const, value.type);
        instr.result = result;
        instr.value = std::move(value);
        EXPECT_THAT(faults(), IsEmpty());
        std::string line = print(body);
        std::size_t start = line.find("const ") + 6;
        return line.substr(start, line.find('\n', start) - start);
    };
    EXPECT_EQ(text(Value::of(types.floatType(), 0.1f)), "0.1");
    EXPECT_EQ(text(Value::of(types.floatType(), -INFINITY)), "-Infinity");
    EXPECT_EQ(text(Value::of(types.boolean(), true)), "true");
    EXPECT_EQ(text(Value::text(types.string(), "a\"b\n")), R"("a\"b\012")");
    EXPECT_EQ(text(Value::zero(types.complex())), "(0.0, 0.0)");
    EXPECT_EQ(text(Value::zero(types.array(types.array(integer(), 2), 2))), "{{0, 0}, {0, 0}}");
}

TEST_F(IrTest, VerifyFindsUsesOutsideOfTheDefiningBlock) {
    Reg condition = value(Op::Const, types.boolean());
    body.blocks[0].instrs.back().value = Value::of(types.boolean(), true);
    add(Op::If, nullptr, {condition}).blocks = {1, kNone, kNone};
    body.blocks.resize(2);
    Reg inside = constant(1, 1);
    add(Op::Push, integer(), {inside});
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("%1 is not defined here in `push<int> %1`")));
}

TEST_F(IrTest, VerifyFindsWrongTypes) {
    Reg one = constant(1);
    add(Op::Push, types.floatType(), {one});
    EXPECT_THAT(faults(), Contains(HasSubstr("not the type of the tape's items")));
    add(Op::Add, integer(), {one}).result = reg(integer());
    EXPECT_THAT(faults(), Contains(HasSubstr("2 operands are needed")));
}

TEST_F(IrTest, VerifyFindsWhatABodyMustNotDo) {
    body.kind = BodyKind::Init;
    add(Op::Discard, integer());
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("tapes are out of reach here")));
    body.kind = BodyKind::Work;
    add(Op::Store, integer(), {constant(1)}).var = {Space::Constant, 0};
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("read-only")));
}

TEST_F(IrTest, VerifyFindsWindowsOfOtherItems) {
    Instr& input = add(Op::Addr, types.array(types.floatType(), 4));
    input.var = {Space::Input, 0};
    input.result = reg(types.array(types.floatType(), 4), true);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("not an array of the tape's items")));
    body.blocks[0].instrs.clear();
    add(Op::PushMany, types.floatType()).index = 2;
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("no such items")));
    body.blocks[0].instrs.clear();
    body.kind = BodyKind::Init;
    add(Op::DiscardMany, integer()).index = 2;
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("tapes are out of reach here")));
}

TEST_F(IrTest, VerifyFindsMalformedControl) {
    add(Op::Return, nullptr);
    constant(1);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("does not stand last")));
    body.blocks[0].instrs.clear();
    add(Op::Break, nullptr);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("outside of a loop's body")));
    body.blocks[0].instrs.clear();
    add(Op::Loop, nullptr).blocks = {1, 2, kNone};
    body.blocks.resize(3);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("has to yield")));
}

TEST_F(IrTest, FindsStreamsByName) {
    module.streams.resize(2);
    module.streams[1].name = "G";
    EXPECT_EQ(module.find("G"), 1u);
    EXPECT_EQ(module.find("H"), kNone);
}

}  // namespace
}  // namespace strc::ir
