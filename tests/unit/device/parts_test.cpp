// Segments in parts: what is cut, and how.

#include <algorithm>

#include "base/pass.h"
#include "device/offload.h"
#include "unit/codegen/compiled.h"

namespace strc::device {
namespace {

using ::testing::ElementsAre;

class PartsTest : public testing::CompiledTest {
protected:
    void SetUp() override {
        request.forDevice = true;
        request.optimise.reset();
    }

    /// 64 KiB an item, of which the middle makes another.
    void compileWith(const std::string& middle) {
        compile("void->void pipeline Main { add FileReader<tensor<float>[16384]>(\"in.raw\"); " +
                middle + " add FileWriter<tensor<float>[16384]>(\"out.raw\"); }");
    }

    Offloaded offloaded() {
        return offload(program.context, program.module, *program.plan, *program.program.types,
                       false);
    }

    static std::vector<std::size_t> partsOf(const Offloaded& made) {
        std::vector<std::size_t> parts;
        for (const Segment& segment : made.segments) parts.push_back(segment.parts);
        return parts;
    }
};

TEST_F(PartsTest, AllStepsOfSomeSteadyStates) {
    compileWith("add relu(); add sigmoid();");
    const Offloaded made = offloaded();
    EXPECT_THAT(partsOf(made), ElementsAre(1, 4));
    std::string kinds;
    std::int64_t up = 0, down = 0;
    for (const Operation& each : made.segments[1].operations) {
        kinds += each.kind == OperationKind::Upload     ? 'u'
                 : each.kind == OperationKind::Download ? 'd'
                                                        : 'k';
        if (each.kind == OperationKind::Upload) up += each.bytes;
        if (each.kind == OperationKind::Download) down += each.bytes;
        if (each.kind == OperationKind::Launch) {
            EXPECT_EQ(each.count, 16);
        }
    }
    EXPECT_EQ(kinds, "ukkdukkdukkdukkd");
    EXPECT_EQ(up, 64 * 65536);
    EXPECT_EQ(down, 64 * 65536);
}

TEST_F(PartsTest, FieldsGoOnFromPartToPart) {
    compileWith(
        "add relu(); add tensor->tensor filter { tensor<float>[16384] s = zeros(16384); "
        "work pop 1 push 1 { s = s + pop(); push(s); } };");
    const Offloaded made = offloaded();
    EXPECT_THAT(partsOf(made), ElementsAre(1, 4));
    EXPECT_FALSE(made.kept.empty());
}

/// Tapes in the middle share memory; those at the ends must not.
TEST_F(PartsTest, MemoryThatIsShared) {
    compileWith("add relu(); add sigmoid(); add tanh(); add relu(); add sigmoid();");
    const Offloaded made = offloaded();
    EXPECT_THAT(partsOf(made), ElementsAre(1, 4));
    EXPECT_GT(made.plan.stateSize, program.plan->stateSize);
    std::vector<Range> spans;
    for (const plan::Channel& channel : made.plan.channels)
        spans.push_back({channel.offset, channel.capacity * channel.itemSize});
    auto overlaps = [&](std::size_t a, std::size_t b) {
        return spans[a].at < spans[b].at + spans[b].size &&
               spans[b].at < spans[a].at + spans[a].size;
    };
    const elab::Elaboration& all = *program.plan->program;
    bool areShared = false;
    for (std::size_t a = 0; a < spans.size(); ++a)
        for (std::size_t b = a + 1; b < spans.size(); ++b) {
            const bool isEnd = all.graph.nodes[all.graph.edges[a].from].inputs.empty() ||
                               all.graph.nodes[all.graph.edges[a].to].outputs.empty() ||
                               all.graph.nodes[all.graph.edges[b].from].inputs.empty() ||
                               all.graph.nodes[all.graph.edges[b].to].outputs.empty();
            EXPECT_FALSE(isEnd && overlaps(a, b));
            areShared = areShared || overlaps(a, b);
        }
    EXPECT_TRUE(areShared) << "else there is nothing to see here";
}

TEST_F(PartsTest, ItemsThatAreKept) {
    compileWith(
        "add relu(); add tensor->tensor filter { work pop 1 peek 3 push 1 { "
        "push(peek(2) - peek(0)); pop(); } }; add sigmoid();");
    const std::vector<std::size_t> parts = partsOf(offloaded());
    EXPECT_EQ(parts.back(), 4u);
}

TEST_F(PartsTest, WhatIsNotCut) {
    disabled = {base::Pass::DeviceOverlap};
    compileWith("add relu(); add sigmoid();");
    EXPECT_THAT(partsOf(offloaded()), ElementsAre(1, 1));
    disabled.clear();
    compile(
        "void->void pipeline Main { add FileReader<tensor<float>[16]>(\"in.raw\"); add relu(); "
        "add FileWriter<tensor<float>[16]>(\"out.raw\"); }");
    EXPECT_THAT(partsOf(offloaded()), ElementsAre(1, 1)) << "there is little to copy";
    request.forDevice = false;
    compileWith("add relu(); add sigmoid();");
    for (std::size_t parts : partsOf(offloaded())) EXPECT_EQ(parts, 1u);
}

}  // namespace
}  // namespace strc::device
