// Files that are looked at while the graph is built.

#include "lower/detail/files.h"

#include "ir/file_question.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"

namespace strc::lower::detail {

using ast::Expr;
using ir::FileQuestion;
using types::BuiltinStream;

namespace {

FileQuestion itemsOf(const sema::Program& program, const ast::CallExpr& e) {
    return {FileQuestion::Items, program.callOf(e.id)->reader, program.typeOf(e)->element->kind};
}

Reg channelOf(BodyScope& in, const ast::CallExpr& e) {
    return e.args.size() > 1 ? valueAs(in, *e.args[1], in.intType())
                             : in.b.integer(ir::kOnlyChannel, e.range);
}

}  // namespace

Reg fileLength(BodyScope& in, const ast::CallExpr& e) {
    const Reg file = valueAs(in, *e.args[0], in.m.types.string());
    const Reg length = in.b.value(Op::FileNumber, in.intType(), {file, channelOf(in, e)}, e.range);
    in.b.last().index = itemsOf(in.m.program, e).index();
    return length;
}

void readItems(BodyScope& in, const Aggregate& to, const ast::CallExpr& e) {
    checkExtent(in, fileLength(in, e), extentOf(in, to.type, to.shape, 0, e.range), 0, e.range);
    const Reg file = valueAs(in, *e.args[0], in.m.types.string());
    in.b.emit(Op::ReadItems, to.type->element, {to.ref, file, channelOf(in, e)}, e.range).index =
        itemsOf(in.m.program, e).index();
}

/// Without a file it is the program's input.
Typed fileFact(BodyScope& in, bool isRate, std::span<const Expr* const> args, SourceRange range) {
    FileQuestion question{isRate ? FileQuestion::Rate : FileQuestion::Channels};
    const bool isNamed =
        !args.empty() && in.m.program.typeOf(*args[0])->is(types::TypeKind::String);
    if (isNamed) question.reader = BuiltinStream::WavReader;
    const Reg file =
        isNamed ? valueAs(in, *args[0], in.m.types.string())
                : in.b.constant({in.m.types.string(), isRate ? "sampleRate" : "channels"}, range);
    const Reg other = isNamed || args.empty() ? in.b.integer(ir::kNoDefault, range)
                                              : valueAs(in, *args[0], in.intType());
    const Reg result = in.b.value(Op::FileNumber, in.intType(), {file, other}, range);
    in.b.last().index = question.index();
    return {result, in.intType()};
}

}  // namespace strc::lower::detail
