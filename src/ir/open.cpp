#include "ir/open.h"

#include <algorithm>
#include <set>

#include "ir/demands.h"

namespace strc::ir {
namespace {

using base::Diag;
using types::TypeKind;

constexpr const char* kNothing = "nothing that happens while the graph is built can depend on it";

bool isOpenLoad(const StreamCode& code, const Instr& instr) {
    return instr.op == Op::Load && instr.var.space == Space::Constant &&
           code.openSlot(instr.var.index) != kNone;
}

bool loadsOpen(const StreamCode& code, const Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [&](const Instr& instr) { return isOpenLoad(code, instr); });
    });
}

bool callsOwn(const Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), [](const Instr& instr) {
            return instr.op == Op::Call && instr.callee.kind == CalleeKind::Stream;
        });
    });
}

/// Which open parameter a register or variable depends on; slots by register, local and field.
class Taint {
public:
    Taint(const StreamCode& code, const Body& body)
        : code(code),
          body(body),
          regs(body.regs.size(), kNone),
          locals(body.locals.size(), kNone),
          fields(code.fields.size(), kNone) {
        for (const Body& function : code.functions)
            if (loadsOpen(code, function)) functionsDepend = true;
        do {
            changed = false;
            for (const Block& block : body.blocks)
                for (const Instr& instr : block.instrs) look(instr);
        } while (changed);
    }

    std::uint32_t of(const Instr& instr) const {
        for (Reg operand : instr.operands)
            if (regs[operand] != kNone) return regs[operand];
        return kNone;
    }

private:
    void mark(std::uint32_t& place, std::uint32_t slot) {
        if (slot == kNone || place != kNone) return;
        place = slot;
        changed = true;
    }

    void look(const Instr& instr) {
        std::uint32_t slot = of(instr);
        for (BlockId block : instr.blocks)
            if (block != kNone && !body.blocks[block].instrs.empty() &&
                body.blocks[block].instrs.back().op == Op::Yield && slot == kNone)
                slot = of(body.blocks[block].instrs.back());
        bool isCall = instr.op == Op::Call && instr.callee.kind == CalleeKind::Stream;
        if (isCall && functionsDepend && slot == kNone) slot = 0;
        std::uint32_t* variable = variableOf(instr.var);
        if (instr.op == Op::Load || instr.op == Op::Addr) {
            if (isOpenLoad(code, instr)) slot = code.openSlot(instr.var.index);
            if (variable && *variable != kNone) slot = *variable;
        }
        if (instr.op == Op::Store && variable) mark(*variable, slot);
        if (instr.result != kNone) mark(regs[instr.result], slot);
    }

    std::uint32_t* variableOf(VarRef var) {
        if (var.space == Space::Local) return &locals[var.index];
        return var.space == Space::Field ? &fields[var.index] : nullptr;
    }

    const StreamCode& code;
    const Body& body;
    std::vector<std::uint32_t> regs, locals, fields;
    bool functionsDepend = false;
    bool changed = false;
};

class Opener {
public:
    Opener(base::Context& context, Module& module) : context(context), module(module) {}

    bool run(std::uint32_t mainStream, const std::vector<std::string>& names) {
        const std::size_t errors = context.diags.errorCount();
        for (StreamCode& code : module.streams) code.open.assign(code.constants.size(), kNone);
        for (const std::string& name : names) open(module.streams[mainStream], name);
        findReached(mainStream);
        while (passOnAll()) {
        }
        while (closeAll()) {
        }
        for (StreamCode& code : module.streams) check(code);
        return context.diags.errorCount() == errors;
    }

private:
    void open(StreamCode& main, const std::string& name) {
        for (std::uint32_t k = 0; k < main.params; ++k) {
            const Variable& parameter = main.constants[k];
            if (parameter.name != name) continue;
            main.open[k] = static_cast<std::uint32_t>(module.open.size());
            module.open.push_back({name, k});
            const bool isKept = parameter.type->is(TypeKind::Boolean) ||
                                parameter.type->is(TypeKind::String) ||
                                (parameter.type->isNumeric() && !parameter.type->isFloatN());
            if (!isKept)
                report(main.open[k], parameter.range, "it has to be a number, a boolean or a text");
            return;
        }
        context.diags.add(Diag::UnknownDefine) << main.name << name;
    }

    void report(std::uint32_t slot, base::SourceRange range, const std::string& consequence) {
        context.diags.add(Diag::OpenParameter, range) << module.open[slot].name << consequence;
    }

    // ---------------------------------------------------------------- where they go

    /// The open constant that a register holds unchanged, or kNone.
    static std::vector<std::uint32_t> loadedBy(const StreamCode& code, const Body& body) {
        std::vector<std::uint32_t> slots(body.regs.size(), kNone);
        for (const Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                if (isOpenLoad(code, instr)) slots[instr.result] = code.openSlot(instr.var.index);
        return slots;
    }

    template <typename Visit>
    void forEachCreate(const StreamCode& code, Visit visit) {
        for (const Block& block : code.body->blocks)
            for (const Instr& instr : block.instrs)
                if (instr.op == Op::Create) visit(instr, code.body->creates[instr.index]);
    }

    void findReached(std::uint32_t mainStream) {
        std::set<std::uint32_t> seen{mainStream};
        std::vector<std::uint32_t> todo{mainStream};
        while (!todo.empty()) {
            const StreamCode& code = module.streams[todo.back()];
            todo.pop_back();
            if (!code.body) continue;
            reached.push_back(&code);
            forEachCreate(code, [&](const Instr&, const Create& create) {
                if (create.stream != kNone && seen.insert(create.stream).second)
                    todo.push_back(create.stream);
            });
        }
    }

    /// The open parameter whose value the argument is, unchanged; or kNone.
    static std::uint32_t handedOn(const std::vector<std::uint32_t>& slots, const Instr& instr,
                                  const Create& create, std::size_t constant) {
        const std::uint32_t at = create.args[constant];
        return at == kNone ? kNone : slots[instr.operands[at]];
    }

    template <typename Visit>
    bool forEachArgument(Visit visit) {
        bool isNew = false;
        for (const StreamCode* code : reached) {
            const std::vector<std::uint32_t> slots = loadedBy(*code, *code->body);
            forEachCreate(*code, [&](const Instr& instr, const Create& create) {
                if (create.stream == kNone) return;
                StreamCode& child = module.streams[create.stream];
                for (std::size_t k = 0; k < create.args.size(); ++k)
                    isNew = visit(child.open[k], handedOn(slots, instr, create, k)) || isNew;
            });
        }
        return isNew;
    }

    /// Nothing is left to be opened: false.
    bool passOnAll() {
        return forEachArgument([](std::uint32_t& open, std::uint32_t slot) {
            if (slot == kNone || open != kNone) return false;
            open = slot;
            return true;
        });
    }

    /// A constant that is open is so in all instances, as the same parameter: others are computed for each instance.
    bool closeAll() {
        return forEachArgument([](std::uint32_t& open, std::uint32_t slot) {
            if (open == kNone || slot == open) return false;
            open = kNone;
            return true;
        });
    }

    // ---------------------------------------------------------------- what they may do

    void check(StreamCode& code) {
        bool isOpen = std::any_of(code.open.begin(), code.open.end(),
                                  [](std::uint32_t slot) { return slot != kNone; });
        if (!isOpen) return;
        for (const std::optional<Body>& body : code.defaults)
            if (body) checkUses(code, *body);
        if (!code.body) checkFilter(code);
    }

    void report(std::uint32_t slot, const Instr& instr, const Body& body) {
        report(slot, instr.range.valid() ? instr.range : body.range, kNothing);
    }

    /// Nothing is done with them but that they are passed on.
    void checkUses(const StreamCode& code, const Body& body) {
        std::vector<std::uint32_t> slots = loadedBy(code, body);
        for (const Block& block : body.blocks) {
            for (const Instr& instr : block.instrs) {
                for (std::uint32_t at = 0; at < instr.operands.size(); ++at) {
                    std::uint32_t slot = slots[instr.operands[at]];
                    if (slot == kNone || isArgument(body, instr, at)) continue;
                    report(slot, instr, body);
                    break;
                }
            }
        }
    }

    /// Is the operand an argument of a stream that was declared?
    static bool isArgument(const Body& body, const Instr& instr, std::uint32_t operand) {
        if (instr.op != Op::Create) return false;
        const Create& create = body.creates[instr.index];
        return create.stream != kNone &&
               std::find(create.args.begin(), create.args.end(), operand) != create.args.end();
    }

    /// Reports rates and sizes of arrays that a filter computes from open parameters.
    void checkShapes(const StreamCode& code, const Body& body) {
        Taint taint(code, body);
        for (const Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                if (std::uint32_t slot = taint.of(instr); slot != kNone && shapes(instr))
                    report(slot, instr, body);
    }

    static bool shapes(const Instr& instr) {
        return instr.op == Op::Declare || instr.op == Op::Rate || instr.op == Op::ItemType ||
               instr.op == Op::CheckExtent;
    }

    void checkFilter(StreamCode& code) {
        std::vector<const Body*> bodies{&code.setup};
        for (const std::optional<Body>* body : {&code.init, &code.prework, &code.work})
            if (*body) bodies.push_back(&**body);
        for (const Body& function : code.functions) bodies.push_back(&function);
        for (const Body* body : bodies) checkShapes(code, *body);
        bool functionsDepend = std::any_of(code.functions.begin(), code.functions.end(),
                                           [&](const Body& f) { return loadsOpen(code, f); });
        auto depends = [&](const Body& body) {
            return loadsOpen(code, body) || (functionsDepend && callsOwn(body));
        };
        code.startsLate = depends(code.setup) || (code.init && depends(*code.init));
        if (code.startsLate) demandLate(code, "'" + code.name + "'");
        if (code.startsLate) forgetPlaces(code);
    }

    /// What a filter requires is said of it, where that is added: each of its instances in a place of its own.
    static void forgetPlaces(StreamCode& code) {
        auto forget = [](Body& body) {
            for (Block& block : body.blocks)
                for (Instr& instr : block.instrs)
                    if (instr.op == Op::Require) instr.range = {};
        };
        forget(code.setup);
        for (std::optional<Body>* body : {&code.init, &code.prework, &code.work})
            if (*body) forget(**body);
        for (Body& function : code.functions) forget(function);
    }

    base::Context& context;
    Module& module;
    std::vector<const StreamCode*> reached;  ///< composites of the program
};

}  // namespace

bool leaveOpen(base::Context& context, Module& module, std::uint32_t mainStream,
               const std::vector<std::string>& names) {
    return Opener(context, module).run(mainStream, names);
}

}  // namespace strc::ir
