// Random bodies, run by the evaluator and by a walk over the instructions that keeps every register:
// folding loads, stores, indices and branches away must not show.

#include <random>

#include "unit/eval/fixture.h"

namespace strc::eval {
namespace {

using ir::Instr;
using ir::Op;

/// Walks the IR of the bodies made below, instruction by instruction.
class Walker {
public:
    Walker(const ir::Body& body, std::vector<std::int32_t> input)
        : body(body), regs(body.regs.size()), locals(body.locals.size()), input(std::move(input)) {}

    std::string run() {
        block(body.entry);
        return printed;
    }

private:
    enum class Exit { Next, Break, Continue };

    Exit block(ir::BlockId id) {
        if (id == ir::kNone) return Exit::Next;
        for (const Instr& instr : body.blocks[id].instrs)
            if (Exit exit = step(instr); exit != Exit::Next) return exit;
        return Exit::Next;
    }

    Exit step(const Instr& i) {
        auto a = [&](int k) { return regs[i.operands[static_cast<std::size_t>(k)]]; };
        auto ua = [&](int k) { return static_cast<std::uint32_t>(a(k)); };
        std::int64_t result = 0;
        switch (i.op) {
            case Op::Declare: break;  // only at the begin
            case Op::Const: result = i.value.toInt(); break;
            case Op::Load: result = locals[i.var.index]; break;
            case Op::Store: locals[i.var.index] = static_cast<std::int32_t>(a(0)); break;
            case Op::Addr: result = i.var.index; break;
            case Op::Elem: result = a(0) * 100 + a(1); break;
            case Op::LoadAt: result = memory[a(0)]; break;
            case Op::StoreAt: memory[a(0)] = static_cast<std::int32_t>(a(1)); break;
            case Op::Add: result = static_cast<std::int32_t>(ua(0) + ua(1)); break;
            case Op::Sub: result = static_cast<std::int32_t>(ua(0) - ua(1)); break;
            case Op::Mul: result = static_cast<std::int32_t>(ua(0) * ua(1)); break;
            case Op::And: result = a(0) & a(1); break;
            case Op::Shl: result = static_cast<std::int32_t>(ua(0) << (a(1) & 31)); break;
            case Op::Lt: result = a(0) < a(1); break;
            case Op::Ge: result = a(0) >= a(1); break;
            case Op::Eq: result = a(0) == a(1); break;
            case Op::Not: result = !a(0); break;
            case Op::Peek: result = input[static_cast<std::size_t>(a(0))]; break;
            case Op::Print: printed += std::to_string(a(0)) + ' '; break;
            case Op::Yield: yielded = a(0); break;
            case Op::Break: return Exit::Break;
            case Op::Continue: return Exit::Continue;
            case Op::If: {
                Exit exit = block(i.blocks[a(0) ? 0 : 1]);
                if (exit != Exit::Next) return exit;
                result = yielded;
                break;
            }
            case Op::Loop: loop(i); break;
            default: ADD_FAILURE() << "an operation that is not made here";
        }
        if (i.result != ir::kNone) regs[i.result] = result;
        return Exit::Next;
    }

    void loop(const Instr& i) {
        for (bool first = i.flag;; first = false) {
            if (!first) {
                block(i.blocks[0]);
                if (!yielded) return;
            }
            if (block(i.blocks[1]) == Exit::Break) return;
            block(i.blocks[2]);
        }
    }

    const ir::Body& body;
    std::vector<std::int64_t> regs;
    std::vector<std::int32_t> locals;
    std::map<std::int64_t, std::int32_t> memory;
    std::vector<std::int32_t> input;
    std::int64_t yielded = 0;
    std::string printed;
};

/// Text of a work body over four ints, an array of 8 and one of 4 by 4; all loops end.
class Maker {
public:
    explicit Maker(unsigned seed) : random(seed) {}

    std::string make() {
        text =
            "local v0: int local v1: int local v2: int local v3: int local c0: int local c1: int "
            "local c2: int "
            "local a: int[8] local m: int[4][4] ";
        for (int k = 0; k < 4; ++k) text += "declare<int> local v" + std::to_string(k) + " ";
        text += "declare<int[8]> local a declare<int[4][4]> local m ";
        statements(12);
        for (int k = 0; k < 4; ++k) show(load(k));
        for (int k = 0; k < 8; ++k) show(at("a", literal(k)));
        return text;
    }

private:
    using Name = std::string;

    int pick(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    Name fresh() { return "%" + std::to_string(next++); }
    Name op(const std::string& type, const std::string& rest) {
        Name name = fresh();
        text += name + ": " + type + " = " + rest + " ";
        return name;
    }
    Name literal(int value) { return op("int", "const " + std::to_string(value)); }
    Name load(int k) { return op("int", "load local v" + std::to_string(k)); }
    void show(const Name& value) { text += "print<int> " + value + " "; }
    void store(int k, const Name& value) {
        text += "store<int> local v" + std::to_string(k) + ", " + value + " ";
    }

    Name element(const std::string& array, const Name& index) {
        Name base = op("ref int[8]", "addr local " + array);
        Name extent = literal(8);
        return op("ref int", "elem " + base + ", " + index + ", " + extent);
    }
    Name element2(const Name& i, const Name& j) {
        Name base = op("ref int[4][4]", "addr local m");
        Name extent = literal(4);
        Name row = op("ref int[4]", "elem " + base + ", " + i + ", " + extent);
        return op("ref int", "elem " + row + ", " + j + ", " + extent);
    }
    Name at(const std::string& array, const Name& index) {
        return op("int", "load.at " + element(array, index));
    }

    /// Something within [0, n), n a power of two, often written as a sum.
    Name index(int n) {
        if (pick(4) == 0) return literal(pick(n));
        Name low = op("int", "and " + value(1) + ", " + literal(n / 2 - 1));
        switch (pick(3)) {
            case 0: return low;
            case 1: return op("int", "add " + low + ", " + literal(n / 2));
            default:
                return op("int", "add " + low + ", " +
                                     op("int", "and " + value(1) + ", " + literal(n / 2)));
        }
    }

    Name value(int depth) {
        if (depth <= 0) return pick(2) ? load(pick(4)) : literal(pick(9) - 4);
        static const char* const ops[] = {"add", "sub", "mul", "and", "add"};
        switch (pick(9)) {
            case 0: return at("a", index(8));
            case 1: {
                Name i = index(4);
                return op("int", "load.at " + element2(i, index(4)));
            }
            case 2: return op("int", "peek " + index(8));
            case 3: return choice(depth);
            case 4: return op("int", "shl " + value(depth - 1) + ", " + literal(pick(4)));
            case 5: {  // an old value that is used after a change
                int k = pick(4);
                Name old = load(k);
                store(k, op("int", "add " + old + ", " + literal(1)));
                return op("int", "add " + old + ", " + value(depth - 1));
            }
            default: {
                Name left = value(depth - 1);
                return op("int", std::string(ops[pick(5)]) + " " + left + ", " + value(depth - 1));
            }
        }
    }

    Name condition(int depth) {
        static const char* const ops[] = {"lt", "ge", "eq"};
        Name left = value(1);
        Name simple = op("boolean", std::string(ops[pick(3)]) + "<int> " + left + ", " + value(1));
        if (depth == 0 || pick(2)) return pick(3) ? simple : op("boolean", "not " + simple);
        bool isAnd = pick(2);
        Name result = fresh();
        text += result + ": boolean = if " + simple + " { ";
        branch(isAnd, "true", depth);
        text += "} else { ";
        branch(!isAnd, "false", depth);
        text += "} ";
        return pick(3)
                   ? result
                   : op("boolean", "eq<boolean> " + result + ", " + op("boolean", "const false"));
    }
    void branch(bool computes, const char* constant, int depth) {
        Name yielded =
            computes ? condition(depth - 1) : op("boolean", std::string("const ") + constant);
        text += "yield<boolean> " + yielded + " ";
    }

    Name choice(int depth) {
        Name decided = condition(1);
        Name result = fresh();
        text += result + ": int = if " + decided + " { ";
        text += "yield<int> " + value(depth - 1) + " } else { ";
        text += "yield<int> " + value(depth - 1) + " } ";
        return result;
    }

    // The argument is evaluated after its surroundings have been written, as text grows in order.
    void statements(int count) {
        for (int k = 0; k < count; ++k) statement();
    }

    void statement() {
        switch (pick(8)) {
            case 0: {
                Name place = element("a", index(8));
                text += "store.at<int> " + place + ", " + value(2) + " ";
                return;
            }
            case 1: {
                Name i = index(4);
                Name place = element2(i, index(4));
                text += "store.at<int> " + place + ", " + value(2) + " ";
                return;
            }
            case 2: show(value(2)); return;
            case 3: {
                if (depth > 3) return;
                ++depth;
                text += "if " + condition(2) + " { ";
                statements(2);
                if (loops > 0 && pick(4) == 0) text += pick(2) ? "break " : "continue ";
                text += "} else { ";
                statements(pick(3));
                text += "} ";
                --depth;
                return;
            }
            case 4: loop(); return;
            default: store(pick(4), value(3)); return;
        }
    }

    void loop() {
        if (loops == 3) return;
        std::string counter = "c" + std::to_string(loops++);
        int depthBefore = std::exchange(depth, depth + 1);
        bool isDo = pick(4) == 0;
        Name zero = literal(0);
        text += "store<int> local " + counter + ", " + zero + " loop " + (isDo ? "dowhile " : "") +
                "{ ";
        if (isDo) count(counter);
        Name now = op("int", "load local " + counter);
        text += "yield<boolean> " + op("boolean", "lt<int> " + now + ", " + literal(1 + pick(4))) +
                " } do { ";
        statements(3);
        text += "} ";
        if (!isDo) {
            text += "step { ";
            count(counter);
            text += "} ";
        }
        --loops;
        depth = depthBefore;
    }
    void count(const std::string& counter) {
        Name now = op("int", "load local " + counter);
        text += "store<int> local " + counter + ", " + op("int", "add " + now + ", " + literal(1)) +
                " ";
    }

    std::mt19937 random;
    std::string text;
    int next = 0;
    int depth = 0;
    int loops = 0;
};

class RandomBodies : public Evaluation {};

TEST_F(RandomBodies, RunAsTheyAreWritten) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::string work = Maker(seed).make();
        readWork(work);
        if (HasFailure()) return;
        std::vector<std::int32_t> items{5, -3, 100, 7, 0, 1, -8, 42};
        Items<std::int32_t> input;
        for (std::int32_t item : items) input.add({item});
        instance.input = &input.tape;
        std::string expected = Walker(*instance.code->work, items).run();
        host.out.clear();
        std::string out;
        class Spaced : public RecordingHost {
            void print(std::string_view text) override { out += std::string(text) + ' '; }
        } spaced;
        instance.host = &spaced;
        RunResult result = run(*instance.code->work);
        ASSERT_EQ(result.outcome, Outcome::Done) << work;
        ASSERT_EQ(spaced.out, expected) << "seed " << seed << "\n"
                                        << ir::print(*instance.code->work) << disassemble(*code);
    }
}

}  // namespace
}  // namespace strc::eval
