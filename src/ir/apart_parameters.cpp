#include "ir/apart_parameters.h"

#include <algorithm>
#include <optional>

#include "ir/calls.h"

namespace strc::ir {
namespace {

/// By register: the variable that a ref leads into, where that is known.
std::vector<std::optional<VarRef>> rootsOf(const Body& body) {
    std::vector<std::optional<VarRef>> roots(body.regs.size());
    const auto visit = [&](const auto& self, BlockId id) -> void {
        if (id == kNone) return;
        for (const Instr& i : body.blocks[id].instrs) {
            for (BlockId inner : i.blocks) self(self, inner);
            if (i.op == Op::Addr) roots[i.result] = i.var;
            if (i.op == Op::Elem || i.op == Op::Member) roots[i.result] = roots[i.operands[0]];
        }
    };
    if (!body.blocks.empty()) visit(visit, body.entry);  // setup that has been done has none
    return roots;
}

/// Does every body of a filter see the variable?
bool isOfAll(VarRef var) {
    return var.space == Space::Field || var.space == Space::Input || var.space == Space::Output;
}

/// Fields, or items that wait or are given.
bool usesFields(const Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), [](const Instr& i) {
            const bool isTape = i.op >= Op::Push && i.op < Op::Iter;
            return isTape || (isOfAll(i.var) && i.var.index != kNone);
        });
    });
}

class ApartParameters {
public:
    ApartParameters(const std::vector<Body>& all, std::span<const Body* const> callers)
        : functions(all) {
        for (const Body& body : functions) {
            std::vector<bool>& made = apart.emplace_back();
            for (std::uint32_t k = 0; k < body.params; ++k)
                made.push_back(body.kind == BodyKind::Function &&
                               body.locals[k].type->isAggregate());
            touchesFields.push_back(usesFields(body));
        }
        for (std::size_t k = 0; k < functions.size(); ++k)
            bodies.push_back({&functions[k], &apart[k], rootsOf(functions[k])});
        for (const Body* body : callers) bodies.push_back({body, nullptr, rootsOf(*body)});
    }

    std::vector<std::vector<bool>> find() {
        spreadFields();
        do {
            changed = false;
            for (const Caller& caller : bodies)
                for (const Block& block : caller.body->blocks)
                    for (const Instr& instr : block.instrs)
                        if (instr.op == Op::Call && instr.callee.kind == CalleeKind::Stream)
                            look(caller, instr);
        } while (changed);
        return std::move(apart);
    }

private:
    struct Caller {
        const Body* body;
        const std::vector<bool>* apart;  ///< of its parameters; null: it has none
        std::vector<std::optional<VarRef>> roots;
    };

    /// A function touches what those touch that it calls.
    void spreadFields() {
        for (bool isMore = true; isMore;) {
            isMore = false;
            for (std::size_t k = 0; k < functions.size(); ++k) {
                if (touchesFields[k]) continue;
                const std::vector<Callee> callees = calleesOf(functions[k]);
                touchesFields[k] =
                    std::any_of(callees.begin(), callees.end(), [&](const Callee& callee) {
                        return callee.kind == CalleeKind::Stream && touchesFields[callee.index];
                    });
                isMore = isMore || touchesFields[k];
            }
        }
    }

    void look(const Caller& from, const Instr& call) {
        std::vector<bool>& parameters = apart[call.callee.index];
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (!parameters[k] || isApart(from, call, k)) continue;
            parameters[k] = false;
            changed = true;
        }
    }

    bool isApart(const Caller& from, const Instr& call, std::size_t k) const {
        const std::optional<VarRef>& root = from.roots[call.operands[k]];
        if (!root || (isShared(from, *root) && touchesFields[call.callee.index])) return false;
        for (std::size_t other = 0; other < call.operands.size(); ++other) {
            if (other == k || !from.body->regs[call.operands[other]].ref) continue;
            const std::optional<VarRef>& second = from.roots[call.operands[other]];
            if (!second || mayBeSame(from, *root, *second)) return false;
        }
        return true;
    }

    /// May it be a field, or part of one, or items of the two sides?
    static bool isShared(const Caller& from, VarRef var) {
        if (var.space == Space::Local) return isParameter(from, var) && !isApartIn(from, var);
        return isOfAll(var);
    }

    static bool mayBeSame(const Caller& from, VarRef x, VarRef y) {
        if (x == y) return true;
        if (isApartIn(from, x) || isApartIn(from, y)) return false;
        const bool xIsGiven = isParameter(from, x), yIsGiven = isParameter(from, y);
        return (xIsGiven && (yIsGiven || isOfAll(y))) || (yIsGiven && isOfAll(x));
    }

    static bool isParameter(const Caller& from, VarRef var) {
        return var.space == Space::Local && var.index < from.body->params;
    }
    static bool isApartIn(const Caller& from, VarRef var) {
        return isParameter(from, var) && from.apart && (*from.apart)[var.index];
    }

    const std::vector<Body>& functions;
    std::vector<std::vector<bool>> apart;
    std::vector<bool> touchesFields;
    std::vector<Caller> bodies;
    bool changed = false;
};

}  // namespace

std::vector<std::vector<bool>> apartParameters(const std::vector<Body>& functions,
                                               std::span<const Body* const> callers) {
    return ApartParameters(functions, callers).find();
}

}  // namespace strc::ir
