#include "ir/demands.h"

#include <vector>

#include "ir/specialize.h"

namespace strc::ir {
namespace {

template <typename Visit>
void forEachRequire(Body& body, Visit visit) {
    for (Block& block : body.blocks)
        for (Instr& instr : block.instrs)
            if (instr.op == Op::Require) visit(instr);
}

template <typename Visit>
void forEachBodyOf(StreamCode& code, Visit visit) {
    visit(code.setup);
    for (std::optional<Body>* body : {&code.init, &code.prework, &code.work})
        if (*body) visit(**body);
    for (Body& function : code.functions) visit(function);
}

/// Appends the constant parts of a text that is concatenated, and "..." for the others.
void append(std::string& text, const std::vector<const Instr*>& made, Reg reg) {
    const Instr* instr = made[reg];
    if (instr && instr->op == Op::Const) {
        text += instr->value.bytes;
    } else if (instr && instr->op == Op::Concat) {
        append(text, made, instr->operands[0]);
        append(text, made, instr->operands[1]);
    } else {
        text += "...";
    }
}

}  // namespace

void demandLate(StreamCode& code, const std::string& subject, std::uint32_t above) {
    forEachBodyOf(code, [&](Body& body) {
        forEachRequire(body, [&](Instr& instr) {
            if (instr.flag) return;
            instr.flag = true;
            instr.index = above;
            instr.value = {body.regs[instr.operands[1]].type, subject};
        });
    });
}

std::string demandText(const Body& body, const Instr& require) {
    std::vector<const Instr*> made(body.regs.size());
    for (const Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            if (instr.result != kNone) made[instr.result] = &instr;
    std::string text;
    append(text, made, require.operands[1]);
    return text;
}

void settleTexts(StreamCode& code) {
    forEachBodyOf(code, [](Body& body) {
        std::vector<std::string> texts;
        forEachRequire(body, [&](Instr& instr) {
            if (instr.flag) texts.push_back(demandText(body, instr));
        });
        if (texts.empty()) return;
        auto text = texts.begin();
        for (Block& block : body.blocks) {
            std::vector<Instr> fresh;
            for (Instr& instr : block.instrs) {
                if (instr.op == Op::Require && instr.flag) {
                    Instr made;
                    made.op = Op::Const;
                    made.type = body.regs[instr.operands[1]].type;
                    made.range = instr.range;
                    made.value = {made.type, *text++};
                    made.result = static_cast<Reg>(body.regs.size());
                    body.regs.push_back({made.type, false});
                    instr.operands[1] = made.result;
                    fresh.push_back(std::move(made));
                }
                fresh.push_back(std::move(instr));
            }
            block.instrs = std::move(fresh);
        }
        fold(body);
    });
}

}  // namespace strc::ir
