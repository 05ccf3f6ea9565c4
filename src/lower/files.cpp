// Files that are looked at while the graph is built.

#include "base/assert.h"
#include "ir/file_question.h"
#include "lower/detail/lowerer.h"

namespace strc::lower::detail {

using ast::Expr;
using ir::FileQuestion;
using types::BuiltinStream;

namespace {

FileQuestion itemsOf(const sema::Program& program, const ast::CallExpr& e) {
    return {FileQuestion::Items, program.callOf(e.id)->reader, program.typeOf(e)->element->kind};
}

}  // namespace

Reg BodyLowerer::channelOf(const ast::CallExpr& e) {
    return e.args.size() > 1 ? valueAs(*e.args[1], intType())
                             : b.integer(ir::kOnlyChannel, e.range);
}

Reg BodyLowerer::fileLength(const ast::CallExpr& e) {
    const Reg file = valueAs(*e.args[0], m.types.string());
    const Reg length = b.value(Op::FileNumber, intType(), {file, channelOf(e)}, e.range);
    b.last().index = itemsOf(m.program, e).index();
    return length;
}

void BodyLowerer::readItems(const Aggregate& to, const ast::CallExpr& e) {
    checkExtent(fileLength(e), extentOf(to.type, to.shape, 0, e.range), 0, e.range);
    const Reg file = valueAs(*e.args[0], m.types.string());
    b.emit(Op::ReadItems, to.type->element, {to.ref, file, channelOf(e)}, e.range).index =
        itemsOf(m.program, e).index();
}

/// Without a file it is the program's input.
Typed BodyLowerer::fileFact(bool isRate, std::span<const Expr* const> args, SourceRange range) {
    FileQuestion question{isRate ? FileQuestion::Rate : FileQuestion::Channels};
    const bool isNamed = !args.empty() && m.program.typeOf(*args[0])->is(types::TypeKind::String);
    if (isNamed) question.reader = BuiltinStream::WavReader;
    const Reg file =
        isNamed ? valueAs(*args[0], m.types.string())
                : b.constant({m.types.string(), isRate ? "sampleRate" : "channels"}, range);
    const Reg other =
        isNamed || args.empty() ? b.integer(ir::kNoDefault, range) : valueAs(*args[0], intType());
    const Reg result = b.value(Op::FileNumber, intType(), {file, other}, range);
    b.last().index = question.index();
    return {result, intType()};
}

}  // namespace strc::lower::detail
