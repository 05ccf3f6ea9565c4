#include "host/detail/dynamic_shapes.h"

#include <cstring>

#include "dynamic_shapes/filters.h"
#include "interp/faults.h"
#include "plan/tensor_handles.h"
#include "tensor/storage.h"

namespace strc::host {

using eval::TensorHandle;
using interp::End;

namespace {

dynamic_shapes::Callbacks callbacksOf(const interp::Options& options,
                                      std::function<void(std::string_view)> print) {
    dynamic_shapes::Callbacks callbacks;
    callbacks.print = std::move(print);
    if (options.natives)
        callbacks.callNative = [natives = options.natives](const ir::Native& native,
                                                           std::span<std::uint64_t> args,
                                                           std::uint64_t& result) {
            return natives->call(native, args, result);
        };
    callbacks.interrupt = options.interrupt;
    callbacks.cFormat = options.cFormat;
    callbacks.deadline = eval::deadlineAfter(std::chrono::steady_clock::now(), options.seconds);
    return callbacks;
}

}  // namespace

DynamicShape::DynamicShape(base::Context& context, const plan::Plan& plan, const Program& whole,
                           const interp::Options& options,
                           std::function<void(std::string_view)> print)
    : context(context),
      names(plan::handlesOf(plan)),
      whole(whole),
      options(options),
      filters(std::make_unique<dynamic_shapes::Filters>(*plan.program->dynamicFilters, whole.types,
                                                        context.limits,
                                                        callbacksOf(options, std::move(print)))) {}

DynamicShape::~DynamicShape() = default;

std::optional<End> DynamicShape::fire(strc_env& env, graph::NodeId node, void* const* parts,
                                      std::int32_t& left) {
    types::Random random{env.random};
    const eval::Outcome end = filters->fire(node, parts, random);
    env.random = random.state;
    left = filters->left(node);
    if (end == eval::Outcome::Done) return std::nullopt;
    if (end == eval::Outcome::Interrupted)
        return options.interrupt && *options.interrupt ? End::Interrupted : End::Seconds;
    interp::reportTrap(context, whole.elaboration.graph, node, filters->fault());
    return End::Failed;
}

bool DynamicShape::next(graph::NodeId node, void* to) {
    if (filters->next(node, to)) return true;
    interp::reportTrap(context, whole.elaboration.graph, node, filters->fault());
    return false;
}

/// What stays on channels is all that compiled code has.
void DynamicShape::settle(const void* state) {
    using Mark = dynamic_shapes::TensorHeap::Mark;
    filters->settle([&](const Mark& wanted) {
        strc_each_name(
            state, names.data(), names.size(),
            [](void* self, std::int32_t name) { (*static_cast<const Mark*>(self))(name); },
            const_cast<Mark*>(&wanted));
    });
}

base::Status DynamicShape::write(io::ItemWriter& writer, const std::byte* names,
                                 std::int64_t items) {
    for (std::int64_t k = 0; k < items; ++k) {
        TensorHandle name = 0;
        std::memcpy(&name, names + k * static_cast<std::int64_t>(sizeof name), sizeof name);
        const types::Type* type = filters->typeOf(name);
        base::Status done = writer.expect(type, tensor::storageOf(type, whole.types));
        if (done) done = writer.write(filters->elementsOf(name), 1);
        if (!done) return done;
    }
    return base::ok();
}

}  // namespace strc::host
