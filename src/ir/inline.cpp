#include "ir/inline.h"

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "ir/calls.h"

namespace strc::ir {
namespace {

constexpr std::size_t kMostOfFunction = 120;  ///< instructions, with what it calls
constexpr std::size_t kMostOfBody = 2000;  ///< instructions; a longer body takes in nothing more
constexpr std::int64_t kMostOfArrays = 256;  ///< bytes of one
constexpr std::size_t kMostOfChosen = 262144;  ///< instructions, where all calls have to go
constexpr int kMostCalls = 8;  ///< functions in functions

std::size_t sizeOf(const Body& body) {
    std::size_t size = 0;
    for (const Block& block : body.blocks) size += block.instrs.size();
    return size;
}

bool has(const Body& body, BlockId id, Op op) {
    if (id == kNone) return false;
    return std::any_of(
        body.blocks[id].instrs.begin(), body.blocks[id].instrs.end(), [&](const Instr& i) {
            return i.op == op || std::any_of(i.blocks.begin(), i.blocks.end(),
                                             [&](BlockId inner) { return has(body, inner, op); });
        });
}

/// Does every way through the block end in a return?
bool alwaysReturns(const Body& body, BlockId id) {
    if (id == kNone || body.blocks[id].instrs.empty()) return false;
    const Instr& last = body.blocks[id].instrs.back();
    if (last.op == Op::Return) return true;
    return last.op == Op::If && alwaysReturns(body, last.blocks[0]) &&
           alwaysReturns(body, last.blocks[1]);
}

/// Moves the code behind an `if` of which one side returns into the other side, so that returns stand last. False: there is one
/// that cannot be moved.
bool flatten(Body& body, BlockId id) {
    if (id == kNone) return true;
    for (std::size_t k = 0; k < body.blocks[id].instrs.size(); ++k) {
        const Instr i = body.blocks[id].instrs[k];
        if (i.op == Op::Loop)
            for (BlockId part : i.blocks)
                if (has(body, part, Op::Return)) return false;
        if (i.op != Op::If ||
            (!has(body, i.blocks[0], Op::Return) && !has(body, i.blocks[1], Op::Return)))
            continue;
        const bool isLast = k + 1 == body.blocks[id].instrs.size();
        if (!isLast) {
            const int returning = alwaysReturns(body, i.blocks[0]) ? 0 : 1;
            if (i.result != kNone ||
                !alwaysReturns(body, i.blocks[static_cast<std::size_t>(returning)]))
                return false;
            const auto other = static_cast<std::size_t>(1 - returning);
            if (body.blocks[id].instrs[k].blocks[other] == kNone) {
                body.blocks[id].instrs[k].blocks[other] = static_cast<BlockId>(body.blocks.size());
                body.blocks.emplace_back();
            }
            std::vector<Instr>& from = body.blocks[id].instrs;
            std::vector<Instr>& to = body.blocks[from[k].blocks[other]].instrs;
            to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(k) + 1, from.end());
            from.resize(k + 1);
        }
        const auto blocks = body.blocks[id].instrs[k].blocks;
        return flatten(body, blocks[0]) && flatten(body, blocks[1]);
    }
    return true;
}

Instr access(Op op, std::uint32_t local, const Type* type, const Instr& call,
             std::vector<Reg> operands, Reg result) {
    Instr made;
    made.op = op;
    made.var = {Space::Local, local};
    made.type = type;
    made.operands = std::move(operands);
    made.result = result;
    made.range = call.range;
    return made;
}

/// Registers, locals and blocks of the function behind those of the body.
struct Copy {
    Copy(Body& to, const Body& from)
        : body(to),
          function(from),
          firstReg(static_cast<Reg>(to.regs.size())),
          firstLocal(static_cast<std::uint32_t>(to.locals.size())) {
        body.regs.insert(body.regs.end(), function.regs.begin(), function.regs.end());
        body.locals.insert(body.locals.end(), function.locals.begin(), function.locals.end());
    }

    std::vector<Instr> block(BlockId id, std::uint32_t result, const Instr& call) {
        std::vector<Instr> made;
        for (const Instr& from : function.blocks[id].instrs) {
            if (from.op == Op::Return) {
                if (result != kNone)
                    made.push_back(access(Op::Store, result, call.type, from,
                                          {firstReg + from.operands[0]}, kNone));
                break;
            }
            Instr instr = from;
            if (instr.result != kNone) instr.result += firstReg;
            for (Reg& reg : instr.operands) reg += firstReg;
            if (instr.var.space == Space::Local && instr.var.index != kNone)
                instr.var.index += firstLocal;
            for (BlockId& inner : instr.blocks) {
                if (inner == kNone) continue;
                std::vector<Instr> inside = block(inner, result, call);
                inner = static_cast<BlockId>(body.blocks.size());
                body.blocks.push_back({std::move(inside)});
            }
            made.push_back(std::move(instr));
        }
        return made;
    }

    Body& body;
    const Body& function;
    Reg firstReg;
    std::uint32_t firstLocal;
};

/// Instead of the instruction; how many there are in its place.
std::size_t take(Body& body, BlockId at, std::size_t k, const Body& function) {
    const Instr call = body.blocks[at].instrs[k];
    Copy copy{body, function};
    std::vector<Instr> made;
    for (std::uint32_t p = 0; p < function.params; ++p)
        made.push_back(access(Op::Store, copy.firstLocal + p, function.locals[p].type, call,
                              {call.operands[p]}, kNone));
    std::uint32_t result = kNone;
    if (call.result != kNone) {
        result = static_cast<std::uint32_t>(body.locals.size());
        body.locals.push_back({function.name, call.type, function.range});
    }
    std::vector<Instr> inside = copy.block(function.entry, result, call);
    made.insert(made.end(), std::make_move_iterator(inside.begin()),
                std::make_move_iterator(inside.end()));
    if (result != kNone) made.push_back(access(Op::Load, result, call.type, call, {}, call.result));
    std::vector<Instr>& list = body.blocks[at].instrs;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(k), made.begin(), made.end());
    return made.size();
}

class Inliner {
public:
    Inliner(const Module& lowered, const StreamCode& stream) : module(lowered), code(stream) {}

    int run(Body& body, int depth) {
        int done = 0;
        // Blocks of what is taken in have no calls any more.
        const std::size_t blocks = body.blocks.size();
        for (BlockId id = 0; id < blocks; ++id)
            for (std::size_t k = 0; k < body.blocks[id].instrs.size(); ++k) {
                if (body.blocks[id].instrs[k].op != Op::Call || sizeOf(body) > kMostOfBody)
                    continue;
                std::optional<Body> function = functionOf(body.blocks[id].instrs[k], depth);
                if (!function) continue;
                k += take(body, id, k, *function) - 1;
                ++done;
            }
        return done;
    }

private:
    static bool fits(const Type* type) {
        return types::isConcrete(type) && !type->is(types::TypeKind::String);
    }

    bool fits(const Body& function) const {
        if (function.kind != BodyKind::Function ||
            (function.result && function.result->isAggregate()))
            return false;
        for (std::size_t k = 0; k < function.locals.size(); ++k) {
            const Type* type = function.locals[k].type;
            const bool isArray = type->isAggregate();
            if (!fits(type) ||
                (isArray && (k < function.params || types::sizeOf(type) > kMostOfArrays)))
                return false;
        }
        return std::all_of(function.regs.begin(), function.regs.end(),
                           [](const RegInfo& reg) { return reg.type && fits(reg.type); });
    }

    /// The code of the function that is called, ready to be taken in.
    std::optional<Body> functionOf(const Instr& call, int depth) {
        if (!call.callee.hasBody() || depth >= kMostCalls) return std::nullopt;
        const Body& callee = calleeBody(module, code, call.callee);
        if (!fits(callee) || sizeOf(callee) > kMostOfFunction || isRecursive(module, code, callee))
            return std::nullopt;
        Body function = callee;
        run(function, depth + 1);
        if (sizeOf(function) > kMostOfFunction || !flatten(function, function.entry) ||
            !endsWell(function))
            return std::nullopt;
        return function;
    }

    /// A call that is left would not be found again; a value has to be returned on every way.
    static bool endsWell(const Body& function) {
        if (has(function, function.entry, Op::Call)) return false;
        const bool hasValue = function.result && !function.result->is(types::TypeKind::Void);
        return !hasValue || alwaysReturns(function, function.entry);
    }

    const Module& module;
    const StreamCode& code;
};

class ChosenInliner {
public:
    ChosenInliner(const StreamCode& stream, IsChosen* chosen) : code(stream), isChosen(chosen) {}

    std::optional<Instr> run(Body& body) {
        const std::size_t blocks = body.blocks.size();
        for (BlockId id = 0; id < blocks; ++id)
            for (std::size_t k = 0; k < body.blocks[id].instrs.size(); ++k) {
                const Instr call = body.blocks[id].instrs[k];
                if (call.op != Op::Call || call.callee.kind != CalleeKind::Stream ||
                    !isChosen(code.functions[call.callee.index]))
                    continue;
                std::optional<Body> function = functionOf(call);
                if (!function || sizeOf(body) > kMostOfChosen) return refused ? refused : call;
                k += take(body, id, k, *function) - 1;
            }
        return std::nullopt;
    }

private:
    std::optional<Body> functionOf(const Instr& call) {
        const std::uint32_t index = call.callee.index;
        Body function = code.functions[index];
        const bool hasValue = function.result && !function.result->is(types::TypeKind::Void);
        bool fits = function.sends.empty() && function.checks.empty() &&
                    !(hasValue && function.result->isAggregate()) &&
                    std::find(path.begin(), path.end(), index) == path.end();
        for (std::uint32_t k = 0; k < function.params; ++k)
            fits = fits && !function.locals[k].type->isAggregate();
        if (!fits) return std::nullopt;
        path.push_back(index);
        refused = run(function);
        path.pop_back();
        if (refused || !flatten(function, function.entry)) return std::nullopt;
        if (hasValue && !alwaysReturns(function, function.entry)) return std::nullopt;
        return function;
    }

    const StreamCode& code;
    IsChosen* isChosen;
    std::vector<std::uint32_t> path;  ///< functions that are being taken in
    std::optional<Instr> refused;
};

}  // namespace

std::optional<Instr> inlineChosen(const StreamCode& code, Body& body, IsChosen* isChosen) {
    return ChosenInliner(code, isChosen).run(body);
}

bool repeat(Body& body, std::size_t times) {
    Body once = body;
    if (!flatten(once, once.entry) || sizeOf(once) > kMostOfChosen / times) return false;
    body.regs.clear();
    body.locals.clear();
    body.blocks.assign(1, {});
    body.entry = 0;
    for (std::size_t k = 0; k < times; ++k) {
        const std::vector<Instr> made = Copy{body, once}.block(once.entry, kNone, {});
        std::vector<Instr>& all = body.blocks[body.entry].instrs;
        all.insert(all.end(), made.begin(), made.end());
    }
    return true;
}

int inlineCalls(const Module& module, const StreamCode& code, Body& body) {
    return Inliner(module, code).run(body, 0);
}

}  // namespace strc::ir
