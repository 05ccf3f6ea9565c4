#include "live/transfer.h"

#include <gmock/gmock.h>

#include "base/pass.h"
#include "live/types.h"
#include "session/pipeline.h"

namespace strc::live {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A program as streams that may be replaced have it: without passes over the graph, from a text that lives as long.
struct Made {
    explicit Made(const std::string& text) {
        request.sources = {{"test.str", text}};
        EXPECT_EQ(session::compile(program, request, library, session::Stage::Planned),
                  session::Stage::Planned);
        for (const base::Diagnostic& fault : program.context.diags.all())
            EXPECT_EQ(fault.severity, base::Severity::Warning)
                << base::message(fault.id, fault.args);
    }
    const plan::Plan& plan() const { return *program.plan; }

    session::Library library = session::Library::builtIn();
    session::Request request;
    session::Compilation program;
};

Transfer between(const Made& before, const Made& after) {
    static const std::vector<plan::Handler> none;
    return transferOf({before.plan(), none}, {after.plan(), none});
}

std::string chain(const std::string& adds) {
    return "void->void pipeline Main { add Count; " + adds + R"( add Show; }
void->int stateful filter Count { int n; int[3] table; init { table[1] = 5; } work push 1 { push(n++ + table[1]); } }
int->int filter Mean(int length) {
    work pop 1 peek length push 1 { int sum = 0; for (int k = 0; k < length; k++) sum += peek(k); pop(); push(sum); }
}
int->int stateful filter Sum { int total; work pop 1 push 1 { total += pop(); push(total); } }
int->int stateful filter Wide { double total; work pop 1 push 1 { total += pop(); push((int)total); } }
int->void filter Show { work pop 1 { println(pop()); } }
)";
}

TEST(Transfer, OfAProgramToItselfMovesFieldsThatChangeAlone) {
    const Made before(chain("add Sum;")), after(chain("add Sum;"));
    const Transfer made = between(before, after);
    EXPECT_EQ(print(made), "kept: Main.Count (n)\nkept: Main.Sum (total)\n");
    ASSERT_THAT(made.pieces, SizeIs(2));
    for (const Piece& piece : made.pieces) {
        EXPECT_EQ(piece.size, 4);  // no table among them
        EXPECT_EQ(piece.from, piece.to);
    }
}

TEST(Transfer, TellsWhatIsNewAndWhatIsGone) {
    const Made before(chain("add Sum;")), after(chain("add Wide;"));
    EXPECT_EQ(print(between(before, after)),
              "kept: Main.Count (n)\nnew: Main.Wide\ngone: Main.Sum\n");
}

TEST(Transfer, AFieldOfAnotherTypeBeginsAnew) {
    std::string other = chain("add Sum;");
    other.replace(other.find("int total"), 9, "float total");
    other.replace(other.find("push(total)"), 11, "push((int)total)");
    const Made before(chain("add Sum;")), after(other);
    EXPECT_EQ(print(between(before, after)),
              "kept: Main.Count (n)\n"
              "begun anew: Main.Sum, since the fields that it changes are others\n");
}

TEST(Transfer, ItemsOfAShorterWindowAreTheNewestOnes) {
    const Made before(chain("add Mean(5);")), after(chain("add Mean(3);"));
    const Transfer made = between(before, after);
    ASSERT_THAT(made.channels, SizeIs(1));
    EXPECT_EQ(made.channels[0].kept, 2);
    EXPECT_EQ(made.channels[0].wanted, 2);
    EXPECT_EQ(made.channels[0].had, 4);
    const Transfer back = between(after, before);
    ASSERT_THAT(back.channels, SizeIs(1));
    EXPECT_EQ(back.channels[0].kept, 2);
    EXPECT_EQ(back.channels[0].wanted, 4);
    // The two newest of four lie behind two others.
    ASSERT_THAT(made.pieces, SizeIs(2));
    const Piece &there = made.pieces.back(), &again = back.pieces.back();
    EXPECT_EQ(there.size, 8);
    EXPECT_EQ(there.from, again.to);
    EXPECT_EQ(there.to, again.from);
}

TEST(Transfer, ProgramsWithoutMessagesCanTakeEachOthersPlace) {
    const Made before(chain("add Sum;")), after(chain("add Mean(3);"));
    EXPECT_THAT(whyNot(before.plan()), IsEmpty());
    EXPECT_THAT(whyNot(before.plan(), after.plan()), IsEmpty());
}

TEST(TypesOfTwoCompilations, AreComparedByTheirForm) {
    types::TypeTable one, other;
    EXPECT_TRUE(areAlike(one.floatType(), other.floatType()));
    EXPECT_TRUE(areAlike(one.array(one.floatType(), 3), other.array(other.floatType(), 3)));
    EXPECT_FALSE(areAlike(one.array(one.floatType(), 3), other.array(other.floatType(), 4)));
    EXPECT_FALSE(areAlike(one.floatType(), other.intType()));
    EXPECT_FALSE(areAlike(nullptr, other.intType()));
    EXPECT_TRUE(areAlike(nullptr, nullptr));
}

}  // namespace
}  // namespace strc::live
