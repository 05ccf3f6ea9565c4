// Which program a saved state belongs to.
#include <cstddef>
#include <string_view>

#include "executable/library.h"
#include "ir/calls.h"
#include "ir/text.h"
#include "plan/kept.h"
#include "strc/safetensors.h"

namespace strc::executable {
namespace {

class Identity {
public:
    explicit Identity(const Program& program) : program(program), whole(*program.plan.program) {}

    std::uint64_t find() {
        for (const elab::Kernel& kernel : whole.kernels) add(kernel);
        for (const graph::Node& node : whole.graph.nodes) add(node);
        for (const graph::Edge& edge : whole.graph.edges) add(edge);
        for (const auto& state : whole.states) add(state ? *state : std::string());
        for (const plan::Kept& kept : plan::keptBetweenPhases(program.plan)) add(kept.size);
        for (std::size_t k = 0; k < whole.openValues.size(); ++k) {
            add(program.module.open[k].name);
            add(types::toString(whole.openValues[k].type));
        }
        return identity;
    }

private:
    void add(const void* bytes, std::size_t size) {
        constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
        identity = (identity ^ strc_safe_hash(bytes, size)) * kFactor;
        identity ^= identity >> 32;
    }
    void add(std::string_view text) { add(text.data(), text.size()); }
    void add(std::int64_t number) { add(&number, sizeof number); }
    void add(const graph::Rates& rates) {
        for (const graph::Rate* rate : {&rates.pop, &rates.peek, &rates.push}) {
            add(rate->min);
            add(rate->max);
        }
    }

    void add(const elab::Kernel& kernel) {
        add(static_cast<std::int64_t>(kernel.builtin));
        add(kernel.work);
        if (kernel.prework) add(*kernel.prework);
        for (const types::Value& constant : kernel.constants) add(constant.bytes);
        for (const ir::Body* body : ir::bodiesThatRun(program.module, kernel.code))
            add(ir::print(*body));
        for (const ir::StoredArray& stored : kernel.code.stored)
            add(stored.bytes.get(), static_cast<std::size_t>(types::sizeOf(stored.type)));
        for (std::size_t k = 0; k < kernel.fieldTypes.size(); ++k) {
            add(types::toString(kernel.fieldTypes[k]));
            add(kernel.fieldOffsets[k]);
        }
    }

    void add(const graph::Node& node) {
        add(static_cast<std::int64_t>(node.kind));
        add(static_cast<std::int64_t>(node.kernel));
        for (const std::int64_t weight : node.weights) add(weight);
    }

    void add(const graph::Edge& edge) {
        for (const graph::NodeId end : {edge.from, edge.to}) add(static_cast<std::int64_t>(end));
        for (const std::uint32_t port : {edge.fromPort, edge.toPort})
            add(static_cast<std::int64_t>(port));
        add(types::toString(edge.type));
        for (const types::Value& item : edge.initial) add(item.bytes);
    }

    const Program& program;
    const elab::Elaboration& whole;
    std::uint64_t identity = 0;
};

}  // namespace

std::uint64_t identityOf(const Program& program) { return Identity(program).find(); }

}  // namespace strc::executable
