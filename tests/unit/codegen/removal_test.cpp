// Programs without the splitters, joiners and identities that only move items: what they print stays.

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

constexpr base::Pass kRemovals[] = {base::Pass::RemoveIdentities, base::Pass::ShareDuplicates,
                                    base::Pass::RemoveRoundRobins, base::Pass::RemoveDelays};

class Removal : public CompiledTest {
protected:
    /// The same prints with the passes, without each of them, and interpreted; at every level.
    void expectSame(const std::string& text) {
        request.optimise = pass::Options{};
        compile(text);
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), ::testing::IsEmpty());
        interpret(iterations(2100));
        const std::string expected = std::exchange(printed, {});
        ASSERT_FALSE(expected.empty());
        for (int level : {0, 2}) {
            codegen::Options options;
            options.level = level;
            compile(text);
            run(iterations(2100), options);
            EXPECT_EQ(std::exchange(printed, {}), expected) << "-O" << level;
        }
        for (base::Pass pass : kRemovals) {
            std::destroy_at(&program);
            std::construct_at(&program);
            program.context.passes.disable(pass);
            request.sources = {{"test.str", text}};
            ASSERT_EQ(session::compile(program, request, library, session::Stage::Planned),
                      session::Stage::Planned);
            run(iterations(2100));
            EXPECT_EQ(std::exchange(printed, {}), expected) << base::info(pass).name;
        }
    }

    std::vector<std::string> gone() const {
        std::vector<std::string> names;
        for (graph::NodeId id = 0; id < program.plan->gone.size(); ++id)
            if (program.plan->gone[id]) names.push_back(path(program.elaboration.graph, id));
        return names;
    }
};

const std::string kSource = R"(
void->int filter Src { int n; work push 1 { push(n * n % 1009 + n); n++; } }
int->void filter Show { int sum; int k; work pop 1 {
    sum = sum * 31 + pop();
    if (++k % 64 == 0) println(sum);
} }
)";

TEST_F(Removal, BranchesReadAndWrittenOneByOne) {
    expectSame(kSource + R"(
void->void pipeline Main {
    add Src;
    add int->int filter { work pop 1 push 3 { int x = pop(); push(x); push(x + 7); push(x ^ 5); } };
    add splitjoin {
        split roundrobin;
        add Identity<int>;
        add int->int filter { prework push 1 { push(-1); } work pop 1 push 1 { push(pop()); } };
        add int->int filter { work pop 1 peek 9 push 1 { push(peek(8) - pop()); } };
        join roundrobin;
    };
    add int->int filter { work pop 3 push 1 { push(pop() + 3 * pop() - 5 * pop()); } };
    add Show;
}
)");
    compile(request.sources[0].text);
    EXPECT_EQ(gone().size(), 4u) << "splitter, joiner, the identity and the delay";
}

/// Which branch is known only as it runs, and may differ between firings.
TEST_F(Removal, BranchesByNumber) {
    expectSame(kSource + R"(
void->void pipeline Main {
    add Src;
    add splitjoin {
        split duplicate;
        add Scale(3); add Scale(-2); add Scale(11); add Scale(7); add Scale(5);
        join roundrobin;
    };
    add int->int filter { work pop 5 push 5 {
        int most = 0;
        for (int i = 1; i < 5; i++) if (peek(i) % 13 > peek(most) % 13) most = i;
        int[5] rest;
        for (int i = 0; i < 5; i++) { rest[(i + most) % 5] = peek(4 - i); }
        for (int i = 0; i < 5; i++) { push(rest[i] + peek((most + i) % (5 - i))); pop(); }
    } };
    add splitjoin {
        split roundrobin;
        for (int i = 0; i < 5; i++) add Scale(i);
        join roundrobin;
    };
    add int->int filter { int last; work pop 5 push 1 {
        for (int i = 0; i < 5; i++) last = last * 17 + pop();
        push(last);
    } };
    add Show;
}
int->int filter Scale(int k) { work pop 1 push 1 { push(pop() * k); } }
)");
}

TEST_F(Removal, FeedbackLoops) {
    for (const char* delay : {"3", "700"})
        expectSame(kSource + R"(
void->void pipeline Main {
    add Src;
    add feedbackloop {
        join roundrobin(1, 1);
        body int->int filter { work pop 2 push 2 { int x = pop(); int y = pop(); push(x + y); push(x - 3 * y); } };
        loop Identity<int>;
        split roundrobin(1, 1);
        for (int i = 0; i < )" +
                   std::string(delay) + R"(; i++) enqueue i;
    };
    add feedbackloop {
        join roundrobin(1, 1);
        body int->int filter { work pop 2 push 1 { push((pop() + pop()) % 9973); } };
        loop Identity<int>;
        split duplicate;
        for (int i = 0; i < )" +
                   delay + R"(; i++) enqueue 1;
    };
    add Show;
}
)");
}

TEST_F(Removal, Delays) {
    expectSame(kSource + R"(
void->void pipeline Main {
    add Src;
    add splitjoin {
        split duplicate;
        add Identity<int>;
        add Delay(1);
        add pipeline { add Delay(3); add Delay(40); add int->int filter { work pop 1 peek 5 push 1 { push(peek(4) + pop()); } }; };
        add Delay(700);
        join roundrobin;
    };
    add int->int filter { work pop 4 push 1 { push(pop() + 3 * pop() - 5 * pop() + 7 * pop()); } };
    add Show;
}
int->int filter Delay(int n) {
    prework push n { for (int i = 0; i < n; i++) push(i * i); }
    work pop 1 push 1 { push(pop()); }
}
)");
    compile(request.sources[0].text);
    EXPECT_EQ(gone().size(), 5u)
        << "both round robins, the identity, one delay and another behind it";
}

/// What is behind each other on one tape: its own end is read where it is written.
TEST_F(Removal, LoopsOnOneTape) {
    for (const char* delay : {"1", "2", "15", "17", "64", "1000"})
        expectSame(kSource + R"(
void->void pipeline Main {
    add Src;
    add feedbackloop {
        join roundrobin(1, 1);
        body int->int filter { work pop 2 push 1 { push((pop() + 3 * pop()) % 10007); } };
        loop Identity<int>;
        split duplicate;
        for (int i = 0; i < )" +
                   std::string(delay) + R"(; i++) enqueue i;
    };
    add Show;
}
)");
    compile(request.sources[0].text);
    EXPECT_EQ(gone().size(), 3u) << "joiner, splitter and the identity";
}

/// A prework that looks at items, counts wrong, or is seen: nothing else may come in between.
TEST_F(Removal, FirstFiringsThatStay) {
    const std::pair<std::string, std::size_t> filters[] = {
        {"prework push 2 { push(1); push(2); } work pop 1 push 1 { push(pop()); }", 1},
        {"prework pop 1 push 2 { push(pop()); push(2); } work pop 1 push 1 { push(pop()); }", 0},
        {"prework pop 3 { pop(); pop(); pop(); } work pop 1 push 1 { push(pop()); }", 0},
        {"prework peek 1 push 1 { push(peek(0)); } work pop 1 push 1 { push(pop()); }", 0},
        {"prework push 1 { push(1); println(7); } work pop 1 push 1 { push(pop()); }", 0},
        {"prework push 1 { push(1); } work pop 1 push 1 { push(pop() + 0); }", 0},
        {"int k; init { k = random() < 2 ? 2 : 1; } prework push 1 { push(6 / k); } work pop 1 "
         "push 1 { push(pop()); }",
         0}};
    for (const auto& [filter, without] : filters) {
        const std::string text = kSource +
                                 "void->void pipeline Main { add Src; add int->int filter { " +
                                 filter + " }; add Show; }";
        SCOPED_TRACE(filter);
        expectSame(text);
        compile(text);
        EXPECT_EQ(gone().size(), without);
    }
    request.optimise.reset();
    compile(kSource + "void->void pipeline Main { add Src; add int->int filter { " +
            filters[0].first + " }; add Show; }");
    EXPECT_TRUE(gone().empty()) << "the code is to be seen";
}

TEST_F(Removal, WideItems) {
    expectSame(R"(
void->void pipeline Main {
    add void->int[3] filter { int n; work push 1 { int[3] x; x[0] = n++; x[1] = n * 2; x[2] = -n; push(x); } };
    add splitjoin {
        split duplicate;
        add Identity<int[3]>;
        add int[3]->int[3] filter { work pop 1 peek 4 push 1 { int[3] x = peek(3); x[1] = 0; push(x); pop(); } };
        join roundrobin;
    };
    add int[3]->void filter { int sum; int k; work pop 2 {
        int[3] a = pop();
        int[3] b = pop();
        sum = sum * 7 + a[0] + b[0] * 3 + a[1] + b[1] + b[2] * 5;
        if (++k % 50 == 0) println(sum);
    } };
}
)");
}

}  // namespace
}  // namespace strc::testing
