#include "ir/detail/body_reader.h"

#include <algorithm>
#include <utility>

namespace strc::ir::detail {
namespace {

constexpr int kMostNesting = 256;  ///< which recursion follows

Op findOp(const std::string& mnemonic) {
    for (int op = 0; op < static_cast<int>(Op::Count); ++op)
        if (mnemonic == info(static_cast<Op>(op)).mnemonic) return static_cast<Op>(op);
    return Op::Count;
}

}  // namespace

Body BodyReader::body(const StreamCode* stream) {
    static const char* words[] = {"setup",   "init",      "prework", "work",   "function",
                                  "handler", "composite", "static",  "default"};
    auto kind = std::find(std::begin(words), std::end(words), tokens.look().text);
    Body made;
    if (kind == std::end(words)) {
        tokens.fail("a body");
        return made;
    }
    if (buffer.valid()) made.range = rangeOf(tokens.look(), tokens.look());
    tokens.skip();
    made.kind = static_cast<BodyKind>(kind - std::begin(words));
    made.name = tokens.look().kind == Token::Kind::Word ? tokens.word() : *kind;
    made.result = voidType;
    if (tokens.accept("(")) {
        while (!tokens.failed() && !tokens.accept(")")) {
            made.locals.push_back(types.variable());
            tokens.accept(",");
        }
    }
    made.params = static_cast<std::uint32_t>(made.locals.size());
    if (tokens.accept("->")) made.result = types.type();
    tokens.expect("{");
    while (!tokens.failed() && tokens.accept("local")) {
        made.locals.push_back(types.variable());
    }
    names.enter(stream, made);
    made.blocks.emplace_back();
    made.entry = 0;
    instructions(made, 0);
    return made;
}

/// Up to and with the closing brace.
void BodyReader::instructions(Body& made, BlockId block) {
    while (!tokens.failed() && !tokens.accept("}")) {
        const std::size_t from = tokens.position();
        Instr instr = instruction(made);
        if (buffer.valid())
            instr.range = rangeOf(tokens.tokenAt(from), tokens.tokenAt(tokens.position() - 1));
        if (instr.op == Op::If || instr.op == Op::Loop) blocksOf(made, instr);
        if (tokens.accept("unchecked")) instr.checked = false;
        if (tokens.accept("natural")) instr.isNatural = true;
        if (tokens.accept("overwritten") || tokens.accept("relaxed")) instr.flag = true;
        made.blocks[block].instrs.push_back(std::move(instr));
    }
}

BlockId BodyReader::block(Body& made) {
    if (depth == kMostNesting) tokens.fail("fewer blocks inside of each other");
    ++depth;
    tokens.expect("{");
    auto id = static_cast<BlockId>(made.blocks.size());
    made.blocks.emplace_back();
    instructions(made, id);
    --depth;
    return id;
}

void BodyReader::blocksOf(Body& made, Instr& instr) {
    instr.blocks[0] = block(made);
    if (instr.op == Op::If) {
        if (tokens.accept("else")) instr.blocks[1] = block(made);
        return;
    }
    tokens.expect("do");
    instr.blocks[1] = block(made);
    if (tokens.accept("step")) instr.blocks[2] = block(made);
}

base::SourceRange BodyReader::rangeOf(const Token& first, const Token& last) const {
    return {buffer, static_cast<std::uint32_t>(first.begin), static_cast<std::uint32_t>(last.end)};
}

Instr BodyReader::instruction(Body& made) {
    Instr instr;
    if (tokens.look().kind == Token::Kind::Register) {
        instr.result = tokens.reg();
        tokens.expect(":");
        RegInfo info;
        if (tokens.accept("refs")) {
            info.ref = true;
            tokens.expect("<");
            info.lanes = tokens.number();
            tokens.expect(">");
        } else {
            info.ref = tokens.accept("ref");
        }
        const Type* resultType = info.type = types.type();
        tokens.expect("=");
        if (tokens.failed()) return instr;
        if (made.regs.size() <= instr.result) made.regs.resize(instr.result + 1);
        made.regs[instr.result] = info;
        instr.type = resultType;
    }
    std::string mnemonic = tokens.word();
    instr.op = findOp(mnemonic);
    if (instr.op == Op::Count) {
        tokens.failBefore("an operation");
        return instr;
    }
    if (tokens.accept("<")) {
        instr.type = types.type();
        tokens.expect(">");
    }
    argumentReader.arguments(made, instr);
    return instr;
}

}  // namespace strc::ir::detail
