#include <cstring>
#include <new>

#include "host/run.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Numbers final : public io::ItemReader {
public:
    explicit Numbers(std::vector<std::int32_t> items) : items(std::move(items)) {}
    base::Result<std::size_t> read(std::byte* to, std::size_t count) override {
        const std::size_t there = std::min(count, items.size() - at);
        std::memcpy(to, items.data() + at, there * sizeof items[0]);
        at += there;
        return there;
    }
    bool rewind() override { return false; }

private:
    std::vector<std::int32_t> items;
    std::size_t at = 0;
};

/// Keeps what is written; what happens at the last item that there is room for, is told beforehand.
class Sheet final : public io::ItemWriter {
public:
    enum class Then { Fails, IsGone, Throws };
    Sheet(std::size_t room = SIZE_MAX, Then then = Then::Fails) : room(room), then(then) {}

    base::Status write(const std::byte* from, std::size_t count) override {
        for (std::size_t k = 0; k < count; ++k) {
            if (items.size() == room) {
                if (then == Then::Throws) throw std::bad_alloc();
                return base::failure(base::Diag::CannotWriteFile, {"the sheet", "it is full"});
            }
            std::int32_t item = 0;
            std::memcpy(&item, from + k * sizeof item, sizeof item);
            items.push_back(item);
        }
        return base::ok();
    }
    base::Status flush() override { return base::ok(); }
    base::Status close() override {
        isClosed = true;
        return base::ok();
    }
    bool readerGone() const override { return then == Then::IsGone && items.size() == room; }

    std::vector<std::int32_t> items;
    bool isClosed = false;

private:
    std::size_t room;
    Then then;
};

class HostTest : public CompiledTest {
protected:
    void SetUp() override {
        if (!executes()) GTEST_SKIP() << "this machine does not execute the code";
        request.top = "Main";
    }
    /// A filter from the input to the output.
    interp::Outcome pass(const std::string& text, std::vector<std::int32_t> items, Sheet& sheet,
                         interp::Options how = {}) {
        compile(text);
        Numbers reader(std::move(items));
        how.input = &reader;
        how.output = &sheet;
        return run(how);
    }
};

constexpr const char* kNegative = "int->int filter Main { work pop 1 push 1 { push(-pop()); } }";
constexpr const char* kQuotient =
    "int->int filter Main { work pop 2 push 1 { push(pop() / pop()); } }";

TEST_F(HostTest, ItemsThatFillNoSteadyStateAreLeft) {
    Sheet sheet;
    const interp::Outcome outcome = pass(kQuotient, {6, 2, 9, 3, 1}, sheet);
    EXPECT_EQ(outcome.end, interp::End::EndOfInput);
    EXPECT_THAT(sheet.items, ElementsAre(3, 3));
    EXPECT_EQ(outcome.itemsRead, 4);
    EXPECT_EQ(outcome.itemsWritten, 2);
    EXPECT_EQ(outcome.itemsLeft, 1);
    EXPECT_EQ(outcome.iterations, 2);
    EXPECT_TRUE(sheet.isClosed);
}

TEST_F(HostTest, TheLimitCountsItemsOfTheOutput) {
    Sheet sheet;
    interp::Options how;
    how.limit = 3;
    const interp::Outcome outcome = pass(kNegative, std::vector<std::int32_t>(1000, 7), sheet, how);
    EXPECT_EQ(outcome.end, interp::End::Limit);
    EXPECT_THAT(sheet.items, ElementsAre(-7, -7, -7));
    EXPECT_EQ(outcome.itemsWritten, 3);
}

TEST_F(HostTest, AnOutputThatFailsIsReported) {
    Sheet sheet(2);
    EXPECT_EQ(pass(kNegative, {1, 2, 3}, sheet).end, interp::End::Failed);
    EXPECT_THAT(sheet.items, ElementsAre(-1, -2));
    EXPECT_THAT(faults(), ElementsAre(": cannot write 'the sheet': it is full"));
}

TEST_F(HostTest, AReaderThatIsGoneEndsTheRunQuietly) {
    Sheet sheet(2, Sheet::Then::IsGone);
    EXPECT_EQ(pass(kNegative, {1, 2, 3}, sheet).end, interp::End::Limit);
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(HostTest, NoExceptionPassesTheProgram) {
    Sheet sheet(0, Sheet::Then::Throws);
    EXPECT_EQ(pass(kNegative, {1, 2, 3}, sheet).end, interp::End::Failed);
    ASSERT_EQ(program.context.diags.all().size(), 1u);
    EXPECT_EQ(program.context.diags.all()[0].id, base::Diag::OutOfMemory);
}

TEST_F(HostTest, WhatComesBeforeAFaultIsWritten) {
    Sheet sheet;
    const interp::Outcome outcome = pass(kQuotient, {6, 2, 9, 3, 1, 0, 8, 4}, sheet);
    EXPECT_EQ(outcome.end, interp::End::Failed);
    EXPECT_THAT(sheet.items, ElementsAre(3, 3));
    EXPECT_THAT(faults(), ElementsAre("Main: integer division by zero"));
    EXPECT_TRUE(sheet.isClosed);
}

TEST_F(HostTest, AFileWithoutItemsStaysAsItWas) {
    Sheet sheet;
    EXPECT_EQ(pass(kQuotient, {6, 0}, sheet).end, interp::End::Failed);
    EXPECT_FALSE(sheet.isClosed);
}

TEST_F(HostTest, AFaultIsSaidWithItsWordsAndNumbers) {
    compile(kNegative);
    codegen::Site site;
    site.id = base::Diag::PopRateViolated;
    site.words = {"'work'", "Main"};
    site.numbers = 2;
    host::reportFault(program.context, program.elaboration.graph, {{}, site}, {1, 0, {3, 4}});
    EXPECT_THAT(faults(), ElementsAre("Main: 'work' of 'Main' declares pop 3, but pops 4"));
}

TEST(HostParametersTest, OpenParametersLieAtFixedDistances) {
    elab::Elaboration program;
    const std::string eight = "12345678", one = "x";
    program.openValues = {{nullptr, eight}, {nullptr, one}};
    const std::vector<std::byte> bytes = host::openParameters(program);
    ASSERT_EQ(bytes.size(), 32u);
    EXPECT_EQ(std::memcmp(bytes.data(), "12345678\0\0\0\0\0\0\0\0x\0", 18), 0);
}

}  // namespace
}  // namespace strc::testing
