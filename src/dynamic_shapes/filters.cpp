#include "dynamic_shapes/filters.h"

#include <cstring>
#include <new>

#include "dynamic_shapes/fields.h"
#include "types/tensor_text.h"

namespace strc::dynamic_shapes {

using base::Diag;
using eval::Outcome;
using eval::Trap;
using types::TypeKind;

namespace {

std::uint32_t bytesOfItem(const Type* item) {
    if (isTensor(item)) return sizeof(TensorHandle);
    return static_cast<std::uint32_t>(types::sizeOf(item));
}

TensorHandle nameAt(eval::Tape& tape, std::int64_t item) {
    TensorHandle name = 0;
    std::memcpy(&name, tape.at(static_cast<std::uint64_t>(item)), sizeof name);
    return name;
}

/// Where item k of so many lies.
std::byte* place(const Channel& channel, void* const* parts, std::int64_t items, std::int64_t k) {
    if (!isHandedOverWhole(channel.memory, items)) return static_cast<std::byte*>(parts[k]);
    return static_cast<std::byte*>(parts[0]) + k * types::sizeOf(channel.memory);
}

std::int64_t partsOf(const Channel& channel, std::int64_t items) {
    if (items == 0) return 0;
    return isHandedOverWhole(channel.memory, items) ? 1 : items;
}

}  // namespace

struct Filters::Actor {
    Actor(const Filter& what, eval::TapeBudget& budget)
        : filter(what),
          input(what.input.item ? bytesOfItem(what.input.item) : 1, &budget),
          output(what.output.item ? bytesOfItem(what.output.item) : 1, &budget) {}

    const Rates& rates() const {
        return fired == 0 && filter.prework ? *filter.prework : filter.work;
    }

    const Filter& filter;
    const eval::Code* work = nullptr;
    const eval::Code* prework = nullptr;
    eval::Instance instance;
    eval::Tape input, output;
    std::int64_t fired = 0;
    std::int64_t taken = 0;  ///< items
};

Filters::Filters(const Program& what, types::TypeTable& table, const base::Limits& limits,
                 Callbacks around)
    : program(what),
      types(table),
      callbacks(std::move(around)),
      machine(limits),
      heap(what.module, table, machine, limits.totalBytes,
           [this](const TensorHeap::Mark& mark) { forEachRoot(mark); }),
      budget{limits.totalBytes} {
    machine.interrupt = callbacks.interrupt;
    machine.deadline = callbacks.deadline;
    machine.cFormat = callbacks.cFormat;
    for (const Filter& filter : program.filters) {
        actors.push_back(std::make_unique<Actor>(filter, budget));
        setUp(*actors.back());
        byNode[filter.node] = actors.back().get();
    }
}

Filters::~Filters() = default;

void Filters::setUp(Actor& actor) {
    const Kernel& kernel = program.kernels[actor.filter.kernel];
    const ir::StreamCode& code = program.module.streams[kernel.code];
    auto compiled = [&](const ir::Body& body, bool isPrework) {
        eval::CodePtr& made = codes[{actor.filter.kernel, isPrework}];
        if (!made) made = eval::compile(program.module, &code, body, types, kernel.fieldOffsets);
        return made.get();
    };
    actor.work = compiled(*code.work, false);
    if (code.prework) actor.prework = compiled(*code.prework, true);
    actor.instance.module = &program.module;
    actor.instance.code = &code;
    actor.instance.constants = kernel.constants;
    actor.instance.fieldTypes = kernel.fieldTypes;
    actor.instance.fieldOffsets = kernel.fieldOffsets;
    actor.instance.itemTypes[0] = actor.filter.input.item;
    actor.instance.itemTypes[1] = actor.filter.output.item;
    actor.instance.input = &actor.input;
    actor.instance.output = &actor.output;
    actor.instance.host = this;
    nameFields(fieldsOf(kernel), *actor.filter.state, code.stored, heap, actor.instance.state);
}

std::optional<Trap> Filters::callNative(const ir::Native& native, std::span<std::uint64_t> args,
                                        std::uint64_t& result) {
    if (callbacks.callNative) return callbacks.callNative(native, args, result);
    return Host::callNative(native, args, result);
}

// ---------------------------------------------------------------- memory

void Filters::forEachRoot(const TensorHeap::Mark& mark) {
    for (TensorHandle name : outside) mark(name);
    for (const auto& actor : actors) {
        const Fields fields = fieldsOf(program.kernels[actor->filter.kernel]);
        markFields(fields, actor->instance.state, mark);
        for (eval::Tape* tape : {&actor->input, &actor->output})
            for (std::uint64_t k = 0;
                 tape->bytesPerItem() == sizeof(TensorHandle) && k < tape->size(); ++k)
                mark(nameAt(*tape, static_cast<std::int64_t>(k)));
    }
    machine.forEachSlot([&](std::uint64_t bits) { mark(static_cast<TensorHandle>(bits)); });
}

TensorHandle Filters::enter(const Type* concrete, const std::byte* elements) {
    outside.push_back(heap.copyOf(concrete, elements));
    return outside.back();
}

void Filters::settle(const std::function<void(const TensorHeap::Mark&)>& forEachName) {
    outside.clear();
    forEachName([this](TensorHandle name) { outside.push_back(name); });
}

// ---------------------------------------------------------------- a firing

bool Filters::fail(Trap why) {
    trap = std::move(why);
    return false;
}

Outcome Filters::fire(std::uint32_t node, void* const* parts, types::Random& random) {
    Actor& actor = *byNode.at(node);
    const Rates rates = actor.rates();
    generator = &random;
    Outcome end = Outcome::Trapped;
    try {
        end = fire(actor, parts);
    } catch (const std::bad_alloc&) {
        fail({Diag::OutOfMemory,
              actor.instance.code->work->header,
              {"an item of '" + actor.filter.name + "'", std::to_string(wanted)}});
    }
    actor.input.drop(actor.input.size());
    const bool isGiven = end != Outcome::Done || rates.push != kAnyNumber;
    if (isGiven) actor.output.drop(actor.output.size());
    return end;
}

std::int32_t Filters::left(std::uint32_t node) const {
    return static_cast<std::int32_t>(byNode.at(node)->output.size());
}

bool Filters::next(std::uint32_t node, void* to) {
    Actor& actor = *byNode.at(node);
    const bool fits = giveItem(actor, 0, static_cast<std::byte*>(to));
    actor.output.drop();
    return fits;
}

Outcome Filters::fire(Actor& actor, void* const* parts) {
    const Rates rates = actor.rates();
    if (!take(actor, parts, rates)) return Outcome::Trapped;
    eval::Firing firing;
    firing.popLimit = rates.pop;
    firing.peekLimit = rates.peek;
    const std::int64_t most = rates.push == kAnyNumber ? rates.most : rates.push;
    if (most != kAnyNumber) firing.pushLimit = most;
    const bool isFirst = actor.fired == 0 && actor.prework;
    const Outcome end =
        machine.fire(isFirst ? *actor.prework : *actor.work, actor.instance, firing);
    if (end == Outcome::Trapped) fail(asDynamic(actor, rates, *machine.trap));
    if (end != Outcome::Done) return end;
    if (!checkCounts(actor, rates, firing) || !give(actor, parts, rates)) return Outcome::Trapped;
    ++actor.fired;
    if (!isFirst) ++actor.instance.iterations;
    return Outcome::Done;
}

/// Rewords the trap about too many pushes for a filter that may push any number of items.
Trap Filters::asDynamic(const Actor& actor, const Rates& rates, Trap why) {
    if (why.id != Diag::PushRateViolated || rates.push != kAnyNumber) return why;
    const std::string most = rates.most == kAnyNumber ? "*" : std::to_string(rates.most);
    const std::string bounds = '[' + std::to_string(rates.least) + ", " + most + ']';
    return {Diag::DynamicRateViolated,
            why.range,
            {actor.filter.name, "push", bounds, "pushes", why.args.back()}};
}

bool Filters::checkCounts(const Actor& actor, const Rates& rates, const eval::Firing& firing) {
    const bool isFirst = actor.fired == 0 && actor.prework;
    const ir::Body& body = isFirst ? *actor.instance.code->prework : *actor.instance.code->work;
    auto violated = [&](Diag id, std::int64_t declared, std::int64_t count) {
        return fail({id,
                     body.header,
                     {isFirst ? "'prework'" : "'work'", actor.filter.name, std::to_string(declared),
                      std::to_string(count)}});
    };
    if (rates.push != kAnyNumber && firing.pushed != rates.push)
        return violated(Diag::PushRateViolated, rates.push, firing.pushed);
    if (firing.popped != rates.pop)
        return violated(Diag::PopRateViolated, rates.pop, firing.popped);
    return true;
}

bool Filters::take(Actor& actor, void* const* parts, const Rates& rates) {
    const Channel& channel = actor.filter.input;
    for (std::int64_t k = 0; k < rates.peek; ++k) {
        const std::byte* from = place(channel, parts, rates.peek, k);
        if (channel.isHandle || !isTensor(channel.item)) {
            std::byte* to = actor.input.append();
            std::memcpy(to, from, static_cast<std::size_t>(types::sizeOf(channel.memory)));
            // Splitters, joiners and identities before it have not looked at what they forward.
            if (channel.isHandle && !isFit(channel, nameAt(actor.input, k))) return false;
            continue;
        }
        const Type* type =
            channel.tensors[static_cast<std::size_t>(actor.taken + k) % channel.tensors.size()];
        wanted = types::sizeOf(type);
        const TensorHandle name = heap.copyOf(type, from + types::offsetIn(channel.memory, type));
        std::memcpy(actor.input.append(), &name, sizeof name);
    }
    actor.taken += rates.pop;
    return true;
}

bool Filters::give(Actor& actor, void* const* parts, const Rates& rates) {
    const Channel& channel = actor.filter.output;
    parts += partsOf(actor.filter.input, rates.peek);
    for (std::int64_t k = 0; k < rates.push; ++k)
        if (!giveItem(actor, k, place(channel, parts, rates.push, k))) return false;
    return true;
}

bool Filters::giveItem(Actor& actor, std::int64_t item, std::byte* to) {
    const Channel& channel = actor.filter.output;
    if (!isTensor(channel.item)) {
        std::memcpy(to, actor.output.at(static_cast<std::uint64_t>(item)),
                    static_cast<std::size_t>(types::sizeOf(channel.memory)));
        return true;
    }
    const TensorHandle name = nameAt(actor.output, item);
    if (!isFit(channel, name)) return false;
    if (channel.isHandle) {
        outside.push_back(name);
        std::memcpy(to, &name, sizeof name);
        return true;
    }
    const Type* type = heap.typeOf(name);
    std::memcpy(to + types::offsetIn(channel.memory, type), heap.elementsOf(name),
                static_cast<std::size_t>(types::sizeOf(type)));
    return true;
}

/// Is it what all streams around the channel declare?
bool Filters::isFit(const Channel& channel, TensorHandle name) {
    const std::string why = whyUnfit(channel.declared, channel.tensors, heap.typeOf(name));
    return why.empty() || fail({Diag::TensorShape, {}, {"", why}});
}

}  // namespace strc::dynamic_shapes
