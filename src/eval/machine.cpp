// Runs and what they need around the dispatch loop: stack, windows of the tapes, steps, traps.

#include <algorithm>
#include <chrono>
#include <new>

#include "eval/detail/run.h"
#include "eval/firing_node.h"

namespace strc::eval {
namespace {

/// The code that the outermost frame returns to; its result goes to slot 0 of the frame before.
constexpr std::uint32_t kStart[] = {static_cast<std::uint32_t>(Code32::Call), 0, 0,
                                    static_cast<std::uint32_t>(Code32::Halt)};
constexpr std::uint64_t kStartSlots = 4;
constexpr std::uint64_t kPieceSlots = 1 << 16;
constexpr std::uint64_t kFuel = 1 << 16;

/// Whole items of a tape that lie in so many bytes.
std::int64_t itemsIn(const Tape& tape, const std::byte* from, const std::byte* to) {
    auto bytes = static_cast<std::uint64_t>(to - from);
    switch (std::uint32_t size = tape.bytesPerItem()) {
        case 1: return static_cast<std::int64_t>(bytes);
        case 4: return static_cast<std::int64_t>(bytes / 4);
        case 8: return static_cast<std::int64_t>(bytes / 8);
        default: return static_cast<std::int64_t>(bytes / size);
    }
}

/// "function 'f' of 'F'", "'init' of 'F'", "the body of 'P'"
std::string describe(const ir::Body& body, const ir::StreamCode* stream) {
    std::string text = "'" + body.name + "'";
    if (body.kind == ir::BodyKind::Function) text = "function " + text;
    if (body.kind == ir::BodyKind::Handler) text = "handler " + text;
    if (body.kind == ir::BodyKind::Composite) text = "the body";
    if (body.kind == ir::BodyKind::Default) text = "the value of a parameter";
    if (body.kind == ir::BodyKind::Static) text = "the static block";
    if (stream && !stream->name.empty()) text += " of '" + stream->name + "'";
    return text;
}

}  // namespace

// ---- memory

Slot* Machine::Memory::room(Slot* at, Slot*& pieceEnd, std::uint64_t need) {
    if (at && static_cast<std::uint64_t>(pieceEnd - at) >= need) return at;
    std::size_t next = 0;
    while (next < pieces.size() && pieceEnd &&
           pieces[next].slots.get() + pieces[next].size != pieceEnd)
        ++next;
    if (pieceEnd) ++next;
    if (next >= pieces.size() || pieces[next].size < need) {
        for (std::size_t k = next; k < pieces.size(); ++k) bytes -= pieces[k].size * sizeof(Slot);
        pieces.resize(std::min(next, pieces.size()));
        Piece piece;
        piece.size = std::max(need, kPieceSlots);
        if (bytes + piece.size * sizeof(Slot) > limits.totalBytes) return nullptr;
        piece.slots.reset(new (std::nothrow) Slot[piece.size]);
        if (!piece.slots) return nullptr;
        bytes += piece.size * sizeof(Slot);
        pieces.push_back(std::move(piece));
    }
    pieceEnd = pieces[next].slots.get() + pieces[next].size;
    return pieces[next].slots.get();
}

std::byte* Machine::Memory::array(std::uint64_t size) {
    if (bytes + size > limits.totalBytes) return nullptr;
    std::unique_ptr<std::byte[]> memory(new (std::nothrow)
                                            std::byte[std::max<std::uint64_t>(size, 1)]);
    if (!memory) return nullptr;
    bytes += size;
    arrays.push_back({std::move(memory), size});
    return arrays.back().first.get();
}

void Machine::Memory::releaseArrays(std::size_t mark) {
    for (; arrays.size() > mark; arrays.pop_back()) bytes -= arrays.back().second;
}

void Machine::forEachSlot(const std::function<void(std::uint64_t)>& visit) const {
    for (const Memory::Piece& piece : memory->pieces) {
        const Slot* begin = piece.slots.get();
        const Slot* end = begin + piece.size;
        const bool isLast = memory->top >= begin && memory->top <= end;
        for (const Slot* slot = begin; slot != (isLast ? memory->top : end); ++slot)
            visit(slot->bits);
        if (isLast) return;
    }
}

// ---- tapes

Run::Run(Machine& machine, const Code& code, Instance& instance, Firing& firing)
    : machine(machine), memory(*machine.memory), code(code), instance(instance), firing(firing) {}

void Run::enter() {
    if (Tape* input = instance.input) {
        first = firstBase = TapeWindow::first(*input);
        std::byte* end = TapeWindow::last(*input);
        std::int64_t items = itemsIn(*input, first, end);
        std::int64_t size = input->bytesPerItem();
        popEnd = peekEnd = end;
        if (firing.popLimit - firing.popped < items)
            popEnd = first + (firing.popLimit - firing.popped) * size;
        if (firing.peekLimit - firing.popped < items)
            peekEnd = first + (firing.peekLimit - firing.popped) * size;
    }
    if (Tape* output = instance.output) {
        last = lastBase = TapeWindow::last(*output);
        std::byte* end = TapeWindow::end(*output);
        std::int64_t size = output->bytesPerItem();
        std::int64_t items = itemsIn(*output, last, end);
        pushEnd = last + std::min(items, firing.pushLimit - firing.pushed) * size;
    }
}

void Run::leave() {
    if (Tape* input = instance.input) {
        firing.popped += itemsIn(*input, firstBase, first);
        TapeWindow::setFirst(*input, first);
        firstBase = first;
    }
    if (Tape* output = instance.output) {
        firing.pushed += itemsIn(*output, lastBase, last);
        TapeWindow::setLast(*output, last);
        lastBase = last;
    }
}

bool Run::nextFiring() {
    Tape* input = instance.input;
    Tape* output = instance.output;
    bool popped = !input || first - firstBase == firing.popLimit * input->bytesPerItem();
    bool pushed = !output || last - lastBase == firing.pushLimit * output->bytesPerItem();
    if (firing.pushed != 0 || firing.popped != 0) {  // counted on the way: the output had to grow
        leave();
        popped = !input || firing.popped == firing.popLimit;
        pushed = !output || firing.pushed == firing.pushLimit;
        if (popped && pushed) firing.popped = firing.pushed = 0;
    }
    if (!popped || !pushed) return false;
    if (input) {
        firstBase = first;
        popEnd = first + firing.popLimit * input->bytesPerItem();
        peekEnd = first + firing.peekLimit * input->bytesPerItem();
    }
    if (output) {
        lastBase = last;
        std::byte* end = TapeWindow::end(*output);
        std::ptrdiff_t bytes = firing.pushLimit * output->bytesPerItem();
        pushEnd = end - last < bytes ? end : last + bytes;
    }
    return true;
}

bool Run::rateTrap(const std::uint32_t* at, const Slot* frame, Diag id, std::int64_t limit,
                   std::int64_t count) {
    bool isPrework =
        instance.code && instance.code->prework && &*instance.code->prework == code.table[0]->body;
    std::string filter =
        instance.code && !instance.code->name.empty() ? instance.code->name : "filter";
    return trap(
        at, frame, id,
        {isPrework ? "'prework'" : "'work'", filter, std::to_string(limit), std::to_string(count)});
}

bool Run::demand(const std::uint32_t* at, Slot* frame, std::uint64_t items) {
    STRC_ASSERT(firing.dynamicInput && instance.input, "a firing without its items");
    (void)at;
    expose(frame);
    bool there = instance.host->demandInput(items);
    enter();
    if (!there) outcome = Outcome::Starved;
    STRC_ASSERT(!there || instance.input->has(items), "items that were promised are not there");
    return there;
}

bool Run::wantPop(const std::uint32_t* at, Slot* frame) {
    leave();
    if (firing.popped >= firing.popLimit)
        return rateTrap(at, frame, Diag::PopRateViolated, firing.popLimit, firing.popped + 1);
    return demand(at, frame, 1);
}

bool Run::wantPeek(const std::uint32_t* at, Slot* frame, std::int32_t offset) {
    if (offset < 0) return trap(at, frame, Diag::NegativePeek, {std::to_string(offset)});
    leave();
    if (firing.peekLimit - firing.popped <= offset)
        return rateTrap(at, frame, Diag::PeekRateViolated, firing.peekLimit,
                        firing.popped + offset + 1);
    return demand(at, frame, static_cast<std::uint64_t>(offset) + 1);
}

bool Run::wantPush(const std::uint32_t* at, Slot* frame) { return wantPushes(at, frame, 1); }

bool Run::wantPops(const std::uint32_t* at, Slot* frame, std::int64_t items) {
    leave();
    if (firing.popLimit - firing.popped < items)
        return rateTrap(at, frame, Diag::PopRateViolated, firing.popLimit, firing.popLimit + 1);
    return demand(at, frame, static_cast<std::uint64_t>(items));
}

bool Run::wantPushes(const std::uint32_t* at, Slot* frame, std::int64_t items) {
    leave();
    if (firing.pushLimit - firing.pushed < items)
        return rateTrap(at, frame, Diag::PushRateViolated, firing.pushLimit, firing.pushLimit + 1);
    return growOutput(at, frame, items);
}

bool Run::growOutput(const std::uint32_t* at, Slot* frame, std::int64_t items) {
    STRC_ASSERT(instance.output, "a push without an output");
    Tape& output = *instance.output;
    const auto more = static_cast<std::uint64_t>(items);
    std::uint64_t bytes = (output.size() + more) * output.bytesPerItem();
    if (!TapeWindow::grow(output, more * output.bytesPerItem()))
        return trap(at, frame, Diag::OutOfMemory,
                    {"the tape that is pushed to", std::to_string(bytes)});
    enter();
    return true;
}

bool Run::inputItems(const std::uint32_t* at, Slot* frame, Slot& to, std::int64_t items) {
    STRC_ASSERT(instance.input, "items without an input");
    const std::int64_t size = instance.input->bytesPerItem();
    leave();
    if (firing.peekLimit < items)
        return rateTrap(at, frame, Diag::PeekRateViolated, firing.peekLimit, firing.peekLimit + 1);
    const auto further =
        static_cast<std::uint64_t>(std::max<std::int64_t>(items - firing.popped, 0));
    if (!instance.input->has(further) && !demand(at, frame, further)) return false;
    to.address = first - firing.popped * size;
    return true;
}

/// Of static rates there is room for all that the firing gives from then on, so what is given does not move.
bool Run::outputItems(const std::uint32_t* at, Slot* frame, Slot& to, std::int64_t items) {
    STRC_ASSERT(instance.output, "items without an output");
    const std::int64_t size = instance.output->bytesPerItem();
    leave();
    if (firing.pushLimit < items)
        return rateTrap(at, frame, Diag::PushRateViolated, firing.pushLimit, firing.pushLimit + 1);
    const std::int64_t all = firing.pushLimit == INT64_MAX ? items : firing.pushLimit;
    const std::int64_t rest = std::max<std::int64_t>(all - firing.pushed, 0);
    if (TapeWindow::end(*instance.output) - last < rest * size && !growOutput(at, frame, rest))
        return false;
    to.address = last - firing.pushed * size;
    return true;
}

// ---- steps, calls, traps

bool Run::refuel(const std::uint32_t* at, Slot* frame) {
    bool late = machine.deadline && std::chrono::steady_clock::now() >= *machine.deadline;
    if (late || (machine.interrupt && *machine.interrupt)) {
        outcome = Outcome::Interrupted;
        return false;
    }
    std::uint64_t missing = static_cast<std::uint64_t>(-std::min<std::int64_t>(fuel, 0));
    std::uint64_t given = std::min(machine.stepsLeft, kFuel + missing);
    machine.stepsLeft -= given;
    memory.stepsUsed += given;
    fuel += static_cast<std::int64_t>(given);
    if (fuel >= 0) return true;
    return trap(at, frame, Diag::StepLimit,
                {describe(*frame[kFunction].function->body, code.stream),
                 std::to_string(memory.stepsUsed)});
}

Slot* Run::call(const std::uint32_t* at, Slot* frame, const Function& callee) {
    if (frame[kDepth].bits >= memory.limits.callDepth) {
        trap(at, frame, Diag::StackOverflow,
             {callee.body->name, std::to_string(memory.limits.callDepth)});
        return nullptr;
    }
    Slot* parameters = frame + frame[kFunction].function->slots;
    Slot* end = frame[kEnd].slot;
    Slot* inner = callee.need == UINT64_MAX ? nullptr : memory.room(parameters, end, callee.need);
    if (!inner) {
        std::uint64_t bytes = std::max(callee.arrayBytes, callee.slots * sizeof(Slot));
        trap(at, frame, Diag::OutOfMemory,
             {"function '" + callee.body->name + "'", std::to_string(bytes)});
        return nullptr;
    }
    std::copy_n(parameters + kHeader, inner == parameters ? 0 : callee.paramSlots, inner + kHeader);
    inner[kEnd].slot = end;
    return inner;
}

bool Run::concat(const std::uint32_t* at, Slot* frame, Slot& to, const std::string* a,
                 const std::string* b) {
    std::uint64_t size = (a ? a->size() : 0) + (b ? b->size() : 0);
    if (size > memory.limits.textBytes)
        return trap(at, frame, Diag::LimitExceeded,
                    {"the length of a text", std::to_string(memory.limits.textBytes)});
    to.text = memory.string((a ? *a : std::string()) + (b ? *b : std::string()));
    charge(size);
    return hasFuel(at, frame);
}

bool Run::intern(const std::uint32_t* at, Slot* frame, Slot& to, const std::string* text) {
    to.text = memory.intern(text);
    charge(text ? text->size() : 0);
    return hasFuel(at, frame);
}

bool Run::print(const std::uint32_t* at, Slot* frame, const Slot& what, types::TypeKind kind) {
    expose(frame);
    const std::string text = format(&what, kind, machine.cFormat);
    instance.host->print(text);
    charge(text.size());
    return hasFuel(at, frame);
}

void Run::expose(Slot* frame) {
    const Function& function = *frame[kFunction].function;
    memory.top = frame + function.slots + function.outgoing;
    memory.end = frame[kEnd].slot;
}

namespace {

std::uint32_t findFiring(const std::uint32_t* at, const Slot* frame) {
    constexpr std::uint32_t kCallWords = 3;
    while (true) {
        const std::uint32_t node = frame[kFunction].function->firingAt(at);
        if (node != ir::kNone || frame[kDepth].bits == 0) return node;
        at = frame[kReturn].code - kCallWords;
        frame = frame[kCaller].slot;
    }
}

}  // namespace

std::uint32_t firingNode(const Machine& machine) { return machine.memory->firing; }

bool Run::trap(const std::uint32_t* at, const Slot* frame, Diag id, std::vector<std::string> args) {
    outcome = Outcome::Trapped;
    memory.firing = findFiring(at, frame);
    machine.trap = Trap{id, frame[kFunction].function->rangeAt(at), std::move(args)};
    return false;
}

bool Run::indexTrap(const std::uint32_t* at, const Slot* frame, std::int32_t index,
                    std::uint32_t extent) {
    return trap(at, frame, Diag::IndexOutOfRange, {std::to_string(index), std::to_string(extent)});
}

const Value& Run::global(std::uint32_t index) const {
    return instance.globals ? (*instance.globals)[index] : instance.module->globalValues[index];
}

std::int64_t Run::extentOf(const Slot* frame, const ExtentSource& source) const {
    const Type* type = nullptr;
    switch (source.kind) {
        case ExtentSource::Kind::Literal: return source.literal;
        case ExtentSource::Kind::Slot: return frame[source.index].i;
        case ExtentSource::Kind::Field: type = instance.fieldTypes[source.index]; break;
        case ExtentSource::Kind::Constant: type = instance.constants[source.index].type; break;
        case ExtentSource::Kind::Global: type = global(source.index).type; break;
        case ExtentSource::Kind::Item: type = instance.itemTypes[source.index]; break;
    }
    for (std::uint32_t k = 0; k < source.dimension; ++k) type = type->element;
    return type->extent;
}

// ---- machine

Machine::Machine(const base::Limits& limits) : memory(std::make_unique<Memory>(limits)) {
    memory->top = memory->room(nullptr, memory->end, kPieceSlots);
}
Machine::~Machine() = default;

std::uint64_t Machine::stepsUsed() const { return memory->stepsUsed; }

namespace {

/// The state of the memory at the begin of a run, put back at its end.
class Marks {
public:
    explicit Marks(Machine::Memory& memory)
        : memory(memory),
          top(memory.top),
          end(memory.end),
          arrays(memory.arrayMark()),
          strings(memory.strings.size()) {}
    ~Marks() {
        memory.top = top;
        memory.end = end;
        release();
    }
    void release() {
        memory.releaseArrays(arrays);
        memory.releaseStrings(strings);
    }
    Marks(const Marks&) = delete;
    Marks& operator=(const Marks&) = delete;

private:
    Machine::Memory& memory;
    Slot* top;
    Slot* end;
    std::size_t arrays, strings;
};

/// The outermost frame of a run, behind a few slots that stand for a caller; null after a trap.
Slot* outermost(Run& run) {
    const Function& main = *run.code.table[0];
    Machine::Memory& memory = run.memory;
    Slot* begin = memory.top;
    Slot* end = memory.end;
    bool never = main.need == UINT64_MAX;
    if (never || static_cast<std::uint64_t>(end - begin) < kStartSlots + main.need) [[unlikely]]
        begin = never ? nullptr : memory.room(begin, end, kStartSlots + main.need);
    if (!begin) {
        run.outcome = Outcome::Trapped;
        run.memory.firing = ir::kNone;
        run.machine.trap =
            Trap{Diag::OutOfMemory,
                 main.body->range,
                 {"'" + main.body->name + "'",
                  std::to_string(std::max(main.arrayBytes, main.slots * sizeof(Slot)))}};
        return nullptr;
    }
    Slot* frame = begin + kStartSlots;
    frame[kReturn].code = kStart + 3;
    frame[kCaller].slot = begin;
    frame[kFunction].function = &main;
    frame[kEnd].slot = end;
    frame[kDepth].bits = 0;
    frame[kState].address = run.instance.state.data();
    frame[kFrame].slot = frame;
    return frame;
}

void begin(Run& run) {
    Machine& machine = run.machine;
    run.enter();
    std::uint64_t given = std::min(machine.stepsLeft, kFuel);
    machine.stepsLeft -= given;
    machine.memory->stepsUsed += given;
    run.fuel += static_cast<std::int64_t>(given);  // arguments may have cost some
}

void end(Run& run) {
    Machine& machine = run.machine;
    run.leave();
    if (run.fuel < 0) {  // the last operation took more than there was
        std::uint64_t paid = std::min(machine.stepsLeft, static_cast<std::uint64_t>(-run.fuel));
        machine.stepsLeft -= paid;
        machine.memory->stepsUsed += paid;
        return;
    }
    machine.stepsLeft += static_cast<std::uint64_t>(run.fuel);
    machine.memory->stepsUsed -= static_cast<std::uint64_t>(run.fuel);
}

/// One time through the body, which counts as a call.
Outcome once(Run& run, Slot* frame) {
    const Function& main = *frame[kFunction].function;
    const std::uint32_t* code = main.code.data();
    if ((run.fuel -= main.weight) < 0 && !run.refuel(code, frame)) return run.outcome;
    return execute(run, code, frame);
}

Outcome finish(Run& run, Slot* frame) {
    begin(run);
    Outcome outcome = once(run, frame);
    end(run);
    return outcome;
}

/// Memory of an aggregate argument: a private copy.
std::byte* copyOf(Machine::Memory& memory, const Value& value) {
    std::byte* at = memory.array(value.bytes.size());
    if (at) std::memcpy(at, value.bytes.data(), value.bytes.size());
    return at;
}

}  // namespace

Outcome Machine::fire(const Code& code, Instance& instance, Firing& firing) {
    Marks marks(*memory);
    Run run(*this, code, instance, firing);
    Slot* frame = outermost(run);
    return frame ? finish(run, frame) : run.outcome;
}

Outcome Machine::fire(const Code& code, Instance& instance, Firing& firing, std::int64_t times,
                      std::int64_t& done) {
    done = 0;
    Marks marks(*memory);
    Run run(*this, code, instance, firing);
    Slot* frame = outermost(run);
    if (!frame) return run.outcome;
    begin(run);
    Outcome outcome = Outcome::Done;
    while (done < times) {
        outcome = once(run, frame);
        if (outcome != Outcome::Done || !run.nextFiring()) break;
        ++done;
        ++instance.iterations;
        marks.release();
    }
    end(run);
    return outcome;
}

namespace {

/// Puts arguments where the parameters are; an aggregate is a private copy. False: out of memory.
bool pass(Run& run, Slot* frame, std::span<const Value> args) {
    Slot* to = frame + kHeader;
    for (const Value& value : args) {
        if (value.type && !value.type->isAggregate()) {
            fromValue(to, value, &value.bytes);
            to += slotsOf(value.type);
            continue;
        }
        to->address = nullptr;
        if (value.type) to->address = copyOf(run.memory, value);
        run.charge(value.bytes.size());
        if (value.type && !to->address) {
            run.outcome = Outcome::Trapped;
            run.memory.firing = ir::kNone;
            run.machine.trap = Trap{Diag::OutOfMemory,
                                    run.code.table[0]->body->range,
                                    {"an argument", std::to_string(value.bytes.size())}};
            return false;
        }
        ++to;
    }
    return true;
}

/// The aggregate that the body has written to its first parameter.
Value aggregateResult(const Run& run, const Slot* frame) {
    const Function& main = *run.code.table[0];
    const Type* type = main.body->result;
    if (!types::isConcrete(type)) {
        auto rank = static_cast<std::uint32_t>(types::rank(type));
        type = types::innermost(type);
        for (std::uint32_t k = rank; k-- > 0;)
            type = run.code.types->array(type, frame[main.resultExtents + k].i);
    }
    auto size = static_cast<std::size_t>(types::sizeOf(type));
    return {type, std::string(reinterpret_cast<const char*>(frame[kHeader].address), size)};
}

}  // namespace

RunResult Machine::run(const Code& code, Instance& instance, Firing& firing,
                       std::span<const Value> args) {
    Marks marks(*memory);
    Run run(*this, code, instance, firing);
    const ir::Body& body = *code.table[0]->body;
    bool aggregate = body.result && body.result->isAggregate();
    std::vector<Value> given(args.begin(), args.end());
    if (aggregate)  // without a type: nobody knows its size yet
        given.insert(given.begin(),
                     types::isConcrete(body.result) ? Value::zero(body.result) : Value{});
    STRC_ASSERT(given.size() == body.params, "a run without its arguments");
    RunResult result;
    Slot* frame = outermost(run);
    result.outcome = frame && pass(run, frame, given) ? finish(run, frame) : run.outcome;
    if (result.outcome == Outcome::Trapped) result.trap = trap;
    if (result.outcome != Outcome::Done || !body.result) return result;
    if (aggregate)
        result.value = aggregateResult(run, frame);
    else if (body.result->isScalar())
        result.value = toValue(frame - kStartSlots, body.result);
    return result;
}

std::optional<std::chrono::steady_clock::time_point> deadlineAfter(
    std::chrono::steady_clock::time_point start, std::optional<double> seconds) {
    constexpr double kLongest = 1e9;  // nanoseconds have 64 bits
    if (!seconds || *seconds >= kLongest) return std::nullopt;
    return start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>(*seconds));
}

}  // namespace strc::eval
