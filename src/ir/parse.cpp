// Reads the text that print.cpp writes; the syntax stands there.

#include <map>
#include <optional>
#include <utility>

#include "ir/detail/body_reader.h"
#include "ir/text.h"

namespace strc::ir {
namespace {

using detail::indexOf;
using detail::NameIndex;
using detail::Names;
using detail::plainName;
using detail::Token;
using detail::ValueReader;

/// Reads the declarations of a module.
class ModuleReader {
public:
    /// `buffer`: where the text stands, or none.
    ModuleReader(std::vector<Token> list, types::TypeTable& table, base::NameTable& nameTable,
                 base::BufferId buffer)
        : tokens(std::move(list)),
          types(tokens, table, nameTable),
          bodies(tokens, types, names, table.voidType(), buffer) {}

    /// Empty: see `fault`.
    std::optional<Module> parse() {
        while (!tokens.failed() && !tokens.isEnd()) declaration();
        if (!tokens.failed()) resolveStreams();
        if (tokens.failed()) return std::nullopt;
        return std::move(module);
    }
    const std::optional<detail::TokenReader::Wrong>& fault() const { return tokens.fault(); }

private:
    // ---- declarations

    void declaration() {
        if (tokens.accept("struct")) return types.structure();
        if (tokens.accept("global")) return global();
        if (tokens.accept("native")) return native();
        if (tokens.accept("package")) return package();
        stream();
    }

    void global() {
        std::string name = tokens.displayName();
        tokens.expect(":");
        const Type* globalType = types.type();
        module.globals.push_back({plainName(name), globalType, {}});
        module.globalValues.resize(module.globals.size());
        if (tokens.accept("=")) module.globalValues.back() = ValueReader(tokens).value(globalType);
    }

    void native() {
        Native made;
        std::string name = tokens.word();
        made.package = name.substr(0, name.find('.'));
        made.name = name.substr(name.find('.') + 1);
        tokens.expect("(");
        while (!tokens.failed() && !tokens.accept(")")) {
            made.params.push_back(types.type());
            tokens.accept(",");
        }
        tokens.expect("->");
        made.result = types.type();
        module.natives.push_back(std::move(made));
    }

    void package() {
        std::string packageName = tokens.word();
        names.enter(module);
        Body function = bodies.body(nullptr);
        module.functionNames.push_back(packageName + '.' + function.name);
        module.functions.push_back(std::move(function));
    }

    void stream() {
        static const std::map<std::string, StreamKind> kinds{
            {"filter", StreamKind::Filter},
            {"pipeline", StreamKind::Pipeline},
            {"splitjoin", StreamKind::SplitJoin},
            {"feedbackloop", StreamKind::FeedbackLoop}};
        auto kind = kinds.find(tokens.look().text);
        if (kind == kinds.end()) return tokens.fail("a stream");
        tokens.skip();
        StreamCode code;
        code.kind = kind->second;
        code.name = plainName(tokens.displayName());
        code.stateful = tokens.accept("stateful");
        code.isLibrary = tokens.accept("library");
        if (!tokens.accept("untyped")) {
            code.input = types.type();
            tokens.expect("->");
            code.output = types.type();
        }
        names.enter(module);
        tokens.expect("{");
        while (!tokens.failed() && !tokens.accept("}")) member(code);
        resolveFunctions(code);
        module.streams.push_back(std::move(code));
    }

    void member(StreamCode& code) {
        bool parameter = tokens.isNext("parameter");
        if (parameter || tokens.isNext("captured")) {
            tokens.skip();
            code.constants.push_back(types.variable());
            if (parameter) ++code.params;
            return;
        }
        if (tokens.accept("field")) {
            const auto field = static_cast<std::uint32_t>(code.fields.size());
            code.fields.push_back(types.variable());
            if (tokens.accept("input")) code.inputFields.push_back(field);
            if (tokens.accept("output")) code.outputFields.push_back(field);
            return;
        }
        if (tokens.accept("stored")) {
            code.stored.push_back({{}, types.variable().type, nullptr});
            return;
        }
        if (tokens.accept("default")) {
            std::uint32_t which = tokens.number();
            if (which >= code.params) return tokens.fail("the number of a parameter");
            code.defaults.resize(code.params);
            code.defaults[which] = bodies.body(&code);
            return;
        }
        code.defaults.resize(code.params);
        place(code, bodies.body(&code));
    }

    static void place(StreamCode& code, Body made) {
        switch (made.kind) {
            case BodyKind::Setup: code.setup = std::move(made); break;
            case BodyKind::Init: code.init = std::move(made); break;
            case BodyKind::Prework: code.prework = std::move(made); break;
            case BodyKind::Work: code.work = std::move(made); break;
            case BodyKind::Composite: code.body = std::move(made); break;
            default: code.functions.push_back(std::move(made));
        }
    }

    void resolve(std::uint32_t& index, const NameIndex& known) {
        auto found = known.find(names.notes[index]);
        if (found == known.end())
            tokens.fail("a known name instead of '" + names.notes[index] + "'");
        else
            index = found->second;
    }

    template <typename Visit>
    static void forEachBody(StreamCode& code, Visit visit) {
        visit(code.setup);
        for (std::optional<Body>& made : code.defaults)
            if (made) visit(*made);
        for (std::optional<Body>* made : {&code.init, &code.prework, &code.work, &code.body})
            if (*made) visit(**made);
        for (Body& made : code.functions) visit(made);
    }

    void resolveCalls(Body& made, CalleeKind kind, const NameIndex& known) {
        for (Block& each : made.blocks)
            for (Instr& instr : each.instrs)
                if (instr.op == Op::Call && instr.callee.kind == kind)
                    resolve(instr.callee.index, known);
    }

    void resolveFunctions(StreamCode& code) {
        if (tokens.failed()) return;
        NameIndex known = indexOf(Names(nullptr, &code, nullptr).functions);
        forEachBody(code, [&](Body& made) { resolveCalls(made, CalleeKind::Stream, known); });
    }

    void resolveStreams() {
        Names all(&module, nullptr, nullptr);
        NameIndex streams = indexOf(all.streams);
        NameIndex packages = indexOf(all.packages);
        for (Body& function : module.functions)
            resolveCalls(function, CalleeKind::Package, packages);
        for (StreamCode& code : module.streams)
            forEachBody(code, [&](Body& made) {
                resolveCalls(made, CalleeKind::Package, packages);
                for (Create& create : made.creates)
                    if (create.builtin == BuiltinStream::None) resolve(create.stream, streams);
            });
    }

    detail::TokenReader tokens;
    detail::TypeReader types;
    detail::NameScope names;
    detail::BodyReader bodies;
    Module module;
};

}  // namespace

base::Result<Module> parse(std::string_view text, types::TypeTable& types, base::NameTable& names) {
    detail::Tokens tokens = detail::tokenize(text);
    auto at = [](const Token& token) { return "line " + std::to_string(token.line) + ": "; };
    if (tokens.isOpen) return base::Failure{at(tokens.list.back()) + "the quotes are not closed"};
    ModuleReader reader(std::move(tokens.list), types, names, {});
    if (auto module = reader.parse()) return std::move(*module);
    const auto& [expected, found] = *reader.fault();
    return base::Failure{at(found) + "expected " + expected + " before '" + found.text + "'"};
}

std::optional<Module> parse(base::Context& context, base::BufferId buffer,
                            types::TypeTable& types) {
    return parse(context, buffer, context.sources.text(buffer), types);
}

std::optional<Module> parse(base::Context& context, base::BufferId buffer, std::string_view text,
                            types::TypeTable& types) {
    detail::Tokens tokens = detail::tokenize(text);
    auto rangeOf = [&](const Token& token) {
        return base::SourceRange{buffer, static_cast<std::uint32_t>(token.begin),
                                 static_cast<std::uint32_t>(token.end)};
    };
    if (tokens.isOpen) {
        context.diags.add(base::Diag::UnterminatedString,
                          rangeOf(tokens.list[tokens.list.size() - 2]));
        return std::nullopt;
    }
    ModuleReader reader(std::move(tokens.list), types, context.names, buffer);
    auto module = reader.parse();
    if (module) return module;
    const auto& [expected, found] = *reader.fault();
    context.diags.add(base::Diag::ExpectedToken, rangeOf(found))
        << expected
        << (found.kind == Token::Kind::End ? "the end of the file" : "'" + found.text + "'");
    return std::nullopt;
}

}  // namespace strc::ir
