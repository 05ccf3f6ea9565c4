#include "repl/detail/running.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/own_stack.h"
#include "repl/detail/tensor_items.h"

namespace strc::repl {

using graph::EdgeId;
using graph::NodeId;
using interp::Progress;
using types::Value;

namespace {

/// So many items wait to be taken.
std::uint64_t mostAtOnce(const types::Type* item) {
    constexpr std::uint64_t kMostItems = 4096;
    constexpr std::uint64_t kMostBytes = 16ull << 20;
    if (!item) return kMostItems;
    const auto size = static_cast<std::uint64_t>(types::sizeOf(item));
    return std::clamp<std::uint64_t>(kMostBytes / std::max<std::uint64_t>(size, 1), 1, kMostItems);
}

}  // namespace

Running::Running(const Workbench& workbench, Task wanted, MixedText text, std::string typed)
    : bench(workbench), mixed(std::move(text)), task(std::move(wanted)), source(std::move(typed)) {
    task.text = &mixed;
    compile();
}

void Running::compile() {
    base::onOwnStack([this] { work = bench.compile(task); });
    const auto& all = work->program.context.diags;
    const bool lacksShape =
        input() && input()->is(types::TypeKind::Tensor) && !types::isConcrete(input());
    shapeless = lacksShape && all.errorCount() == 1 &&
                std::any_of(all.all().begin(), all.all().end(), [](const base::Diagnostic& each) {
                    return each.id == base::Diag::TensorUnknown;
                });
    if (shapeless) work->program.context.diags.clear();
}

void Running::shape(std::vector<std::string> inputs) {
    task.inputs = std::move(inputs);
    compile();
}

Running::~Running() = default;

const types::Type* Running::input() const {
    return graph().input == graph::kNone ? nullptr : graph().edges[graph().input].type;
}

std::size_t Running::inputSize() const {
    return static_cast<std::size_t>(types::sizeOf(graph::memoryOf(graph().edges[graph().input])));
}

const types::Type* Running::output() const {
    return graph().output == graph::kNone ? nullptr : graph().edges[graph().output].type;
}

const std::vector<const types::Type*>& Running::tensors(EdgeId end) const {
    static const std::vector<const types::Type*> none;
    return end == graph::kNone ? none : graph().edges[end].tensors;
}

Value Running::meaning(const Value& item, std::uint64_t k) const {
    const std::vector<const types::Type*>& all = tensors(graph().output);
    const bool isTensor = item.type->is(types::TypeKind::Tensor);  // whose shape only the run knew
    return all.empty() || isTensor ? item : fromItem(item, all[k % all.size()]);
}

std::string Running::signature() const {
    auto side = [this](graph::EdgeId id) -> std::string {
        if (id == graph::kNone) return "void";
        const graph::Edge& edge = graph().edges[id];
        if (edge.tensors.size() > 1) return "tensor";
        return types::toString(edge.tensors.empty() ? edge.type : edge.tensors[0]);
    };
    return side(graph().input) + "->" + side(graph().output);
}

Running::Counted Running::whatCounts() const {
    if (output()) return Counted::Items;
    auto has = [this](std::uint8_t effect) {
        return std::any_of(graph().nodes.begin(), graph().nodes.end(),
                           [&](const graph::Node& node) { return (node.effects & effect) != 0; });
    };
    if (has(graph::kPrints)) return Counted::Lines;
    return has(graph::kWritesFile) ? Counted::Written : Counted::SteadyStates;
}

bool Running::readsFile() const {
    return std::any_of(graph().nodes.begin(), graph().nodes.end(), [](const graph::Node& node) {
        return !node.file.empty() && node.inputs.empty();
    });
}

std::uint64_t Running::made() const {
    if (!live) return output() ? given : lines;
    switch (counting) {
        case Counted::Items: return given;
        case Counted::Lines: return lines;
        case Counted::Written: break;
        case Counted::SteadyStates:
            live->next();  // a steady state is over when the next one begins
            return static_cast<std::uint64_t>(live->iterations());
    }
    std::int64_t most = 0;
    for (NodeId id = 0; id < graph().nodes.size(); ++id)
        if ((graph().nodes[id].effects & graph::kWritesFile) != 0)
            most = std::max(most, live->firings(id));
    return static_cast<std::uint64_t>(most);
}

void Running::startMachine() {
    given = fed = 0;
    machine = std::make_unique<MachineRun>(
        work->program, input(), output(), [this](std::string_view text) { printAndCount(text); },
        interrupt);
}

void Running::printAndCount(std::string_view text) {
    lines += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    print(text);
}

bool Running::start(std::function<void(std::string_view)> show, const volatile bool* stop) {
    counting = whatCounts();
    print = std::move(show);
    interrupt = stop;
    // A program that only the interpreter can run is run by it from the start.
    isCompiled = isCompiled && !work->program.elaboration.dynamicShape;
    if (isCompiled) return startMachine(), true;
    interp::Options options;
    options.interrupt = interrupt;
    options.natives = &work->program.natives;
    options.print = [this](std::string_view text) { printAndCount(text); };
    session::Compilation& program = work->program;
    live = std::make_unique<interp::Live>(program.context, program.module, program.elaboration,
                                          program.repetitions, *program.program.types, options);
    return live->isReady();
}

void Running::feed(const std::byte* items, std::uint64_t count) {
    fed += count;
    if (machine) return machine->feed(items, count * inputSize());
    live->feed(items, count);
}

bool Running::hasBegun() const {
    if (machine) return machine->hasBegun();
    if (!live) return false;
    return live->steps() > 0 || (input() && live->size(graph().input) > 0);
}

Stop Running::goAsMachine(const Goal& goal, const Take& take) {
    std::optional<std::uint64_t> most = goal.items;
    if (most) *most -= std::min(*most, made() - firstMade);
    switch (machine->go(most, take)) {
        case MachineRun::Rest::Wanting: return Stop::Waiting;
        case MachineRun::Rest::Made: return Stop::Goal;
        case MachineRun::Rest::Over: break;
    }
    const interp::End end = machine->end();
    if (end != interp::End::Interrupted && end != interp::End::Failed) return Stop::Ended;
    startMachine();
    return end == interp::End::Failed ? Stop::Failed : Stop::Interrupted;
}

bool Running::feedMore() {
    if (!file) return false;
    base::Result<std::string> more = file->next();
    if (!more) fault = more.failure();
    if (!more || more->empty()) {
        file.reset();
        return false;
    }
    feed(reinterpret_cast<const std::byte*>(more->data()), more->size() / inputSize());
    return true;
}

Stop Running::go(const Goal& goal, const Take& take) {
    firstStep = live ? live->steps() : 0;
    firstMade = made();
    const Take count = [&](std::vector<Value> items) {
        given += items.size();
        return take(std::move(items));
    };
    for (;;) {
        Stop why = Stop::Ended;
        if (machine)
            why = goAsMachine(goal, count);
        else
            base::onOwnStack([&] { why = goOn(goal, count); });
        if (why == Stop::Waiting && feedMore()) continue;
        const bool isFlushed = machine ? machine->flush() : live->flush();
        if (why == Stop::Failed && live) noteFailure();
        return isFlushed ? why : Stop::Failed;
    }
}

void Running::noteFailure() {
    failures = failedAt == live->steps() ? failures + 1 : 1;
    failedAt = live->steps();
}

/// At the end of its input a stream that writes files has nothing more to do.
void Running::complete() {
    const auto& nodes = graph().nodes;
    const bool writes = std::any_of(nodes.begin(), nodes.end(), [](const graph::Node& node) {
        return (node.effects & graph::kWritesFile) != 0;
    });
    if (writes) live->close();
}

void Running::close() {
    if (live) live->close();
    if (machine) machine->close();
}

bool Running::isDone(const Goal& goal) const {
    if (goal.steps && live->steps() - firstStep >= *goal.steps) return true;
    if (!goal.items) return false;
    return made() + live->outputSize() - firstMade >= *goal.items;
}

Stop Running::goOn(const Goal& goal, const Take& take) {
    const std::uint64_t most = mostAtOnce(output());
    std::vector<std::pair<EdgeId, std::vector<Value>>> before;
    for (EdgeId edge : watched) before.emplace_back(edge, live->items(edge));
    auto hand = [&] {
        std::vector<Value> items =
            live->takeOutput(goal.items ? *goal.items - (made() - firstMade) : UINT64_MAX);
        return items.empty() || take(std::move(items));
    };
    for (;;) {
        if (isDone(goal)) return hand() ? Stop::Goal : Stop::Ended;
        if (!breaks.empty() && live->steps() != stoppedAt && breaks.contains(live->next())) {
            stoppedAt = live->steps();
            hand();
            return Stop::Break;
        }
        const Progress made = live->step();
        if (made != Progress::Fired) {
            hand();
            switch (made) {
                case Progress::Waiting: return Stop::Waiting;
                case Progress::Interrupted: return Stop::Interrupted;
                case Progress::Failed: return Stop::Failed;
                default: complete(); return Stop::Ended;
            }
        }
        stoppedAt = UINT64_MAX;
        if (!before.empty()) noteChanges(before);
        if (live->outputSize() >= most && !hand()) return Stop::Ended;
    }
}

void Running::noteChanges(std::vector<std::pair<EdgeId, std::vector<Value>>>& before) {
    for (auto& [edge, items] : before) {
        std::vector<Value> now = live->items(edge);
        if (now == items) continue;
        items = std::move(now);
        if (onChange) onChange(edge);
    }
}

bool Running::goBack(std::uint64_t steps) {
    bool isThere = false;
    stoppedAt = UINT64_MAX;
    base::onOwnStack([&] { isThere = live->goBack(steps); });
    return isThere;
}

std::vector<Message> Running::messages() { return bench.messages(*work, task); }

}  // namespace strc::repl
