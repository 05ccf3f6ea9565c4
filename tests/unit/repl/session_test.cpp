#include "repl/session.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repl/lines.h"

namespace strc::repl {
namespace {

using testing::HasSubstr;

class SessionTest : public testing::Test {
protected:
    SessionTest() {
        Callbacks callbacks;
        callbacks.show = [this](std::string_view text) { shown += text; };
        callbacks.interrupt = &interrupt;
        callbacks.build = [this](const std::string& text, const std::string&, const std::string&) {
            built = text;
            return std::string();
        };
        session = std::make_unique<Session>(std::move(callbacks));
    }

    /// What is shown, then the messages.
    std::string say(std::string_view text) {
        shown.clear();
        answer = session->evaluate(text);
        for (const Message& each : answer.messages) shown += each.text;
        return shown;
    }

    volatile bool interrupt = false;
    std::string shown;
    std::string built;  ///< the program of which an executable was made
    Answer answer;
    std::unique_ptr<Session> session;
};

TEST_F(SessionTest, ExpressionsAndVariables) {
    EXPECT_EQ(say("1 << 2 + 1"), "5\n");
    EXPECT_EQ(say("int n = 3"), "");
    EXPECT_EQ(say("n = n + 1; n"), "4\n");
    EXPECT_EQ(answer.type, "int");
    EXPECT_EQ(answer.value, "4");
    EXPECT_EQ(say("float x = 1; x / 4"), "0.25\n");
    EXPECT_EQ(say("complex c = 1 + 2i; c * c"), "-3.0+4.0i\n");
    EXPECT_EQ(say("boolean b = n > 3; b"), "true\n");
}

TEST_F(SessionTest, DoublesKeepTheirDigits) {
    say("double d = 1; d = d / 3;");
    EXPECT_EQ(say("d"), "0.3333333333333333\n");
}

TEST_F(SessionTest, FaultsPointIntoWhatWasTyped) {
    EXPECT_THAT(say("int n = 1\nn + nope"), HasSubstr("<input 1>:2:5: error: unknown variable"));
    EXPECT_FALSE(answer.isFine);
    EXPECT_THAT(say("1 / (n - 1)"), HasSubstr("<input 2>:1:3: error: integer division by zero"));
}

TEST_F(SessionTest, MissingBracketsAreTold) {
    const std::string told = say("int->int filter A { work pop 1 push 1 { push(pop(); } }\n1 + 1");
    EXPECT_THAT(told, HasSubstr("<input 1>:1:51: error"));
}

TEST_F(SessionTest, WarningsComeOnce) {
    for (const char* text : {"1e400", "println(1e400)"}) {
        say(text);
        std::size_t warnings = 0;
        for (const Message& each : answer.messages)
            warnings += each.severity == base::Severity::Warning ? 1 : 0;
        EXPECT_EQ(warnings, 1U) << text;
    }
}

TEST_F(SessionTest, StreamsGoOnWhereTheyStopped) {
    say("int->int filter Two { work pop 2 push 1 { push(pop() + pop()); } }");
    EXPECT_EQ(say("s = Two"), "s: int->int\n");
    EXPECT_EQ(say("s <- [1, 2, 3]"), "3\n");
    EXPECT_EQ(say("s <- [4]"), "7\n");
    EXPECT_EQ(say("Two <- [4]"), "");
    EXPECT_EQ(say("<- [5]"), "9\n");
}

TEST_F(SessionTest, ArgumentsAreThoseOfCreators) {
    say("float->float filter Mix(float[_] w, float gain, int more = 2) {\n"
        "    work pop w.length push 1 {\n"
        "        float sum = more;\n"
        "        for (int i = 0; i < w.length; i++) sum += gain * w[i] * pop();\n"
        "        push(sum);\n"
        "    }\n"
        "}");
    EXPECT_EQ(say("Mix({1, 10}, gain = 2) <- [1, 2, 3, 4]"), "44.0 88.0\n");
    EXPECT_EQ(say("float[3] v = {1, 0, 0}; Mix(v, more = 0, gain = 1) <- [7, 8, 9]"), "7.0\n");
    EXPECT_EQ(say("v.length"), "3\n");
    EXPECT_THAT(say("Mix({1}, gian = 2) <- [1]"), HasSubstr("did you mean 'gain'?"));
    EXPECT_THAT(say("Mix(w = {1}) <- [1]"), HasSubstr("[missing-argument]"));
}

TEST_F(SessionTest, StreamsMayBeNamedAddAndSplit) {
    EXPECT_EQ(say("int->int filter split(int n) { work pop 1 push 1 { push(pop() / n); } }\n"
                  "int->int pipeline add() { add split(2); }"),
              "declared int->int filter split(int n)\ndeclared int->int pipeline add()\n");
    EXPECT_EQ(say("add() | split(n = 2) <- [4, 8]"), "1 2\n");
}

TEST_F(SessionTest, ItemsInTheMiddleOfASteadyStateStay) {
    say("int->int filter Three { work pop 3 push 1 { push(pop() + pop() + pop()); } }");
    say("int->int filter Same { work pop 1 push 1 { push(pop()); } }");
    say("s = Same | Three");
    EXPECT_EQ(say("s <- [1, 2]"), "");
    EXPECT_THAT(say(":where"), HasSubstr("2 × Same"));
    EXPECT_THAT(say(":peek Same -> Three"), HasSubstr("[1, 2]"));
    EXPECT_EQ(say("s <- [3]"), "6\n");
}

TEST_F(SessionTest, SourcesAndPrograms) {
    EXPECT_EQ(say("take 3 IntRamp()"), "0 1 2\n");
    EXPECT_EQ(say("take 2"), "3 4\n");
    EXPECT_EQ(say("take 2 Ramp() | Print()"), "0.0\n1.0\n");
    EXPECT_EQ(answer.value, "");
}

TEST_F(SessionTest, TensorsAreShownAsNumPyShowsThem) {
    say("void->tensor filter Rows { int n; work push 1 { n++; push(n * ones(2, 2) / 4); } }");
    EXPECT_EQ(say("take 2 Rows()"), "[[0.25 0.25]\n [0.25 0.25]]\n[[0.5 0.5]\n [0.5 0.5]]\n");
    EXPECT_EQ(answer.type, "tensor<float>[2, 2]");
    EXPECT_EQ(answer.value, "[[[0.25,0.25],[0.25,0.25]],[[0.5,0.5],[0.5,0.5]]]");
    say("void->tensor filter Counts { work push 1 { push(long(ones(3))); } }");
    EXPECT_EQ(say("take 1 Counts()"), "[1 1 1]\n");
    EXPECT_EQ(answer.value, "[[1,1,1]]");
}

TEST_F(SessionTest, RedefinitionNamesItsUsers) {
    say("int->int filter A { work pop 1 push 1 { push(pop()); } }");
    say("int->int pipeline B { add A; }");
    say("int->int pipeline C { add B; }");
    const std::string told = say("int->int filter A { work pop 1 push 1 { push(pop() + 1); } }");
    EXPECT_THAT(told, HasSubstr("redefined int->int filter A"));
    EXPECT_THAT(told, HasSubstr("used by B, C"));
    EXPECT_EQ(say("C <- [1]"), "2\n");
    EXPECT_THAT(say("int->int filter A(int k) { work pop 1 push 1 { push(pop() + k); } }"),
                HasSubstr("argument"));
    EXPECT_TRUE(answer.isFine);
}

TEST_F(SessionTest, RedefinedVariablesNameTheirUsers) {
    say("int k = 3");
    say("int->int filter A { work pop 1 push 1 { push(k * pop()); } }");
    say("s = A");
    EXPECT_EQ(say("k = 4"), "");
    EXPECT_EQ(say("int k = 5"), "redefined int k\n  used by A\n  s goes on with the old k\n");
    EXPECT_EQ(say("s <- [1]"), "3\n");
    EXPECT_EQ(say("A <- [1]"), "5\n");
    EXPECT_THAT(say("int[2] k"),
                HasSubstr("used by A\n  s goes on with the old k\n  which no longer fit:\n"));
    EXPECT_THAT(shown, HasSubstr("<input 2>:1:46: error"));
    EXPECT_TRUE(answer.isFine);
    say("int unused = 3");
    EXPECT_EQ(say("int unused = 4"), "");
}

TEST_F(SessionTest, RedefinedStructsNameTheUsersOfTheirVariables) {
    say("struct P { int x; }\nP p\np.x = 3");
    say("int->int filter A { work pop 1 push 1 { push(p.x * pop()); } }");
    say("s = A");
    EXPECT_EQ(say("A <- [1]"), "3\n");
    const std::string told = say("struct P { float y; }");
    EXPECT_THAT(told, HasSubstr("redefined struct P\n  used by A\n  s goes on with the old P\n"));
    EXPECT_THAT(told, HasSubstr("which no longer fit:\n  p is gone with the old type\n"));
    EXPECT_THAT(told, HasSubstr("unknown variable 'p'"));
    EXPECT_EQ(say("s <- [2]"), "6\n");
}

TEST_F(SessionTest, ARefusedStructKeepsItsVariables) {
    say("struct P { int x; }\nP p\np.x = 3");
    EXPECT_THAT(say("struct P { Nope y; int x; int x; }"), HasSubstr("error"));
    EXPECT_EQ(say("p"), "P{x = 3}\n");
}

TEST_F(SessionTest, ARedefinitionTellsTheTypeThatWas) {
    say("int->int filter A { work pop 1 push 1 { push(pop()); } }");
    say("int->int pipeline B { add A; }");
    EXPECT_THAT(
        say("float->float filter A { work pop 1 push 1 { push(pop()); } }"),
        HasSubstr("redefined float->float filter A\n  its type was int->int\n  used by B\n"));
    EXPECT_THAT(say("B <- [1]"),
                HasSubstr("the input of pipeline 'B' is 'int', but 'A' has 'float'"));
}

TEST_F(SessionTest, RefusedDeclarationsChangeNothing) {
    say("int->int filter A { work pop 1 push 1 { push(pop()); } }");
    EXPECT_THAT(say("int->int filter A { work pop 1 push 1 { push(nope); } }"), HasSubstr("nope"));
    EXPECT_FALSE(answer.isFine);
    EXPECT_EQ(say("A <- [1]"), "1\n");
}

TEST_F(SessionTest, RunsGoBackwards) {
    say("int->int filter Sum { int sum; work pop 1 push 1 { sum += pop(); push(sum); } }");
    EXPECT_EQ(say("Sum <- [1, 2, 3]"), "1 3 6\n");
    EXPECT_THAT(say(":back 2"), HasSubstr("after 1 firing; Sum fires next"));
    EXPECT_THAT(say(":peek input"), HasSubstr("[2, 3]"));
    EXPECT_EQ(say(":continue"), "3 6\n");
    say(":back");
    EXPECT_THAT(say(":step"), HasSubstr("Sum fired\n6\n"));
    EXPECT_THAT(say(":back 4"), HasSubstr("only 3 firings"));
}

TEST_F(SessionTest, GoingBackBeforeAFeedKeepsItsItems) {
    say("int->int filter Sum { int sum; work pop 1 push 1 { sum += pop(); push(sum); } }");
    say("Sum <- [1, 2]");
    say("<- [3]");
    say(":back 3");
    EXPECT_EQ(say(":continue"), "1 3 6\n");
}

TEST_F(SessionTest, RandomNumbersComeAgain) {
    say("void->float filter R { work push 1 { push(random()); } }");
    const std::string first = say("take 5 R");
    say(":back 5");
    EXPECT_EQ(say(":continue 5"), first);
}

TEST_F(SessionTest, StopsAndWatches) {
    say("int->int filter A { work pop 1 push 1 { push(pop()); } }");
    say("int->int filter B { work pop 1 push 1 { push(pop()); } }");
    say("s = A | B");
    say(":break B");
    EXPECT_THAT(say("s <- [1, 2]"), HasSubstr("stopped before B fires, after 1 step"));
    EXPECT_THAT(say(":continue"), HasSubstr("1\nstopped before B fires, after 3 steps"));
    say(":break -B");
    say(":watch A -> B");
    EXPECT_THAT(say(":continue"), HasSubstr("B fired; A -> B: []"));
}

TEST_F(SessionTest, FailedFiringsDidNotHappen) {
    say("int->int filter Bad { int k; work pop 1 push 1 { int x = pop(); k++; push(6 / x); } }");
    EXPECT_THAT(say("Bad <- [1, 0, 2]"), HasSubstr("division by zero"));
    EXPECT_THAT(say(":peek input"), HasSubstr("[0, 2]"));
    EXPECT_THAT(say(":where"), HasSubstr("1 × Bad"));
}

TEST_F(SessionTest, ItemsThatMakeAFilterFailCanBeDropped) {
    say("int->int filter Inverse { work pop 1 push 1 { push(100 / pop()); } }");
    say("i = Inverse");
    EXPECT_THAT(say("i <- [1, 0, 0, 4]"), HasSubstr("100\n<input"));
    EXPECT_THAT(say("i <- [5]"), HasSubstr("fails here again: ':drop' takes items out"));
    EXPECT_EQ(say(":drop"), "input -> Inverse: [0, 4, 5]\n");
    EXPECT_THAT(say(":drop input 9"), HasSubstr("the channel has only 3 items"));
    EXPECT_THAT(say(":drop nowhere"), HasSubstr("there is no channel 'nowhere'"));
    EXPECT_EQ(say(":drop input -> Inverse 1"), "input -> Inverse: [4, 5]\n");
    EXPECT_EQ(say(":continue"), "25 20\n");
    EXPECT_EQ(say(":drop 0"), "input -> Inverse: []\n");
}

TEST_F(SessionTest, LongChannelsShowTheirEnds) {
    say("s = Identity<int>");
    say(":break Identity\ns <- [1 .. 100]");
    EXPECT_THAT(say(":peek"),
                HasSubstr("[1, 2, 3, 4, 5, 6, 7, 8, … 84 more, 93, 94, 95, 96, 97, 98, "
                          "99, 100]"));
    EXPECT_THAT(say(":where"), HasSubstr("99, 100]  (100 items)"));
    EXPECT_EQ(say(":step 0"), "");
}

TEST_F(SessionTest, ListsWhatAnInstanceIs) {
    say("int n = 3\ns = Identity<int> | Identity<int>");
    EXPECT_EQ(say(":list s"), "s = Identity<int> | Identity<int>  (int->int)\n");
    EXPECT_EQ(say(":list n"), "int n\n");
}

TEST_F(SessionTest, ErrorsAreNotMoreThanAPersonReads) {
    std::string text = "int->int filter A { work pop 1 push 1 { push(0";
    for (int k = 0; k < 100; ++k) text += " + nope" + std::to_string(k);
    say(text + "); } }");
    EXPECT_EQ(answer.messages.size(), 21U);
    EXPECT_THAT(answer.messages.back().text, HasSubstr("80 more errors not shown"));
    say("nope");
    EXPECT_EQ(answer.messages.size(), 1U);
}

TEST_F(SessionTest, HelpHasTopics) {
    for (const char* topic : {"take", "<-", "->", "|", "streams", "variables", "functions"})
        EXPECT_THAT(say(std::string(":help ") + topic), HasSubstr("For example\n")) << topic;
    EXPECT_THAT(say(":help"), HasSubstr("Topics:\n  take <- -> |"));
    EXPECT_THAT(say(":help nothing"), HasSubstr("there is no command ':nothing'"));
}

TEST_F(SessionTest, PipelinesInBrackets) {
    say("int->int filter Two { work pop 1 push 1 { push(2 * pop()); } }");
    EXPECT_EQ(say("(Two | Two) <- [2]"), "8\n");
    EXPECT_EQ(say("take 2 IntRamp() | (Two | (Two | Two))"), "0 8\n");
    EXPECT_EQ(say("(1 + 2) * 3"), "9\n");
    EXPECT_THAT(say("int[3] w = take 3 IntRamp()"), HasSubstr("'take 3 IntRamp() -> w'"));
}

TEST_F(SessionTest, WhatIsKeptIsBounded) {
    say("void->int[1000000] filter Wide { work push 1 { int[1000000] wide; push(wide); } }");
    EXPECT_THAT(say("take 100 Wide()"), HasSubstr("more than 16 items are not kept"));
    EXPECT_FALSE(answer.isFine);
    EXPECT_LT(shown.size(), 100'000U);
    say("take 1200000 IntRamp()");
    EXPECT_EQ(answer.type, "int");
    EXPECT_EQ(answer.value, "");
    EXPECT_THAT(shown, HasSubstr("… 1199000 more\n"));
}

TEST_F(SessionTest, DynamicRates) {
    say("int->int filter Odd { work pop 1 push [0, 1] { int x = pop(); if (x % 2 != 0) push(x); } "
        "}");
    say("int->int filter Runs { work pop * push 1 { int n = pop(); int s = 0; "
        "for (int i = 0; i < n; i++) s += pop(); push(s); } }");
    EXPECT_EQ(say("Odd <- [1 .. 9]"), "1 3 5 7 9\n");
    say("r = Runs");
    EXPECT_EQ(say("r <- [2, 5, 6, 3, 1]"), "11\n");
    EXPECT_EQ(say("r <- [1, 1, 0]"), "3 0\n");
    EXPECT_THAT(say(":schedule Odd | Identity<int>"), HasSubstr("Odd:\ninit: 0 firings\n"));
    EXPECT_THAT(shown, HasSubstr("Identity:\ninit: 0 firings\n"));
}

TEST_F(SessionTest, NothingEndsTheSession) {
    say("helper H { int deep(int n) { return deep(n + 1) + 1; } }");
    EXPECT_THAT(say("H.deep(0)"), HasSubstr("stack-overflow"));
    say("int->int pipeline Endless { add Endless; }");
    EXPECT_THAT(say("Endless <- [1]"), HasSubstr("error"));
    say("int->int filter Big { int[100000000] a; work pop 1 push 1 { push(pop()); } }");
    EXPECT_THAT(say("Big <- [1]"), HasSubstr("error"));
    EXPECT_EQ(say("1 + 1"), "2\n");
}

TEST_F(SessionTest, EndlessFiringsEndAtTheLimitOfMemory) {
    say("int->int[100000] filter Hang { int[100000] a; work pop * push * { "
        "push(a); pop(); pop(); while (true) push(a); } }");
    EXPECT_THAT(say("h = Hang; h <- [1, 0]"), HasSubstr("[out-of-memory]"));
    EXPECT_THAT(shown, testing::Not(HasSubstr("{0, 0")));
    ASSERT_EQ(answer.messages.size(), 1U);
    EXPECT_EQ(answer.messages.front().code, "out-of-memory");
    EXPECT_THAT(answer.messages.front().text, HasSubstr("<input 1>:1:"));
    EXPECT_FALSE(answer.isFine);
    EXPECT_THAT(say(":peek input"), HasSubstr("[1, 0]"));
    EXPECT_EQ(say("take 2 IntRamp()"), "0 1\n");
}

TEST_F(SessionTest, InterruptsStopARunAndKeepTheStream) {
    say("int->int filter Slow { work pop 1 push 1 { int x = pop(); while (x > 1) {} push(x); } }");
    say("s = Slow");
    EXPECT_EQ(say("s <- [1]"), "1\n");
    interrupt = true;
    say("s <- [2]");
    EXPECT_TRUE(answer.isInterrupted);
    EXPECT_FALSE(interrupt);
    EXPECT_EQ(say("1 + 1"), "2\n");
}

TEST_F(SessionTest, MachineCodeGivesTheSame) {
    const std::string interpreted = say("take 30 SineSource(30, 1)");
    say(":engine jit");
    EXPECT_EQ(say("take 30 SineSource(30, 1)"), interpreted);
    EXPECT_THAT(say(":step"), HasSubstr("machine code"));
}

TEST_F(SessionTest, MachineCodeGoesOnWhereItStopped) {
    say(":engine jit");
    say("int->int filter Pairs { work pop 2 push 1 { push(pop() + pop()); } }");
    say("p = Pairs");
    EXPECT_EQ(say("p <- [1, 2, 3]"), "3\n");
    EXPECT_EQ(say("p <- [4, 5]"), "7\n");
    say("void->int filter Count { int k; work push 1 { push(k++); } }");
    say("c = Count");
    EXPECT_EQ(say("take 3 c"), "0 1 2\n");
    EXPECT_EQ(say("take 5000 c -> many"), "many = 5000 items\n");
    EXPECT_EQ(say("take 2 c"), "5003 5004\n");
    say("l = Count | int->void filter { work pop 1 { println(pop()); } }");
    EXPECT_EQ(say("take 2 l"), "0\n1\n");
    EXPECT_EQ(say("take 2 l"), "2\n3\n");
}

TEST_F(SessionTest, NoItemIsLostSilently) {
    say(":engine jit");
    EXPECT_EQ(say("take 1100000 IntRamp() -> many"), "many = 1100000 items\n");
    EXPECT_EQ(say("many[1099999]"), "1099999\n");
    for (const char* engine : {":engine interpret", ":engine jit"}) {
        say(engine);
        say("void->float[100000] filter Wide { work push 1 { float[100000] wide; push(wide); } }");
        EXPECT_THAT(say("take 1000 Wide() -> much"), HasSubstr("items are not kept"));
        EXPECT_THAT(say("much"), HasSubstr("unknown variable"));
    }
}

TEST_F(SessionTest, StreamsKnowTheirOwnStructs) {
    say("struct P { int a; int b; }\nstruct Q { P p; }");
    say("Q->Q filter Same { work pop 1 push 1 { push(pop()); } }");
    say("s = Same\nQ q; q.p.a = 5;");
    EXPECT_EQ(say("s <- q -> out"), "out = 1 item\n");
    say("struct P { double b; int a; }\nQ q; q.p.a = 7;");
    EXPECT_THAT(say("s <- q"), HasSubstr("goes on with the old P"));
    EXPECT_THAT(say("s -> out"), HasSubstr("goes on with the old P"));
    say("s = Same");
    EXPECT_EQ(say("s <- q"), "Q{p = P{b = 0.0, a = 7}}\n");
}

TEST_F(SessionTest, ExecutablesAreOfWhatTheStreamWasMadeOf) {
    say("int k = 3");
    say("int->int filter Times { work pop 1 push 1 { push(k * pop()); } }");
    say("s = Times");
    say("int->int filter Times { work pop 1 push 1 { push(0 * pop()); } }");
    say("k = 4");
    say(":compile out");
    EXPECT_THAT(built, HasSubstr("push(k * pop())"));
    EXPECT_THAT(built, HasSubstr("int k = 3;"));
    EXPECT_EQ(say("k"), "4\n");
    EXPECT_EQ(say("Times <- [1]"), "0\n");
}

TEST_F(SessionTest, NamesMeanOneThing) {
    say("int->int filter A { work pop 1 push 1 { push(pop()); } }");
    EXPECT_THAT(say("A <- [1, 2, 3] -> A"), HasSubstr("'A' is a declared filter"));
    EXPECT_EQ(say("A <- [1]"), "1\n");
    EXPECT_THAT(say("A <- [1] -> Ramp"), HasSubstr("'Ramp' is a stream of the library"));
    EXPECT_THAT(say("int Identity = 3"), HasSubstr("'Identity' is a stream of the library"));
    say("x = A");
    EXPECT_THAT(say("int x = 5"), HasSubstr("'x' is a stream that runs"));
    EXPECT_THAT(say("A <- [1] -> x"), HasSubstr("'x' is a stream that runs"));
    EXPECT_THAT(say("int->int filter x { work pop 1 push 1 { push(0); } }"),
                HasSubstr("'x' is a stream that runs"));
    EXPECT_EQ(say("x <- [2]"), "2\n");
    say("int n = 3");
    EXPECT_THAT(say("n = A"), HasSubstr("'n' is a variable: the stream needs another name"));
    EXPECT_THAT(say("int->int filter n { work pop 1 push 1 { push(0); } }"),
                HasSubstr("'n' is a variable"));
    EXPECT_EQ(say("n = n + 1; n"), "4\n");
    EXPECT_THAT(say("int items__ = 3"), HasSubstr("the session's own"));
    EXPECT_EQ(say("A <- [n, 2]"), "4 2\n");
}

TEST_F(SessionTest, ResultsOutliveTheirStream) {
    const std::string drawn = say(":plot take 30 SineSource(30, 1)");
    say("s = Identity<int>()");
    say("t = Identity<float>()");
    EXPECT_EQ(say(":plot"), drawn);
}

TEST_F(SessionTest, MachineCodeThatFailsBeginsAnew) {
    say(":engine jit");
    say("int->int filter Inverse { int n; work pop 1 push 1 { n++; push(100 * n / pop()); } }");
    say("i = Inverse");
    EXPECT_EQ(say("i <- [1, 2]"), "100 100\n");
    EXPECT_THAT(say("i <- [0]"), HasSubstr("division by zero"));
    EXPECT_EQ(say("i <- [1]"), "100\n");
}

TEST_F(SessionTest, Completion) {
    say("int->int filter Scaler { work pop 1 push 1 { push(pop()); } }");
    const Completion found = session->complete("take 3 Scal", 11);
    ASSERT_FALSE(found.candidates.empty());
    EXPECT_EQ(found.candidates.front().text, "Scaler");
    EXPECT_EQ(found.begin, 7U);
    say("helper Math { int square(int x) { return x * x; } }");
    EXPECT_EQ(session->complete("1 + Math.sq", 11).candidates.front().text, "square");
    EXPECT_EQ(session->complete("Math.", 5).candidates.front().text, "square");
    EXPECT_EQ(session->complete(":wh", 3).candidates.front().text, ":where");
    EXPECT_EQ(session->complete(":engine j", 9).candidates.front().text, "jit");
    EXPECT_EQ(session->complete(":help :pe", 9).candidates.front().text, ":peek");
    say("s = Scaler | Identity<int>");
    EXPECT_EQ(session->complete(":break Sc", 9).candidates.front().text, "Scaler");
    const Completion channels = session->complete(":watch Scaler -", 15);
    EXPECT_EQ(channels.candidates.front().text, "Scaler -> Identity");
    EXPECT_EQ(channels.begin, 7U);
}

TEST_F(SessionTest, ExpressionsMayChangeVariables) {
    say("int n = 3");
    EXPECT_EQ(say("n++ + 1"), "4\n");
    EXPECT_EQ(say("n"), "4\n");
    EXPECT_THAT(say("n + 1 = 3"), HasSubstr("not-assignable"));
}

TEST_F(SessionTest, FunctionsThatReturnNothingAreCalled) {
    say("helper H { void tell(int x) { println(x); } int twice(int x) { return 2 * x; } }");
    EXPECT_EQ(say("H.tell(3)"), "3\n");
    EXPECT_EQ(say("println(7)"), "7\n");
    EXPECT_EQ(say(":type H.tell(3)"), "void\n");
    EXPECT_THAT(say("H.twice(H.tell(3))"), HasSubstr("void-value"));
    EXPECT_THAT(say("x = H.tell(3)"), HasSubstr("'x' is not declared yet"));
}

TEST_F(SessionTest, WordsOfTheLanguageAreKnown) {
    for (const char* word : {"stateful", "prework", "float3", "erf", "csqrt", "matmul", "take"}) {
        const std::string_view text = word;
        const Completion found = session->complete(text.substr(0, text.size() - 1),
                                                   static_cast<std::uint32_t>(text.size() - 1));
        const bool isThere = std::any_of(found.candidates.begin(), found.candidates.end(),
                                         [&](const Candidate& each) { return each.text == text; });
        EXPECT_TRUE(isThere) << word;
    }
    EXPECT_TRUE(session->complete("switc", 5).candidates.empty());
    EXPECT_EQ(session->colour("erf").front().kind, "function");
}

TEST(Lines, AnInterruptDropsAnUnfinishedEntry) {
    std::istringstream in("int x = (1 +\n1 + 1\n");
    std::ostringstream out;
    volatile bool interrupt = false;
    int waits = 0;
    Terminal terminal{in, out, out};
    terminal.hasPrompt = true;
    terminal.interrupt = &interrupt;
    terminal.wait = [&] {
        if (++waits == 2) interrupt = true;
        return waits != 2;
    };
    Callbacks callbacks;
    callbacks.interrupt = &interrupt;
    callbacks.show = [&](std::string_view text) { out << text; };
    EXPECT_TRUE(readLines(terminal, std::move(callbacks), {}));
    EXPECT_EQ(out.str(), "strc> ...> \nstrc> 2\nstrc> ");
}

TEST(Entries, EndWhereTheyAreComplete) {
    EXPECT_TRUE(isComplete("1 + 2"));
    EXPECT_FALSE(isComplete("1 +"));
    EXPECT_FALSE(isComplete("int->int filter F {"));
    EXPECT_FALSE(isComplete("int->int filter F"));
    EXPECT_TRUE(isComplete("int->int filter F { }"));
    EXPECT_FALSE(isComplete("for (int i = 0; i < 3; i++)"));
    EXPECT_FALSE(isComplete("do { x++; }"));
    EXPECT_FALSE(isComplete("do { x++; }\nwhile (x <"));
    EXPECT_TRUE(isComplete("do { x++; }\nwhile (x < 3)"));
    EXPECT_TRUE(isComplete("do x++; while (x < 3);"));
    EXPECT_EQ(split("do { x++; }\nwhile (x < 3);\nx").size(), 2U);
    EXPECT_FALSE(isComplete("int->int"));
    EXPECT_FALSE(isComplete("void->float[2][3]"));
    EXPECT_TRUE(isComplete("s <- [1] -> v"));
    EXPECT_EQ(split("P->P\nfilter F { }\n1").size(), 2U);
    EXPECT_FALSE(isComplete("/* comment"));
    EXPECT_TRUE(isComplete(""));
    EXPECT_EQ(split("int n = 3; n\nn + 1").size(), 3U);
    EXPECT_EQ(split("A\n| B\n<- [1,\n2]").size(), 2U);
}

TEST(Entries, DoNotWaitForBracketsThatAreMissing) {
    EXPECT_TRUE(isComplete("int->int filter A { work pop 1 push 1 { push(pop(); } }"));
    EXPECT_TRUE(isComplete("int->int filter A { work pop 1 push 1 { push(a[1); } }"));
    EXPECT_TRUE(isComplete("println(1;"));
    EXPECT_TRUE(isComplete("for (int i = 0; i < 3; i++ { println(i); }"));
    EXPECT_TRUE(isComplete("if (x { println(1); }"));
    EXPECT_TRUE(isComplete("while (f(x { println(1); }"));
    EXPECT_EQ(split("println(1;\n2").size(), 2U);
    EXPECT_EQ(split("if (x { println(1); }\n2").size(), 2U);
    EXPECT_FALSE(isComplete("for (int i = 0;"));
    EXPECT_FALSE(isComplete("for (int i = f(0; i < 3;"));
    EXPECT_FALSE(isComplete("{ for (int i = 0; i < 3; i++)"));
    EXPECT_FALSE(isComplete("splitjoin { add pipeline { add A(1);"));
    EXPECT_EQ(openBrackets("filter A { work { push(pop();"), 2);
    EXPECT_EQ(openBrackets("/* ( */ for (int i = 0; \"(\""), 1);
}

TEST(Entries, EndAfterTypeArguments) {
    EXPECT_TRUE(isComplete("x = Identity<int>"));
    EXPECT_TRUE(isComplete("x = Pair<int, float[2]>"));
    EXPECT_TRUE(isComplete("x = Pair<int, Pair<int, int>>"));
    EXPECT_EQ(split("x = Identity<int>\nx <- [1]").size(), 2U);
    EXPECT_EQ(split("x = Identity<int>\n| Identity<int>\n1").size(), 2U);
    EXPECT_FALSE(isComplete("x = Identity<"));
    EXPECT_FALSE(isComplete("3 >"));
    EXPECT_FALSE(isComplete("a + b >"));
    EXPECT_FALSE(isComplete("1 < 2 >"));
    EXPECT_FALSE(isComplete("1 >>"));
}

TEST(Entries, EndAfterWhatIsNoCharacterOfTheLanguage) {
    EXPECT_TRUE(isComplete("int x = 1 😀"));
    EXPECT_EQ(split("int x = 1 😀\nx").size(), 2U);
    EXPECT_EQ(split("1 @\n#\n2").size(), 3U);
}

}  // namespace
}  // namespace strc::repl
