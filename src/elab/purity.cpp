#include "elab/detail/purity.h"

#include "graph/graph.h"

namespace strc::elab {
namespace {

/// Collects effects over the call graph, with a list of what is still to be looked at.
class EffectScan {
public:
    EffectScan(const ir::Module& module, const ir::StreamCode* code) : module(module), code(code) {}

    std::uint8_t scan(const ir::Body& start) {
        visit(start);
        while (!pending.empty()) {
            const ir::Body* body = pending.back();
            pending.pop_back();
            for (const ir::Block& block : body->blocks)
                for (const ir::Instr& instr : block.instrs) look(instr);
        }
        return effects;
    }

private:
    void visit(const ir::Body& body) {
        if (visited.insert(&body).second) pending.push_back(&body);
    }

    void look(const ir::Instr& instr) {
        switch (instr.op) {
            case ir::Op::Print:
            case ir::Op::NewLine: effects |= graph::kPrints; break;
            case ir::Op::Random: effects |= graph::kRandom; break;
            case ir::Op::Send: effects |= graph::kSends; break;
            case ir::Op::Call:
                if (instr.callee.kind == ir::CalleeKind::Native)
                    effects |= graph::kNative;
                else if (!instr.callee.hasBody())
                    break;  // the node has the effects of what is fired
                else if (instr.callee.kind == ir::CalleeKind::Package)
                    visit(module.functions[instr.callee.index]);
                else
                    visit(code->functions[instr.callee.index]);
                break;
            default: break;
        }
    }

    const ir::Module& module;
    const ir::StreamCode* code;
    std::uint8_t effects = graph::kNoEffect;
    std::set<const ir::Body*> visited;
    std::vector<const ir::Body*> pending;
};

}  // namespace

std::uint8_t effectsOf(const ir::Module& module, const ir::StreamCode* code, const ir::Body& body) {
    return EffectScan(module, code).scan(body);
}

bool Purity::isPure(const ir::StreamCode& code) {
    auto [found, fresh] = known.try_emplace(&code, true);
    if (!fresh) return found->second;
    std::uint8_t effects = effectsOf(module, &code, code.setup);
    if (code.init) effects |= effectsOf(module, &code, *code.init);
    return found->second = effects == graph::kNoEffect;
}

}  // namespace strc::elab
