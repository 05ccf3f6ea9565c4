// Streams: their members in order, and the setup that elaboration runs for each instance.

#include <algorithm>

#include "lower/detail/program.h"

namespace strc::lower::detail {

using ast::as;
using ir::BodyKind;
using ir::Space;

namespace {

ir::Variable variableOf(ModuleScope& m, const Symbol& symbol) {
    return {symbol.name.str(), m.resolve(symbol, true), symbol.range};
}

std::optional<ir::Body> lowerBlock(ModuleScope& m, StreamScope& stream, std::string name,
                                   BodyKind kind, const ast::BlockStmt& block, SourceRange range,
                                   SourceRange header) {
    BodyLowerer body(m, &stream, std::move(name), kind, range);
    body.setHeader(header);
    body.statement(block);
    return body.finish();
}

void lowerDefaults(ModuleScope& m, StreamScope& stream) {
    stream.code.defaults.resize(stream.info.params);
    for (std::uint32_t k = 0; k < stream.info.params; ++k) {
        const ast::Expr* value = stream.info.decl->params[k].defaultValue;
        if (!value) continue;
        BodyLowerer body(m, &stream, "default", BodyKind::Default, value->range);
        body.setDefault(*value, stream.code.constants[k].type);
        stream.code.defaults[k] = body.finish();
    }
}

void lowerMembers(ModuleScope& m, StreamScope& stream) {
    for (const ast::Decl* member : stream.info.decl->members) {
        if (m.failed) return;
        if (auto* init = ast::tryAs<ast::InitDecl>(member))
            stream.code.init = lowerBlock(m, stream, "init", BodyKind::Init, *init->body,
                                          init->range, init->range);
        if (auto* work = ast::tryAs<ast::WorkDecl>(member)) {
            std::optional<ir::Body>& body = work->prework ? stream.code.prework : stream.code.work;
            body = lowerBlock(m, stream, work->prework ? "prework" : "work",
                              work->prework ? BodyKind::Prework : BodyKind::Work, *work->body,
                              work->range, work->header);
        }
    }
    for (const FunctionInfo* function : stream.info.functions)
        if (!m.failed) stream.code.functions.push_back(lowerFunction(m, &stream, *function));
}

/// Fields in textual order; hidden ones as soon as what they use is there. Those whose extents are
/// known all begin before the first initialiser runs, which may call functions that look at them.
void setUpFields(BodyLowerer& setup, const sema::Program& program, StreamScope& stream) {
    std::stable_sort(stream.bounds.begin(), stream.bounds.end(),
                     [](const auto& a, const auto& b) { return a.after < b.after; });
    for (std::uint32_t k = 0; k < stream.code.fields.size(); ++k)
        if (isConcrete(stream.code.fields[k].type))
            setup.declareZero({Space::Field, k}, stream.code.fields[k].range);
    auto next = stream.bounds.begin();
    std::uint32_t declared = 0;
    auto declareHidden = [&] {
        for (; next != stream.bounds.end() && next->after <= declared; ++next)
            setup.hiddenBound(*next);
    };
    declareHidden();
    for (const ast::Decl* member : stream.info.decl->members) {
        auto* fields = ast::tryAs<ast::FieldsDecl>(member);
        if (!fields) continue;
        for (const ast::Declarator& d : fields->variables->variables) {
            const Symbol& symbol = *program.symbolOf(d.id);
            setup.declare({Space::Field, symbol.index}, stream.code.fields[symbol.index].type,
                          *fields->variables->type, d.initialiser, d.name.range);
            declared = symbol.index + 1;
            declareHidden();
        }
    }
}

ir::Body lowerSetup(ModuleScope& m, StreamScope& stream) {
    const ast::StreamDecl& decl = *stream.info.decl;
    BodyLowerer setup(m, &stream, "setup", BodyKind::Setup, decl.header);
    for (std::uint32_t k = 0; k < stream.info.params; ++k)
        setup.checkParameter(k, *stream.info.constants[k]->typeExpr);
    if (decl.input && stream.code.input) setup.itemType(0, stream.code.input, *decl.input);
    if (decl.output && stream.code.output) setup.itemType(1, stream.code.output, *decl.output);
    setUpFields(setup, m.program, stream);
    for (const ast::Decl* member : decl.members)
        if (auto* work = ast::tryAs<ast::WorkDecl>(member))
            for (const ast::RateClause& clause : work->rates) setup.rate(clause, work->prework);
    return setup.finish();
}

}  // namespace

ir::Body lowerFunction(ModuleScope& m, StreamScope* stream, const FunctionInfo& function) {
    bool isHandler = function.kind == sema::FunctionKind::Handler;
    BodyLowerer body(m, stream, function.name.str(),
                     isHandler ? BodyKind::Handler : BodyKind::Function, function.decl->range);
    body.setFunction(function);
    if (isHandler)
        body.statement(*as<ast::HandlerDecl>(*function.decl).body);
    else
        body.statement(*as<ast::FunctionDecl>(*function.decl).body);
    return body.finish();
}

void declareStream(ModuleScope& m, const StreamInfo& info, bool wanted, ir::StreamCode& code) {
    if (info.name) code.name = info.name.str();
    code.library = info.library;
    code.setup = BodyLowerer(m, nullptr, "setup", BodyKind::Setup, {}).finish();
    if (!info.decl || !wanted) return;
    const ast::StreamDecl& decl = *info.decl;
    code.kind = static_cast<ir::StreamKind>(decl.stream);
    code.stateful = decl.stateful;
    code.range = decl.range;
    code.header = decl.header;
    code.params = info.params;
    code.input = decl.input ? m.resolve(*decl.input, true) : nullptr;
    code.output = decl.output ? m.resolve(*decl.output, true) : nullptr;
    for (const Symbol* symbol : info.constants) code.constants.push_back(variableOf(m, *symbol));
}

void lowerStream(ModuleScope& m, const StreamInfo& info, ir::StreamCode& code) {
    if (!info.decl) return;
    StreamScope stream{info, code, {}};
    for (const Symbol* symbol : info.fields) code.fields.push_back(variableOf(m, *symbol));
    if (m.failed) return;
    lowerDefaults(m, stream);
    lowerMembers(m, stream);
    if (info.decl->body && !m.failed)
        code.body = lowerBlock(m, stream, "body", BodyKind::Composite, *info.decl->body,
                               info.decl->range, info.decl->header);
    if (!m.failed) code.setup = lowerSetup(m, stream);
}

}  // namespace strc::lower::detail
