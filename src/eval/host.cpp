// Instructions that reach outside: declarations of dynamic extent, elaboration, messages, natives, files.

#include <charconv>
#include <list>

#include "eval/detail/run.h"
#include "eval/detail/tensor_view.h"
#include "ir/rate_check.h"
#include "types/tensor_text.h"

namespace strc::eval {

using ir::Instr;
using ir::Op;
using types::TypeKind;

// ---- the defaults of a Host: nobody may ask for what it does not offer, but
// programs may call any native

void Host::print(std::string_view) { STRC_UNREACHABLE("print in a place that has none"); }
types::Random& Host::random() { STRC_UNREACHABLE("random in a place that has none"); }
std::optional<Trap> Host::send(std::int32_t, const ir::Send&, std::optional<std::int64_t>,
                               std::span<const Value>, SourceRange) {
    STRC_UNREACHABLE("a message in a place that has none");
}
Tensors& Host::tensors() { STRC_UNREACHABLE("a tensor without a shape in a place that has none"); }
bool Host::demandInput(std::uint64_t) { STRC_UNREACHABLE("a demand in a place that has none"); }
std::optional<Trap> Host::callNative(const ir::Native& native, std::span<std::uint64_t>,
                                     std::uint64_t&) {
    return Trap{Diag::NativeUnavailable, {}, {native.package, native.name}};
}
base::Result<std::string> Host::readFile(const std::string&, SourceRange) {
    STRC_UNREACHABLE("a file in a place that has none");
}
base::Result<std::int32_t> Host::fileNumber(const ir::FileQuestion&, const std::string&,
                                            std::int32_t, SourceRange) {
    STRC_UNREACHABLE("a file in a place that has none");
}
base::Result<std::string> Host::readItems(const ir::FileQuestion&, const std::string&, std::int32_t,
                                          SourceRange) {
    STRC_UNREACHABLE("a file in a place that has none");
}
void Host::warn(const Trap&) {}
std::int32_t Host::newPortal(SourceRange) { STRC_UNREACHABLE("a portal outside of elaboration"); }
std::optional<Trap> Host::create(const ir::Create&, const Type*,
                                 std::span<const std::optional<Value>>,
                                 std::span<const std::int32_t>, SourceRange) {
    STRC_UNREACHABLE("add outside of elaboration");
}
void Host::see(const ir::Create&, std::span<const Value>) {}
std::optional<Trap> Host::split(bool, ir::SplitForm, std::span<const std::int64_t>, SourceRange) {
    STRC_UNREACHABLE("split outside of elaboration");
}
std::optional<Trap> Host::join(bool, ir::SplitForm, std::span<const std::int64_t>, SourceRange) {
    STRC_UNREACHABLE("join outside of elaboration");
}
std::optional<Trap> Host::enqueue(const Value&, SourceRange) {
    STRC_UNREACHABLE("enqueue outside of elaboration");
}
void Host::rate(const ir::RateClause&, std::optional<std::int64_t>, std::optional<std::int64_t>,
                std::optional<std::int64_t>, SourceRange) {
    STRC_UNREACHABLE("a rate outside of elaboration");
}
void Host::itemType(int, const Type*) { STRC_UNREACHABLE("an item type outside of elaboration"); }

namespace {

class HostCall {
public:
    HostCall(Run& run, const std::uint32_t* at, Slot* frame, const HostOp& op)
        : run(run), at(at), frame(frame), op(op), instr(*op.instr), host(*run.instance.host) {}

    bool execute() {
        switch (instr.op) {
            case Op::Declare:
                return op.declared->is(TypeKind::Tensor) ? declareTensor() : declare();
            case Op::Load: return checkLoaded();
            case Op::Store: return checkStored();
            case Op::Tensor: return computeTensor();
            case Op::Require: return demand();
            case Op::Check: return check();
            case Op::Print: return printTensor();
            case Op::ReadArray: return readArray();
            case Op::FileNumber: return fileNumber();
            case Op::ReadItems: return readItems();
            case Op::Send: return send();
            case Op::Call: return callNative();
            case Op::NewPortal: frame[op.result].i = host.newPortal(instr.range); return true;
            case Op::Create: return create();
            case Op::Split:
                return passOn(host.split(instr.flag, static_cast<ir::SplitForm>(instr.index),
                                         ints(0), instr.range));
            case Op::Join:
                return passOn(host.join(instr.flag, static_cast<ir::SplitForm>(instr.index),
                                        ints(0), instr.range));
            case Op::Enqueue: return passOn(host.enqueue(enqueued(), instr.range));
            case Op::Rate: return rate();
            case Op::ItemType: return itemType();
            default: STRC_UNREACHABLE("not an operation of the host");
        }
    }

private:
    bool trap(Diag id, std::vector<std::string> args) {
        return run.trap(at, frame, id, std::move(args));
    }

    std::int32_t number(std::size_t k) const { return frame[op.operands[k].slot].i; }

    std::vector<std::int64_t> ints(std::size_t from) const {
        std::vector<std::int64_t> list;
        for (std::size_t k = from; k < op.operands.size(); ++k) list.push_back(number(k));
        return list;
    }

    // ---- types and values

    /// `type` with these extents, outermost first, if any of its own is dynamic.
    const Type* withExtents(const Type* type, std::span<const std::int64_t> extents) const {
        if (types::isConcrete(type)) return type;
        if (type->is(types::TypeKind::Tensor))
            return run.code.types->tensor(type->element, {extents.begin(), extents.end()});
        const Type* result = types::innermost(type);
        for (std::size_t k = extents.size(); k-- > 0;)
            result = run.code.types->array(result, extents[k]);
        return result;
    }

    Value value(std::size_t k) const {
        const HostOperand& operand = op.operands[k];
        const Slot* slot = frame + operand.slot;
        if (!operand.isRef) return toValue(slot, operand.type);
        std::vector<std::int64_t> extents = ints(k + 1);
        extents.resize(extentsOf(operand));
        const Type* type = withExtents(operand.type, extents);
        run.charge(static_cast<std::uint64_t>(types::sizeOf(type)));
        return {type, std::string(reinterpret_cast<const char*>(slot->address),
                                  static_cast<std::size_t>(types::sizeOf(type)))};
    }

    /// The value that is enqueued. For a tensor the instruction only gives its memory.
    Value enqueued() const {
        if (!instr.type->is(types::TypeKind::Tensor)) return value(0);
        const Slot* slot = frame + op.operands[0].slot;
        const auto bytes = static_cast<std::size_t>(types::sizeOf(instr.type));
        run.charge(bytes);
        return {instr.type, std::string(reinterpret_cast<const char*>(slot->address), bytes)};
    }

    /// Operands that follow a ref and say its extents.
    static std::size_t extentsOf(const HostOperand& operand) {
        if (!operand.isRef || types::isConcrete(operand.type)) return 0;
        return static_cast<std::size_t>(types::rank(operand.type));
    }

    /// A dimension of a tensor may stay open.
    bool checkExtents(const Type* type, std::vector<std::int64_t>& extents) {
        for (std::int64_t& extent : extents) {
            if (type->is(TypeKind::Tensor) && extent == ir::kOpenExtent)
                extent = types::kDynamic;
            else if (extent < 0)
                return trap(Diag::BoundNegative, {std::to_string(extent)});
        }
        return true;
    }

    /// The extents an instruction gives a type, checked; none if the type is concrete.
    bool extentsFor(const Type* type, std::vector<std::int64_t>& extents) {
        extents = ints(0);
        const Type* inner = types::innermost(type);
        auto item = static_cast<std::uint64_t>(std::max<std::int64_t>(types::sizeOf(inner), 1));
        std::uint64_t most = std::min(run.memory.limits.arrayBytes, kLargestFrame) / item;
        if (extents.empty()) {
            std::uint64_t bytes = static_cast<std::uint64_t>(types::sizeOf(type));
            return bytes / item <= most || tooLarge(bytes / item, most);
        }
        if (!checkExtents(type, extents)) return false;
        std::uint64_t elements = 1;
        for (std::int64_t extent : extents) {
            if (extent == types::kDynamic) continue;
            if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(extent), &elements))
                elements = UINT64_MAX;
        }
        return elements <= most || tooLarge(elements, most);
    }

    bool tooLarge(std::uint64_t elements, std::uint64_t most) {
        return trap(Diag::ArrayTooLarge, {std::to_string(elements), std::to_string(most)});
    }

    // ---- tensors

    bool printTensor() {
        const Slot& slot = frame[op.operands[0].slot];
        const std::string text =
            op.operands[0].isRef
                ? types::toString(instr.type, slot.address)
                : types::toString(host.tensors().typeOf(slot.i), host.tensors().elementsOf(slot.i));
        host.print(text);
        run.charge(text.size());
        return true;
    }

    /// Checks a `require`. The trap has no name of the filter: its reporter fills that in.
    bool demand() { return number(0) != 0 || trap(Diag::TensorShape, {"", value(1).bytes}); }

    bool check() {
        if (number(0) != 0) return true;
        ir::BrokenRate broken = ir::brokenBy(op.body->checks[instr.index]);
        for (std::size_t k = 1; k <= static_cast<std::size_t>(broken.numbers); ++k)
            broken.words.push_back(std::to_string(frame[op.operands[k].slot].l));
        return trap(broken.id, std::move(broken.words));
    }

    std::string variableName() const {
        const auto& variables =
            instr.var.space == ir::Space::Local ? op.body->locals : run.code.stream->fields;
        return "'" + variables[instr.var.index].name + "'";
    }

    bool checkLoaded() {
        return frame[op.operands[0].slot].i != 0 ||
               trap(Diag::TensorShape, {variableName(), "it has no value yet"});
    }

    bool computeTensor() {
        std::vector<TensorOperand> operands;
        for (const HostOperand& operand : op.operands) {
            const Slot& slot = frame[operand.slot];
            const bool isTensor = operand.type->is(TypeKind::Tensor);
            operands.push_back(
                {operand.type, isTensor ? slot.i : 0,
                 operand.isRef ? slot.address : reinterpret_cast<const std::byte*>(&slot)});
        }
        Slot result;
        result.bits = 0;
        std::optional<Trap> trapped;
        const Outcome end =
            host.tensors().compute(instr, operands, reinterpret_cast<std::byte*>(&result), trapped);
        if (!passOn(std::move(trapped))) return false;
        run.outcome = end;
        frame[op.result] = result;
        return end == Outcome::Done;
    }

    bool declareTensor() {
        for (std::int64_t extent : op.declared->dims)
            if (extent < 0) return trap(Diag::BoundNegative, {std::to_string(extent)});
        frame[op.local].i = 0;
        return passOn(host.tensors().add(op.declared, frame[op.local].i));
    }

    bool checkStored() {
        const Type* type = host.tensors().typeOf(frame[op.operands[0].slot].i);
        if (types::compatible(op.declared, type)) return true;
        return trap(Diag::TensorShape,
                    {variableName(), "it is declared as " + types::toString(op.declared) +
                                         " and gets " + types::toString(type)});
    }

    /// A tensor that a native function takes or gives.
    bool viewOf(TensorHandle tensor, const Type* declared, std::list<TensorView>& views,
                std::vector<std::uint64_t>& args) {
        Tensors& tensors = host.tensors();
        const Type* type = tensors.typeOf(tensor);
        if (!types::compatible(declared, type))
            return trap(
                Diag::TensorShape,
                {"a native function", "an argument is declared as " + types::toString(declared) +
                                          " and gets " + types::toString(type)});
        const DLTensor* view = views.emplace_back(type, tensors.elementsOf(tensor)).get();
        args.push_back(reinterpret_cast<std::uint64_t>(view));
        return true;
    }

    // ---- declarations

    bool declare() {
        std::vector<std::int64_t> extents;
        if (instr.var.space == ir::Space::Field) return declareField(extents);
        if (instr.var.space == ir::Space::Global) return declareGlobal(extents);
        const Type* type = op.body->locals[instr.var.index].type;
        if (!extentsFor(type, extents)) return false;
        for (std::size_t k = 0; k < extents.size(); ++k)
            frame[op.extents + k].bits = static_cast<std::uint64_t>(extents[k]);
        auto bytes = static_cast<std::uint64_t>(types::sizeOf(withExtents(type, extents)));
        if (instr.var.index < op.body->params) return declareParameter(bytes);
        Slot& address = frame[op.local + kAddress];
        Slot& capacity = frame[op.local + kCapacity];
        if (bytes > capacity.bits || !address.address) {
            // Declared again and again in a loop, it soon has room enough.
            std::uint64_t room = std::max(bytes, 2 * capacity.bits);
            address.address = run.memory.array(room);
            if (!address.address)
                return trap(Diag::OutOfMemory, {arrayName(), std::to_string(bytes)});
            capacity.bits = room;
        }
        run.charge(bytes);
        std::memset(address.address, 0, bytes);
        return true;
    }

    /// Allocates an array parameter that has no memory of the caller: a default value whose size was not known before.
    bool declareParameter(std::uint64_t bytes) {
        Slot& address = frame[op.local];
        if (address.address) return true;
        address.address = run.memory.array(bytes);
        if (!address.address) return trap(Diag::OutOfMemory, {arrayName(), std::to_string(bytes)});
        run.charge(bytes);
        std::memset(address.address, 0, bytes);
        return true;
    }

    std::string arrayName() const {
        return "array '" + op.body->locals[instr.var.index].name + "'";
    }

    bool declareField(std::vector<std::int64_t>& extents) {
        const ir::Variable& field = run.code.stream->fields[instr.var.index];
        if (!extentsFor(field.type, extents)) return false;
        const Type* type = withExtents(field.type, extents);
        std::vector<std::byte>& state = run.instance.state;
        auto align = static_cast<std::uint64_t>(types::alignOf(type));
        const std::uint64_t before = state.size();
        std::uint64_t offset = (before + align - 1) / align * align;
        std::uint64_t size = offset + static_cast<std::uint64_t>(types::sizeOf(type));
        auto full = [&] {
            return trap(Diag::OutOfMemory, {"field '" + field.name + "'", std::to_string(size)});
        };
        if (size > run.memory.limits.totalBytes) return full();
        try {
            state.resize(size);
        } catch (const std::bad_alloc&) {
            return full();
        }
        Instance& instance = run.instance;
        std::size_t fields = run.code.stream->fields.size();
        instance.fieldTypes.resize(fields);
        instance.fieldOffsets.resize(fields);
        instance.fieldTypes[instr.var.index] = type;
        instance.fieldOffsets[instr.var.index] = static_cast<std::int64_t>(offset);
        run.charge(size - before);
        frame[kState].address = state.data();
        return true;
    }

    bool declareGlobal(std::vector<std::int64_t>& extents) {
        const Type* type = run.code.module->globals[instr.var.index].type;
        if (!extentsFor(type, extents)) return false;
        type = withExtents(type, extents);
        run.charge(static_cast<std::uint64_t>(types::sizeOf(type)));
        (*run.instance.globals)[instr.var.index] = Value::zero(type);
        return true;
    }

    // ---- elaboration

    bool create() {
        const ir::Create& create = op.body->creates[instr.index];
        std::vector<std::optional<Value>> args;
        for (std::uint32_t position : create.args)
            args.push_back(position == ir::kNone ? std::nullopt
                                                 : std::optional<Value>(value(position)));
        std::vector<std::int32_t> portals;
        for (std::uint32_t position : create.portals) portals.push_back(number(position));
        const Type* typeArgument = create.typeArgument;
        if (create.typeExtents != 0) {
            std::vector<std::int64_t> extents = ints(0);
            extents.resize(create.typeExtents);
            if (!checkExtents(typeArgument, extents)) return false;
            typeArgument = withExtents(typeArgument, extents);
        }
        std::vector<Value> seen;
        for (const ir::Create::Seen& each : create.seen) seen.push_back(value(each.operand));
        if (!seen.empty()) host.see(create, seen);
        return passOn(host.create(create, typeArgument, args, portals, instr.range));
    }

    bool rate() {
        const ir::RateClause& clause = op.body->rates[instr.index];
        std::size_t next = 0;
        auto take = [&](bool there) {
            return there ? std::optional<std::int64_t>(number(next++)) : std::nullopt;
        };
        auto min = take(!clause.dynamic || clause.hasMin);
        auto average = take(clause.dynamic && clause.hasAverage);
        auto max = take(clause.dynamic && clause.hasMax);
        host.rate(clause, min, average, max, instr.range);
        return true;
    }

    bool itemType() {
        const ir::StreamCode& stream = *run.code.stream;
        const Type* declared = instr.index == 0 ? stream.input : stream.output;
        std::vector<std::int64_t> extents;
        if (!extentsFor(declared, extents)) return false;
        const Type* type = withExtents(declared, extents);
        run.instance.itemTypes[instr.index] = type;
        host.itemType(static_cast<int>(instr.index), type);
        return true;
    }

    // ---- messages, natives, files

    bool send() {
        const ir::Send& send = op.body->sends[instr.index];
        std::size_t next = 1;
        std::optional<std::int64_t> latency;
        if (send.hasLatency) latency = number(next++);
        std::vector<Value> args;
        for (; next < op.operands.size(); next += 1 + extentsOf(op.operands[next]))
            args.push_back(value(next));
        return passOn(host.send(number(0), send, latency, args, instr.range));
    }

    bool passOn(std::optional<Trap> trapped) {
        if (!trapped) return true;
        run.outcome = Outcome::Trapped;
        run.machine.trap = std::move(trapped);
        if (!run.machine.trap->range.valid()) run.machine.trap->range = instr.range;
        return false;
    }

    bool callNative() {
        const ir::Native& native = run.code.module->natives[instr.callee.index];
        std::vector<std::uint64_t> args;
        std::list<TensorView> views;
        for (const HostOperand& operand : op.operands) {
            Slot slot = frame[operand.slot];
            if (operand.type->is(TypeKind::Tensor) && !operand.isRef) {
                if (!viewOf(slot.i, native.params[args.size()], views, args)) return false;
                continue;
            }
            if (operand.type->is(TypeKind::Tensor)) {
                const DLTensor* view = views.emplace_back(operand.type, slot.address).get();
                args.push_back(reinterpret_cast<std::uint64_t>(view));
                continue;
            }
            if (operand.isRef || !operand.type->is(TypeKind::String)) {
                args.push_back(slot.bits);
                continue;
            }
            static const std::string empty;
            args.push_back(
                reinterpret_cast<std::uint64_t>((slot.text ? *slot.text : empty).c_str()));
        }
        // Its memory comes last; where shapes were known before the run, it is among the operands.
        const bool givesTensor =
            native.result && native.result->is(TypeKind::Tensor) && instr.result != ir::kNone;
        TensorHandle made = 0;
        if (givesTensor && !types::isConcrete(native.result))
            return trap(Diag::TensorShape, {"a native function",
                                            "its declaration leaves the shape of its result open"});
        if (givesTensor && (!passOn(host.tensors().add(native.result, made)) ||
                            !viewOf(made, native.result, views, args)))
            return false;
        std::uint64_t result = 0;
        if (!passOn(host.callNative(native, args, result))) return false;
        Slot& to = frame[op.result];
        to.bits = result;
        if (givesTensor) to.i = made;
        if (givesTensor || !native.result || instr.result == ir::kNone) return true;
        if (native.result->is(TypeKind::Boolean) || native.result->is(TypeKind::Bit))
            to.i = (result & 0xff) != 0;
        if (native.result->is(TypeKind::String)) {
            to.text = run.memory.string(reinterpret_cast<const char*>(result));
            run.charge(to.text->size());
        }
        return true;
    }

    bool readArray() {
        std::string name = value(1).bytes;
        auto text = host.readFile(name, instr.range);
        if (!text) return trap(Diag::ArrayFileMissing, {name, text.error()});
        run.charge(text->size());
        const Type* type = types::innermost(op.operands[0].type);
        std::byte* to = frame[op.operands[0].slot].address;
        std::int64_t needed = number(2), found = 0, line = 0;
        std::string_view rest = *text;
        while (!rest.empty()) {
            ++line;
            std::size_t end = rest.find('\n');
            std::string_view word = trimmed(rest.substr(0, end));
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
            if (word.empty()) continue;
            if (found++ >= needed) continue;
            if (!readNumber(word, type, to))
                return trap(Diag::ArrayFileMalformed,
                            {std::to_string(line), name, types::toString(type)});
            to += 4;
        }
        run.fuel -= found;
        if (found < needed)
            return trap(Diag::ArrayFileShort,
                        {name, std::to_string(found), std::to_string(needed)});
        if (found > needed)
            host.warn({Diag::ArrayFileLong, instr.range, {name, std::to_string(needed)}});
        return true;
    }

    bool refuse(const base::Failure& failure) {
        return passOn(Trap{failure.id, instr.range, failure.args});
    }

    bool fileNumber() {
        const auto told = host.fileNumber(ir::FileQuestion::at(instr.index), value(0).bytes,
                                          number(1), instr.range);
        if (!told) return refuse(told.failure());
        frame[op.result].i = *told;
        return true;
    }

    bool readItems() {
        const std::size_t file = op.operands.size() - 2;
        const auto items = host.readItems(ir::FileQuestion::at(instr.index), value(file).bytes,
                                          number(file + 1), instr.range);
        if (!items) return refuse(items.failure());
        run.charge(items->size());
        std::memcpy(frame[op.operands[0].slot].address, items->data(), items->size());
        return true;
    }

    static std::string_view trimmed(std::string_view word) {
        constexpr std::string_view kBlanks = " \t\r\f\v";
        std::size_t from = word.find_first_not_of(kBlanks);
        if (from == std::string_view::npos) return {};
        return word.substr(from, word.find_last_not_of(kBlanks) - from + 1);
    }

    template <typename T>
    static bool parse(std::string_view word, std::byte* to) {
        T number{};
        if (word.starts_with('+')) word.remove_prefix(1);
        auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc() || end != word.data() + word.size()) return false;
        std::memcpy(to, &number, sizeof number);
        return true;
    }

    static bool readNumber(std::string_view word, const Type* type, std::byte* to) {
        return type->is(TypeKind::Int) ? parse<std::int32_t>(word, to) : parse<float>(word, to);
    }

    Run& run;
    const std::uint32_t* at;
    Slot* frame;
    const HostOp& op;
    const Instr& instr;
    eval::Host& host;
};

}  // namespace

bool Run::host(const std::uint32_t* at, Slot* frame, const HostOp& op) {
    leave();
    expose(frame);
    bool goesOn = HostCall(*this, at, frame, op).execute();
    enter();
    return goesOn && hasFuel(at, frame);
}

}  // namespace strc::eval
