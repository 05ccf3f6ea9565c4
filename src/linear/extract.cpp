#include "linear/detail/extract.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/assert.h"
#include "ir/calls.h"
#include "ir/fold_op.h"

namespace strc::linear {
namespace {

using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TypeKind;
using types::Value;

constexpr std::int64_t kTermsOfStep = 64;  ///< terms that a sum goes over in the time of a step
constexpr int kMostCalls = 16;

/// Ends the run with the reason why the filter is not linear.
struct Refusal {
    std::string why;
};

[[noreturn]] void refuse(std::string why) { throw Refusal{std::move(why)}; }

/// A scalar: known, or a sum of items. Complex numbers are always the latter.
struct Scalar {
    Value value;
    std::shared_ptr<const Affine> affine;
    bool isKnown() const { return !affine; }
};

/// Where an aggregate lies: scalars by the byte at which they begin. What is not there is what `initial` has,
/// or zero.
struct Memory {
    std::map<std::int64_t, Scalar> cells;
    const char* initial = nullptr;
    std::int64_t size = 0;
    bool isConstant = false;
};

struct Ref {
    Memory* memory = nullptr;
    std::int64_t offset = 0;
};

enum class Flow : std::uint8_t { On, Break, Continue, Return };

/// One activation of a body.
struct Frame {
    explicit Frame(const Body& code)
        : body(code),
          regs(code.regs.size()),
          refs(code.regs.size()),
          scalars(code.locals.size()),
          memories(code.locals.size()),
          passed(code.locals.size()) {}

    const Body& body;
    std::vector<Scalar> regs;
    std::vector<Ref> refs;
    std::vector<Scalar> scalars;  ///< locals
    std::vector<Memory> memories;
    std::vector<Ref> passed;  ///< aggregate parameters
    Scalar yielded, returned;
};

class Runner {
public:
    Runner(const ir::Module& program, const elab::Kernel& filter, const std::string& fields,
           const Type* items, std::int64_t most)
        : module(program),
          kernel(filter),
          state(fields),
          type(items),
          domain(domainOf(items)),
          mostSteps(most) {}

    Form run() {
        Frame frame(*kernel.code.work);
        block(frame, frame.body.entry);
        const graph::Rates& rates = kernel.work;
        if (popped != rates.pop.max || static_cast<std::int64_t>(rows.size()) != rates.push.max ||
            looked > rates.peek.max)
            refuse("it does not keep its rates");
        return {type, rates.pop.max, std::max(rates.peek.max, rates.pop.max), std::move(rows)};
    }

    std::int64_t stepsTaken() const { return steps; }

private:
    // ---- control

    Flow block(Frame& frame, ir::BlockId id) {
        if (id == ir::kNone) return Flow::On;
        for (const Instr& instr : frame.body.blocks[id].instrs) {
            take(1);
            const Flow flow = step(frame, instr);
            if (flow != Flow::On) return flow;
        }
        return Flow::On;
    }

    void take(std::int64_t more) {
        steps += more;
        if (steps > mostSteps) refuse("it takes too many steps");
    }

    Flow step(Frame& frame, const Instr& i) {
        switch (i.op) {
            case Op::If: return branch(frame, i);
            case Op::Loop: return loop(frame, i);
            case Op::Yield: frame.yielded = frame.regs[i.operands[0]]; return Flow::On;
            case Op::Break: return Flow::Break;
            case Op::Continue: return Flow::Continue;
            case Op::Return:
                if (!i.operands.empty()) frame.returned = frame.regs[i.operands[0]];
                return Flow::Return;
            case Op::Call: call(frame, i); return Flow::On;
            default: break;
        }
        if (!tape(frame, i) && !variable(frame, i) && !memory(frame, i)) compute(frame, i);
        return Flow::On;
    }

    static bool isTrue(const Scalar& condition) {
        if (!condition.isKnown()) refuse("a condition depends on items");
        return condition.value.bytes[0] != 0;
    }

    Flow branch(Frame& frame, const Instr& i) {
        const Flow flow = block(frame, i.blocks[isTrue(frame.regs[i.operands[0]]) ? 0 : 1]);
        if (i.result != ir::kNone) frame.regs[i.result] = frame.yielded;
        return flow;
    }

    Flow loop(Frame& frame, const Instr& i) {
        for (bool isTested = !i.flag;; isTested = true) {
            if (isTested) {
                block(frame, i.blocks[0]);
                if (!isTrue(frame.yielded)) return Flow::On;
            }
            const Flow flow = block(frame, i.blocks[1]);
            if (flow == Flow::Break) return Flow::On;
            if (flow == Flow::Return) return flow;
            block(frame, i.blocks[2]);
        }
    }

    void call(Frame& frame, const Instr& i) {
        if (!i.callee.hasBody()) refuse("it calls what is no part of its code");
        if (calls == kMostCalls) refuse("its calls are nested too deep");
        const Body& body = ir::calleeBody(module, kernel.code, i.callee);
        Frame inner(body);
        for (std::size_t k = 0; k < i.operands.size(); ++k) {
            if (k >= body.params) refuse("an array has no fixed size");
            if (frame.body.regs[i.operands[k]].ref)
                inner.passed[k] = frame.refs[i.operands[k]];
            else
                inner.scalars[k] = frame.regs[i.operands[k]];
        }
        ++calls;
        block(inner, body.entry);
        --calls;
        if (i.result != ir::kNone) frame.regs[i.result] = inner.returned;
    }

    // ---- tapes

    std::int64_t known(const Frame& frame, Reg reg) const {
        if (!frame.regs[reg].isKnown()) refuse("an index depends on items");
        return frame.regs[reg].value.toInt();
    }

    Scalar itemAt(std::int64_t offset) {
        looked = std::max(looked, offset + 1);
        return {{}, std::make_shared<const Affine>(Affine{{{offset, {1, 0}}}, {}})};
    }

    bool tape(Frame& frame, const Instr& i) {
        switch (i.op) {
            case Op::Pop: frame.regs[i.result] = itemAt(popped++); return true;
            case Op::Discard: looked = std::max(looked, ++popped); return true;
            case Op::Peek: {
                const std::int64_t offset = known(frame, i.operands[0]);
                if (offset < 0) refuse("it looks at items that are gone");
                frame.regs[i.result] = itemAt(popped + offset);
                return true;
            }
            case Op::Push: rows.push_back(*affineOf(frame.regs[i.operands[0]])); return true;
            default: return false;
        }
    }

    // ---- variables and memory

    bool variable(Frame& frame, const Instr& i) {
        switch (i.op) {
            case Op::Load: load(frame, i); return true;
            case Op::Store:
                if (i.var.space != Space::Local) refuse("it has state");
                frame.scalars[i.var.index] = frame.regs[i.operands[0]];
                return true;
            case Op::Declare: declare(frame, i); return true;
            case Op::Addr: frame.refs[i.result] = addressOf(frame, i); return true;
            case Op::Const:
                if (i.type->isAggregate())
                    frame.refs[i.result] = {constantMemory(i.value.bytes), 0};
                else
                    frame.regs[i.result] = scalar(i.type, i.value.bytes.data());
                return true;
            default: return false;
        }
    }

    void load(Frame& frame, const Instr& i) {
        Scalar& result = frame.regs[i.result];
        if (i.var.space == Space::Local) {
            result = frame.scalars[i.var.index];
            if (result.isKnown() && !result.value.type) result = zero(i.type);
            return;
        }
        const Ref at = shared(i.var);
        result = scalar(i.type, at.memory->initial + at.offset);
    }

    static void declare(Frame& frame, const Instr& i) {
        if (i.var.space != Space::Local || !i.operands.empty())
            refuse("an array has no fixed size");
        const Type* type = frame.body.locals[i.var.index].type;
        if (!types::isConcrete(type)) refuse("an array has no fixed size");
        frame.scalars[i.var.index] = {};
        frame.memories[i.var.index] = {{}, nullptr, types::sizeOf(type), false};
    }

    Ref addressOf(Frame& frame, const Instr& i) {
        if (i.var.space != Space::Local) return shared(i.var);
        if (frame.passed[i.var.index].memory) return frame.passed[i.var.index];
        Memory& memory = frame.memories[i.var.index];
        if (memory.size == 0) memory.size = types::sizeOf(frame.body.locals[i.var.index].type);
        return {&memory, 0};
    }

    /// A field, constant or global: nothing writes to them.
    Ref shared(ir::VarRef var) {
        switch (var.space) {
            case Space::Field:
                if (var.index >= kernel.fieldOffsets.size()) refuse("an array has no fixed size");
                return {constantMemory(state), kernel.fieldOffsets[var.index]};
            case Space::Constant:
                if (kernel.code.openSlot(var.index) != ir::kNone)
                    refuse("a parameter has no value yet");
                return {constantMemory(kernel.constants[var.index].bytes), 0};
            case Space::Global: return {constantMemory(module.globalValues[var.index].bytes), 0};
            case Space::Stored: {
                const ir::StoredArray& array = kernel.code.stored[var.index];
                return {constantMemory(reinterpret_cast<const char*>(array.bytes.get()),
                                       types::sizeOf(array.type)),
                        0};
            }
            default: refuse("it asks for the size of items");
        }
    }

    Memory* constantMemory(const std::string& bytes) {
        return constantMemory(bytes.data(), static_cast<std::int64_t>(bytes.size()));
    }
    Memory* constantMemory(const char* bytes, std::int64_t size) {
        std::unique_ptr<Memory>& made = constants[bytes];
        if (!made) made = std::make_unique<Memory>(Memory{{}, bytes, size, true});
        return made.get();
    }

    bool memory(Frame& frame, const Instr& i) {
        switch (i.op) {
            case Op::Elem: frame.refs[i.result] = element(frame, i); return true;
            case Op::Member: {
                Ref ref = frame.refs[i.operands[0]];
                const Type* type = frame.body.regs[i.operands[0]].type;
                ref.offset += type->structure->fields[i.index].offset;
                frame.refs[i.result] = ref;
                return true;
            }
            case Op::LoadAt: {
                const Ref from = frame.refs[i.operands[0]];
                frame.regs[i.result] = read(*from.memory, from.offset, i.type);
                return true;
            }
            case Op::StoreAt:
                write(frame.refs[i.operands[0]], frame.regs[i.operands[1]]);
                return true;
            case Op::Copy: copy(frame, i); return true;
            case Op::Zero: {
                if (i.operands.size() > 1) refuse("an array has no fixed size");
                const Ref to = frame.refs[i.operands[0]];
                erase(to, types::sizeOf(frame.body.regs[i.operands[0]].type));
                return true;
            }
            default: return false;
        }
    }

    Ref element(const Frame& frame, const Instr& i) const {
        if (i.operands.size() > 3) refuse("an array has no fixed size");
        const std::int64_t index = known(frame, i.operands[1]);
        if (index < 0 || index >= known(frame, i.operands[2]))
            refuse("an index is outside its array");
        Ref ref = frame.refs[i.operands[0]];
        ref.offset += index * types::sizeOf(frame.body.regs[i.result].type);
        return ref;
    }

    Scalar read(const Memory& from, std::int64_t offset, const Type* of) const {
        if (auto cell = from.cells.find(offset); cell != from.cells.end()) return cell->second;
        return from.initial ? scalar(of, from.initial + offset) : zero(of);
    }

    static void write(Ref to, const Scalar& value) {
        if (to.memory->isConstant) refuse("it has state");
        to.memory->cells[to.offset] = value;
    }

    static void erase(Ref to, std::int64_t bytes) {
        if (to.memory->isConstant) refuse("it has state");
        auto& cells = to.memory->cells;
        cells.erase(cells.lower_bound(to.offset), cells.lower_bound(to.offset + bytes));
    }

    void copy(Frame& frame, const Instr& i) {
        if (i.operands.size() > 2) refuse("an array has no fixed size");
        const Ref to = frame.refs[i.operands[0]], from = frame.refs[i.operands[1]];
        const Type* of = frame.body.regs[i.operands[0]].type;
        if (types::innermost(of)->is(TypeKind::Struct)) refuse("it copies structs");
        const std::int64_t bytes = types::sizeOf(of), each = types::sizeOf(types::innermost(of));
        std::vector<Scalar> values;
        for (std::int64_t at = 0; at < bytes; at += each)
            values.push_back(read(*from.memory, from.offset + at, types::innermost(of)));
        take(bytes / each);
        for (std::int64_t at = 0; at < bytes; at += each)
            write({to.memory, to.offset + at}, values[static_cast<std::size_t>(at / each)]);
    }

    // ---- arithmetic

    Scalar scalar(const Type* of, const char* bytes) const {
        if (of->is(TypeKind::Complex)) {
            float parts[2];
            std::memcpy(parts, bytes, sizeof parts);
            return {{}, std::make_shared<const Affine>(Affine{{}, {parts[0], parts[1]}})};
        }
        return {{of, std::string(bytes, static_cast<std::size_t>(types::sizeOf(of)))}, nullptr};
    }

    Scalar zero(const Type* of) const {
        return of->is(TypeKind::Complex) ? Scalar{{}, std::make_shared<const Affine>()}
                                         : Scalar{Value::zero(of), nullptr};
    }

    std::shared_ptr<const Affine> affineOf(const Scalar& from) const {
        if (from.affine) return from.affine;
        Affine constant;
        switch (from.value.type->kind) {
            case TypeKind::Float: constant.constant.re = from.value.as<float>(); break;
            case TypeKind::Double: constant.constant.re = from.value.as<double>(); break;
            case TypeKind::Bit:
            case TypeKind::Int:
                constant.constant.re = static_cast<double>(from.value.toInt());
                break;
            default: refuse("it makes items of values that are not numbers");
        }
        return std::make_shared<const Affine>(constant);
    }

    void compute(Frame& frame, const Instr& i) {
        if (ir::info(i.op).effects != ir::Effects::Pure) refuse("it has effects");
        const bool allKnown = std::all_of(i.operands.begin(), i.operands.end(), [&](Reg reg) {
            return !frame.body.regs[reg].ref && frame.regs[reg].isKnown();
        });
        if (allKnown && foldKnown(frame, i)) return;
        frame.regs[i.result] = {{}, std::make_shared<const Affine>(sum(frame, i))};
    }

    static bool foldKnown(Frame& frame, const Instr& i) {
        std::vector<const Value*> values;
        for (Reg reg : i.operands) values.push_back(&frame.regs[reg].value);
        if (i.op >= Op::Eq && i.op <= Op::Ge) {
            const auto holds = ir::foldCompare(i, *values[0], *values[1]);
            if (!holds) refuse("it compares what has no order");
            frame.regs[i.result] = {
                Value::of(frame.body.regs[i.result].type, static_cast<std::uint8_t>(*holds)),
                nullptr};
            return true;
        }
        auto folded = ir::foldOp(i, values);
        if (!folded) return false;
        frame.regs[i.result] = {std::move(*folded), nullptr};
        return true;
    }

    /// An operation one of whose operands depends on items, or is complex.
    Affine sum(const Frame& frame, const Instr& i) {
        auto operand = [&](std::size_t k) { return affineOf(frame.regs[i.operands[k]]); };
        Affine result;
        switch (i.op) {
            case Op::Add:
            case Op::Sub:
                checkKind(i.type);
                addUp(result, *operand(0), {1, 0});
                addUp(result, *operand(1), {i.op == Op::Add ? 1.0 : -1.0, 0});
                return result;
            case Op::Neg:
            case Op::Not:
                checkKind(i.type);
                addUp(result, *operand(0), {-1, 0});
                if (i.op == Op::Not) result.constant = add(domain, result.constant, {-1, 0});
                return result;
            case Op::Mul: {
                checkKind(i.type);
                auto left = operand(0), right = operand(1);
                if (!left->terms.empty() && !right->terms.empty())
                    refuse("it multiplies items with items");
                if (left->terms.empty()) std::swap(left, right);
                addUp(result, *left, right->constant);
                return result;
            }
            case Op::Div:
            case Op::Shl: checkKind(i.type); return scaled(*operand(0), *operand(1), i);
            case Op::Convert: return converted(*operand(0), i);
            case Op::Make:
                if (domain != Domain::Complex || i.operands.size() != 2 ||
                    !i.type->is(TypeKind::Complex))
                    break;
                return {{}, {constantOf(*operand(0)).re, constantOf(*operand(1)).re}};
            default: break;
        }
        refuse("it computes something else than sums of items");
    }

    static Number constantOf(const Affine& affine) {
        if (!affine.terms.empty()) refuse("it computes something else than sums of items");
        return affine.constant;
    }

    /// Sums are of the items' kind, so that rounding and wrapping are what is expected.
    void checkKind(const Type* of) const {
        const bool isReal = of->is(TypeKind::Float) || of->is(TypeKind::Double);
        const bool isSame = domain == Domain::Real ? isReal : of == type;
        if (!isSame) refuse("it computes with other types than that of its items");
    }

    void addUp(Affine& to, const Affine& what, Number factor) {
        take(static_cast<std::int64_t>(to.terms.size() + what.terms.size()) / kTermsOfStep);
        addTo(domain, to, what, factor);
    }

    Affine scaled(const Affine& what, const Affine& by, const Instr& i) {
        if (!by.terms.empty()) refuse("it divides by items");
        const Number factor = by.constant;
        Affine result;
        if (i.op == Op::Shl && domain == Domain::Int) {
            const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(factor.re)) & 31;
            addUp(result, what, {static_cast<double>(static_cast<std::int32_t>(1u << bits)), 0});
            return result;
        }
        if (i.op == Op::Shl || domain == Domain::Int) refuse("it divides ints");
        const double square = factor.re * factor.re + factor.im * factor.im;
        if (square == 0) refuse("it divides by zero");
        addUp(result, what, {factor.re / square, -factor.im / square});
        return result;
    }

    /// From float to double and back, and of numbers to complex ones.
    Affine converted(const Affine& what, const Instr& i) const {
        const bool toReal = i.type->is(TypeKind::Float) || i.type->is(TypeKind::Double);
        if (domain == Domain::Real && toReal) return what;
        if (domain == Domain::Complex && i.type->is(TypeKind::Complex)) return what;
        refuse("it converts items");
    }

    const ir::Module& module;
    const elab::Kernel& kernel;
    const std::string& state;
    const Type* type;
    Domain domain;
    std::map<const char*, std::unique_ptr<Memory>> constants;
    std::vector<Affine> rows;
    std::int64_t popped = 0, looked = 0;
    std::int64_t steps = 0;
    const std::int64_t mostSteps;
    int calls = 0;
};

bool hasDomain(const Type* type, bool floats) {
    if (!type) return false;
    switch (type->kind) {
        case TypeKind::Int: return true;
        case TypeKind::Float:
        case TypeKind::Double:
        case TypeKind::Complex: return floats;
        default: return false;
    }
}

std::string whyNotLooked(const graph::Node& node, const elab::Kernel& kernel, bool floats) {
    if (!kernel.input || !kernel.output || kernel.input != kernel.output)
        return "what it takes is of another type than what it gives";
    if (!hasDomain(kernel.input, floats))
        return hasDomain(kernel.input, true) ? "sums of floats keep their order without --fast-math"
                                             : "its items are no numbers";
    if (node.effects != graph::kNoEffect) return "it has effects";
    if (kernel.prework) return "it has a prework";
    if (kernel.work.isDynamic()) return "it has dynamic rates";
    if (kernel.code.startsLate) return "it is initialised when the program starts";
    if (kernel.work.pop.max == 0 || kernel.work.push.max == 0) return "it takes or gives nothing";
    return {};
}

}  // namespace

Extraction extract(const ir::Module& module, const elab::Elaboration& program, graph::NodeId node,
                   bool floats, std::int64_t mostSteps) {
    const elab::Kernel& kernel = program.kernels[program.graph.nodes[node].kernel];
    if (std::string why = whyNotLooked(program.graph.nodes[node], kernel, floats); !why.empty())
        return {std::nullopt, why, 0};
    if (kernel.builtin == ir::BuiltinStream::Identity)
        return {Form{kernel.input, 1, 1, {Affine{{{0, {1, 0}}}, {}}}}, {}, 0};
    if (kernel.builtin != ir::BuiltinStream::None || !kernel.code.work)
        return {std::nullopt, "it is built in", 0};
    static const std::string none;
    const std::string& state = program.states[node] ? *program.states[node] : none;
    Runner runner(module, kernel, state, kernel.input, mostSteps);
    Extraction found;
    try {
        found.form = runner.run();
    } catch (const Refusal& refusal) {
        found.whyNot = refusal.why;
    }
    found.steps = runner.stepsTaken();
    return found;
}

}  // namespace strc::linear
