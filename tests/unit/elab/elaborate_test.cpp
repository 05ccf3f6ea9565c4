#include "elab/elaborate.h"

#include <chrono>
#include <cstring>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lower/lower.h"
#include "parser/parse.h"
#include "sema/check.h"

namespace strc::elab {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Source text to graph; the faults of elaboration as "LINE: name".
class Elaborate : public testing::Test {
protected:
    void run(const std::string& source, const std::map<std::string, std::string>& arguments = {}) {
        auto buffer = context.sources.add("test.str", source);
        const ast::Unit* unit = &parser::parse(context, buffer);
        program = sema::check(context, std::span(&unit, 1));
        std::vector<std::string> defined;
        for (const auto& [name, value] : arguments) defined.push_back(name);
        const sema::StreamInfo* main = sema::findMain(context, program, "Main", defined);
        ASSERT_TRUE(main && !context.diags.hasErrors()) << faults().front();
        Environment environment;
        environment.print = [this](std::string_view text) { printed += text; };
        types::Random random;
        auto runItem = [&](ir::Module& partial, const ir::Body& body) {
            return runStatic(context, partial, body, *program.types, environment, random);
        };
        module = lower::lower(context, program, runItem);
        ASSERT_FALSE(context.diags.hasErrors()) << faults().front();
        result = elaborate(context, module, *program.types, {main->index, arguments}, environment,
                           random);
    }

    std::vector<std::string> faults() {
        std::vector<std::string> list;
        for (const base::Diagnostic& fault : context.diags.all()) {
            if (fault.severity != base::Severity::Error) continue;
            std::uint32_t line =
                fault.range.valid()
                    ? context.sources.position(fault.range.buffer, fault.range.begin).line
                    : 0;
            list.push_back(std::to_string(line) + ": " + std::string(base::info(fault.id).name));
        }
        return list;
    }

    std::vector<std::string> paths() const {
        std::vector<std::string> list;
        for (graph::NodeId id = 0; id < result.graph.nodes.size(); ++id)
            list.push_back(graph::path(result.graph, id));
        return list;
    }

    const graph::Node& node(const std::string& path) const {
        for (graph::NodeId id = 0; id < result.graph.nodes.size(); ++id)
            if (graph::path(result.graph, id) == path) return result.graph.nodes[id];
        throw std::runtime_error("no node " + path);
    }

    base::Context context;
    sema::Program program;
    ir::Module module;
    Elaboration result;
    std::string printed;
};

constexpr const char* kParts = R"(
void->int filter Src { int n; work push 1 { push(n++); } }
int->int filter Inc(int by) { work pop 1 push 1 { push(pop() + by); } }
int->void filter Out { work pop 1 { println(pop()); } }
)";

TEST_F(Elaborate, PipelineBecomesAChain) {
    run(std::string(kParts) +
        "void->void pipeline Main { add Src; add Inc(1); add Inc(2); add Out; }");
    EXPECT_THAT(faults(), IsEmpty());
    EXPECT_THAT(paths(), ElementsAre("Main.Src", "Main.Inc[0]", "Main.Inc[1]", "Main.Out"));
    EXPECT_EQ(result.graph.edges.size(), 3u);
    EXPECT_EQ(result.kernels.size(), 4u);
}

TEST_F(Elaborate, EnqueuedItemsAreLimited) {
    context.limits.enqueuedItems = 10;
    std::string loop =
        "int->int feedbackloop L(int n) { join roundrobin; body Pair; loop Identity<int>; split "
        "roundrobin;\n"
        "for (int i = 0; i < n; i++) enqueue i; }\n"
        "int->int filter Pair { work pop 2 push 2 { push(pop()); push(pop()); } }\n";
    run(std::string(kParts) + loop +
        "void->void pipeline Main { add Src; add L(10); add L(11); add Out; }");
    EXPECT_THAT(faults(), ElementsAre("6: limit-exceeded"));
}

TEST_F(Elaborate, RatesOfFunctionsThatCallEachOther) {
    const std::string functions = R"(
        void f(int n) pop 1 push 1 { if (n > 0) { push(pop()); g(n - 1); } }
        void g(int n) pop 1 push 1 { f(n); }
        void endless() push 1 { push(1); endless(); }
        void maybe(int n) pop 1 push 1 { if (n > 0) { maybe(n - 1); maybe(n - 2); } else push(pop()); })";
    auto main = [&](const std::string& work) {
        return std::string(kParts) +
               "void->void pipeline Main { add Src; add A; add Out; } int->int filter A { " +
               functions + "\n" + work + " }";
    };
    run(main("work pop 3 push 3 { f(2); g(1); }"));
    EXPECT_THAT(faults(), IsEmpty());
    run(main("work pop 3 push 4 { f(2); g(1); }"));
    EXPECT_THAT(faults(), ElementsAre("10: push-rate-violated"));
    context.diags.clear();
    run(main("work pop 1 push 50 { endless(); pop(); }"));
    EXPECT_THAT(faults(), ElementsAre("8: push-rate-violated"));
    context.diags.clear();
    run(main("work pop 1 push 1 { maybe(peek(0)); pop(); }"));
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(Elaborate, TheBodyThatAddsTooMuchEndsThere) {
    context.limits.nodes = 10;
    run(std::string(kParts) + R"(void->void pipeline Main {
        for (int i = 0; i < 20; i++) { if (i == 9) println("nine"); if (i == 10) println("ten"); add Src; } })");
    EXPECT_THAT(faults(), ElementsAre("6: too-many-nodes"));
    EXPECT_EQ(printed, "nine\n");
}

TEST_F(Elaborate, MemoryOfStatesAndArgumentsIsLimited) {
    context.limits.totalBytes = 10'000'000;
    const std::string filters =
        "int->int filter State { int[100000] a; work pop 1 push 1 { push(a[pop()]); } }\n"
        "int->int filter Given(int[100000] a) { work pop 1 push 1 { push(a[pop()]); } }\n";
    auto main = [&](const std::string& adds) {
        return std::string(kParts) + filters +
               "void->void pipeline Main { int[100000] a; add Src;\n" + adds + "\nadd Out; }";
    };
    run(main("for (int i = 0; i < 20; i++) add State;"));
    EXPECT_THAT(faults(), IsEmpty());
    run(main("for (int i = 0; i < 30; i++) add State;"));
    EXPECT_THAT(faults(), ElementsAre("8: limit-exceeded"));
    context.diags.clear();
    run(main("for (int i = 0; i < 20; i++) add Given(a);"));
    EXPECT_THAT(faults(), IsEmpty());
    run(main("for (int i = 0; i < 7; i++) { a[0] = i; add Given(a); }"));
    EXPECT_THAT(faults(), ElementsAre("8: limit-exceeded"));
}

TEST_F(Elaborate, OfLongPathsTheEndsAreShown) {
    context.limits.streamDepth = 1000;
    run(std::string(kParts) +
        "int->int pipeline R { add R; } void->void pipeline Main { add Src; add R; add Out; }");
    ASSERT_THAT(faults(), ElementsAre("5: endless-recursion"));
    const std::string& path = context.diags.all().front().instance;
    EXPECT_THAT(path, testing::StartsWith("Main.R.R.R."));
    EXPECT_THAT(path, testing::EndsWith(".R.R.R"));
    EXPECT_THAT(path, HasSubstr(".R.(961 more).R."));
    EXPECT_EQ(std::count(path.begin(), path.end(), 'R'), 40);
}

TEST_F(Elaborate, EqualArgumentsShareAKernel) {
    run(std::string(kParts) +
        "void->void pipeline Main { add Src; for (int i = 0; i < 6; i++) add Inc(i % 2); add Out; "
        "}");
    EXPECT_EQ(result.graph.nodes.size(), 8u);
    EXPECT_EQ(result.kernels.size(), 4u);
    EXPECT_EQ(node("Main.Inc[0]").kernel, node("Main.Inc[2]").kernel);
    EXPECT_NE(node("Main.Inc[0]").kernel, node("Main.Inc[1]").kernel);
}

/// Eight times the filters take about eight times the time: what is quadratic takes 64 times as much.
TEST_F(Elaborate, TimeIsLinearInTheChildrenOfOneStream) {
    const auto seconds = [&](int filters) {
        const auto start = std::chrono::steady_clock::now();
        run(std::string(kParts) + "void->void pipeline Main { add Src; for (int i = 0; i < " +
            std::to_string(filters) + "; i++) add Inc(i); add Out; }");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const double once = seconds(2000);
    EXPECT_LT(seconds(16000), 8 * 3 * once + 0.05);
}

TEST_F(Elaborate, StructuralOrderTakesBranchesFromLastToFirst) {
    run(std::string(kParts) + R"(void->void pipeline Main { add Src; add S; add Out; }
        int->int splitjoin S { split duplicate; add Inc(1); add Inc(2); join roundrobin; })");
    EXPECT_LT(node("Main.Src").order, node("Main.S.split").order);
    EXPECT_LT(node("Main.S.split").order, node("Main.S.Inc[1]").order);
    EXPECT_LT(node("Main.S.Inc[1]").order, node("Main.S.Inc[0]").order);
    EXPECT_LT(node("Main.S.Inc[0]").order, node("Main.S.join").order);
    EXPECT_LT(node("Main.S.join").order, node("Main.Out").order);
}

TEST_F(Elaborate, InitRunsAndItsStateIsShared) {
    run(std::string(kParts) + R"(void->void pipeline Main { add Src; add T(4); add T(4); add Out; }
        int->int filter T(int n) { int[n] table; init { for (int i = 0; i < n; i++) table[i] = i * i; }
                                   work pop 1 push 1 { push(table[pop() % n]); } })");
    ASSERT_THAT(faults(), IsEmpty());
    const std::string& state = *result.states[1];
    ASSERT_EQ(state.size(), 16u);
    std::int32_t last = 0;
    std::memcpy(&last, state.data() + 12, 4);
    EXPECT_EQ(last, 9);
    EXPECT_EQ(result.states[1], result.states[2]);
}

TEST_F(Elaborate, InitThatPrintsRunsForEachInstance) {
    run(std::string(kParts) + R"(void->void pipeline Main { add Src; add T; add T; add Out; }
        int->int filter T { float r; init { print("x"); r = random(); } work pop 1 push 1 { push(pop() + (int)r); } })");
    EXPECT_EQ(printed, "xx");
    EXPECT_NE(*result.states[1], *result.states[2]);
}

TEST_F(Elaborate, ParentsRunBeforeChildrenDepthFirst) {
    run(std::string(kParts) + R"(void->void pipeline Main { print("M"); add A; add B; print("m"); }
        void->int pipeline A { print("A"); add Src; }
        int->void pipeline B { print("B"); add Out; })");
    EXPECT_EQ(printed, "MmAB");
}

TEST_F(Elaborate, DefaultsAndArgumentsOfTheMainStream) {
    const std::string source = std::string(kParts) +
                               "void->void pipeline Main(int n = 2, int m = n + 1) { add Src; for "
                               "(int i = 0; i < n * m; i++) add Inc(i); add Out; }";
    run(source);
    EXPECT_EQ(result.graph.nodes.size(), 2u + 6u);
}

TEST_F(Elaborate, DefineSetsAParameter) {
    run(std::string(kParts) +
            "void->void pipeline Main(int n) { add Src; for (int i = 0; i < n; i++) add Inc(i); "
            "add Out; }",
        {{"n", "3"}});
    EXPECT_EQ(result.graph.nodes.size(), 5u);
}

TEST_F(Elaborate, EnqueuedItemsLieOnTheBackEdge) {
    run(std::string(kParts) + R"(void->void pipeline Main { add F; add Out; }
        void->int feedbackloop F { join roundrobin(0, 1); body Inc(1); loop Identity<int>; split duplicate;
            for (int i = 0; i < 3; i++) enqueue 10 * i; })");
    ASSERT_THAT(faults(), IsEmpty());
    std::vector<std::int32_t> items;
    for (const graph::Edge& edge : result.graph.edges)
        for (const Value& item : edge.initial) items.push_back(item.as<std::int32_t>());
    EXPECT_THAT(items, ElementsAre(0, 10, 20));
}

TEST_F(Elaborate, MessagesKnowTheirDirection) {
    run(R"(void->int filter Src(portal<Rx> p) { int n; work push 1 { if (n == 3) p.set(1) [2:5]; push(n++); } }
        int->int filter Rx { int g; work pop 1 push 1 { push(pop() + g); } handler set(int v) { g = v; } }
        int->void filter Out(portal<Rx> p) { work pop 1 { p.set(pop()); } }
        void->void pipeline Main { portal<Rx> p; add Src(p); add Rx to p; add Out(p); })");
    ASSERT_EQ(result.graph.messages.size(), 2u);
    EXPECT_TRUE(result.graph.messages[0].downstream);
    EXPECT_EQ(result.graph.messages[0].minLatency, 5);
    EXPECT_FALSE(result.graph.messages[1].downstream);
}

/// A program that elaboration refuses, on line 6 or as told, with this diagnostic.
struct Refused {
    const char* name;
    const char* rest;
    std::map<std::string, std::string> arguments = {};
};

class ElaborateRefuses : public Elaborate, public testing::WithParamInterface<Refused> {};

TEST_P(ElaborateRefuses, WithTheRightName) {
    run(std::string(kParts) + GetParam().rest, GetParam().arguments);
    std::vector<std::string> found = faults();
    ASSERT_THAT(found, Contains(HasSubstr(GetParam().name)))
        << (found.empty() ? "nothing" : found.front());
    EXPECT_THAT(found, testing::Each(HasSubstr(GetParam().name)));
}

const Refused kRefused[] = {
    {"6: pipeline-types",
     "void->void pipeline Main { add Src;\nadd float->void filter { work pop 1 { pop(); } }; }"},
    {"6: void-in-pipeline", "void->void pipeline Main { add Src; add Out;\nadd Src; add Out; }"},
    {"5: composite-type",
     "int->float pipeline P { add Inc(1); } void->void pipeline Main { add Src; add P; add Out; }"},
    {"5: splitjoin-types",
     R"(int->int splitjoin P { split duplicate; add Inc(1); add int->float filter { work pop 1 push 1 { push(pop()); } }; join roundrobin; } void->void pipeline Main { add Src; add P; add Out; })"},
    {"6: weight-count",
     "int->int splitjoin P {\nsplit roundrobin(1, 2); add Inc(1); add Inc(2); add Inc(3); join "
     "roundrobin; } void->void pipeline Main { add Src; add P; add Out; }"},
    {"6: weight-negative",
     "int->int splitjoin P(int n) { split duplicate; add Inc(1); add Inc(2);\njoin roundrobin(1, "
     "n); } void->void pipeline Main { add Src; add P(-2); add Out; }"},
    {"6: weight-zero",
     "int->int splitjoin P {\nsplit roundrobin(1, 0); add Inc(1); add Inc(2); join roundrobin; } "
     "void->void pipeline Main { add Src; add P; add Out; }"},
    {"6: weights-all-zero",
     "int->int splitjoin P {\nsplit roundrobin(0); add Inc(1); add Inc(2); join roundrobin; } "
     "void->void pipeline Main { add Src; add P; add Out; }"},
    {"5: missing-part",
     "int->int splitjoin P(int n) { if (n > 1) split duplicate; add Inc(1); join roundrobin; } "
     "void->void pipeline Main { add Src; add P(1); add Out; }"},
    {"6: repeated-part",
     "int->int splitjoin P { split duplicate; add Inc(1); for (int i = 0; i < 2; i++)\njoin "
     "roundrobin; } void->void pipeline Main { add Src; add P; add Out; }"},
    {"5: no-children",
     "int->int pipeline P(int n) { for (int i = 0; i < n; i++) add Inc(1); } void->void pipeline "
     "Main { add Src; add P(0); add Out; }"},
    {"6: loop-external-weight",
     "void->int feedbackloop F {\njoin roundrobin(1, 1); body Inc(1); loop Identity<int>; split "
     "duplicate; enqueue 1; } void->void pipeline Main { add F; add Out; }"},
    {"5: dead-back-edge",
     "int->int feedbackloop F { join roundrobin(1, 0); body Inc(1); loop Identity<int>; split "
     "roundrobin(1, 0); } void->void pipeline Main { add Src; add F; add Out; }"},
    {"5: loop-types",
     "int->int feedbackloop F { join roundrobin; body Inc(1); loop Identity<float>; split "
     "duplicate; enqueue 1; } void->void pipeline Main { add Src; add F; add Out; }"},
    {"6: endless-recursion",
     "int->int pipeline P { add Inc(1);\nadd P; } void->void pipeline Main { add Src; add P; add "
     "Out; }"},
    {"6: index-out-of-range",
     "void->void pipeline Main(int n = 3) { float[n] a;\na[n] = 1; add Src; add Out; }"},
    {"6: division-by-zero",
     "void->void pipeline Main(int n = 0) {\nadd Src; add Inc(1 / n); add Out; }"},
    {"6: push-rate-violated",
     "void->void pipeline Main(int n = 2) { add Src; add int->int filter {\nwork pop 1 push n { "
     "push(pop()); } }; add Out; }"},
    {"6: pop-rate-violated",
     "void->void pipeline Main { add Src; add int->int filter { work pop 1 push 1 { "
     "push(pop());\npop(); } }; add Out; }"},
    {"6: peek-rate-violated",
     "void->void pipeline Main { add Src; add int->int filter { work pop 1 push 1 peek 2 "
     "{\npush(peek(2)); pop(); } }; add Out; }"},
    {"5: zero-rate",
     "void->void pipeline Main(int n = 0) { add Src; add int->int filter { work pop 1 push n { "
     "pop(); } }; add Out; }"},
    {"5: rate-negative",
     "void->void pipeline Main(int n = -1) { add Src; add int->int filter { work pop 1 push n { "
     "pop(); } }; add Out; }"},
    {"5: rate-range",
     "void->void pipeline Main(int n = 1) { add Src; add int->int filter { work pop 1 push [n + 1, "
     "n] { push(pop()); } }; add Out; }"},
    {"0: unknown-define", "void->void pipeline Main { add Src; add Out; }", {{"k", "1"}}},
    {"5: bad-define-value", "void->void pipeline Main(int n) { add Src; add Out; }", {{"n", "x"}}},
    {"5: no-message-path",
     R"(int->int filter Tx(portal<Rx> p) { work pop 1 push 1 { p.set(1); push(pop()); } } int->int filter Rx { work pop 1 push 1 { push(pop()); } handler set(int v) { } } void->void pipeline Main { portal<Rx> p; add Src; add splitjoin { split duplicate; add Tx(p); add Rx to p; join roundrobin; }; add Out; })"},
};

INSTANTIATE_TEST_SUITE_P(Every, ElaborateRefuses, testing::ValuesIn(kRefused),
                         [](const auto& refused) {
                             std::string name = refused.param.name;
                             name = name.substr(name.find(' ') + 1);
                             std::erase(name, '-');
                             return name + std::to_string(refused.index);
                         });

}  // namespace
}  // namespace strc::elab
