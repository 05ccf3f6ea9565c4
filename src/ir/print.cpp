// The syntax of the text, which ir::parse reads. Words and signs are separated by white space
// where two would run together; line ends and indentation mean nothing. From ";" to the end of a line stands a comment.
//
//   module    = { struct | global | native | package | stream }         each kind in this order
//   struct    = "struct" NAME "{" { type NAME } "}"                      inner structs first
//   global    = "global" name ":" type [ "=" value ]
//   native    = "native" NAME "." NAME "(" [ type { "," type } ] ")" "->" type
//   package   = "package" NAME body                                      body of kind `function`
//   stream    = kind name [ "stateful" ] [ "library" ] sides "{" { member } "}"
//               kind: filter pipeline splitjoin feedbackloop; sides: type "->" type, or "untyped"
//   member    = ( "parameter" | "captured" | "field" | "stored" ) name ":" type     in this order
//               [ "input" | "output" ]                    a field that is a port, numbered as they come
//             | "default" INT body                                        INT: which parameter
//             | body                                    setup, init, prework, work, body, functions
//   body      = kind [ NAME ] [ "(" [ name ":" type { "," name ":" type } ] ")" ] [ "->" type ]
//               "{" { "local" name ":" type } { instr } "}"
//               kind: setup init prework work function handler composite static default; functions,
//               handlers and statics have a NAME; the parameters are the first locals
//   instr     = [ reg ":" [ "ref" | "refs" "<" LANES ">" ] type "=" ] MNEMONIC [ "<" type ">" ] arguments [ "unchecked" ] [ "natural" ]
//   block     = "{" { instr } "}"
//   reg       = "%" INT
//   name      = NAME | NAME "#" INDEX | "#" INDEX     with the index where NAME is not unique or empty
//   type      = as in the language; "?" for a dynamic extent; "String"; "portal<S>"; "vector<" type "," LANES ">"
//
// The type in angle brackets is Instr::type where the instruction has one and it is not the type of
// its result. Arguments by mnemonic (ops.def); `regs` = registers separated by commas:
//
//   const     value: 5, 1.5, NaN, Infinity, -Infinity, true, (re, im), (x, y, z), {…}, "text", 'c';
//             its type is the result's
//   math      FUNCTION regs
//   call      ( "stream" name | "package" NAME "." NAME | "native" NAME "." NAME ) "(" regs ")"
//   send      HANDLER "(" [ arg ":" type { "," arg ":" type } ] ")" "to" reg [ "besteffort" ]
//             [ "latency" reg ]                        arg = reg [ "[" regs "]" ]: with its extents
//   create    ( "add" | "body" | "loop" ) ( "stream" name | "builtin" NAME ) [ "<" type ">" ]
//             [ "[" regs "]" ] "(" [ arg | "default" { "," … } ] ")" [ "to" regs ]
//   split, join   "duplicate" | "roundrobin" | "uniform" reg | "list" regs
//   enqueue   arg
//   rate      ( "prework" | "work" ) ( "push" | "pop" | "peek" )
//             ( reg | "dynamic" [ "min" reg ] [ "average" reg ] [ "max" reg ] )
//   item.type ( "input" | "output" ) regs
//   if        reg [ "likely" ] block [ "else" block ]
//   loop      [ "dowhile" ] block "do" block [ "step" block ]                 condition, body, step
//   declare   variable [ "," regs ] [ "overwritten" ]
//   others    what they have of: variable, regs, index (an integer), separated by commas, where
//             variable = ( "local" | "field" | "constant" | "global" | "stored" ) name | "input" | "output"
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/detail/instr_text.h"
#include "ir/text.h"

namespace strc::ir {
namespace {

using detail::Names;
using detail::typeText;
using types::TypeKind;

/// What it says behind a field in which firings find or leave the items of a port.
const char* portWord(const StreamCode& s, std::uint32_t field) {
    const auto has = [&](const std::vector<std::uint32_t>& side) {
        return std::find(side.begin(), side.end(), field) != side.end();
    };
    return has(s.inputFields) ? " input" : has(s.outputFields) ? " output" : "";
}

const char* bodyWord(BodyKind kind) {
    static constexpr const char* words[] = {"setup",   "init",      "prework", "work",   "function",
                                            "handler", "composite", "static",  "default"};
    return words[static_cast<int>(kind)];
}

class Printer {
public:
    Printer(const Module* module, const StreamCode* stream) : names(module, stream, nullptr) {}

    void module(const Module&);
    void stream(const StreamCode&, std::uint32_t index);
    void body(const Body&, std::string_view prefix = "");

    std::string out;

private:
    void line(const std::string& text) { out.append(4 * depth, ' ').append(text) += '\n'; }
    void instr(const Body&, const Instr&);
    /// The rest of a line that ends in `{`, the block, and `}` without a line end.
    void block(const Body&, BlockId);
    void structs(const Module&);
    void structure(const types::StructInfo*, std::set<const types::StructInfo*>& seen);

    Names names;
    std::size_t depth = 0;
};

void Printer::block(const Body& body, BlockId id) {
    out += " {\n";
    ++depth;
    if (id < body.blocks.size())
        for (const Instr& i : body.blocks[id].instrs) instr(body, i);
    --depth;
    out.append(4 * depth, ' ') += '}';
}

void Printer::instr(const Body& body, const Instr& i) {
    out.append(4 * depth, ' ') += instrText(names, body, i);
    if (i.op == Op::If) {
        block(body, i.blocks[0]);
        if (i.blocks[1] != kNone) {
            out += " else";
            block(body, i.blocks[1]);
        }
    } else if (i.op == Op::Loop) {
        block(body, i.blocks[0]);
        out += " do";
        block(body, i.blocks[1]);
        if (i.blocks[2] != kNone) {
            out += " step";
            block(body, i.blocks[2]);
        }
    }
    out += '\n';
}

void Printer::body(const Body& b, std::string_view prefix) {
    names.enter(b);
    bool named =
        b.kind == BodyKind::Function || b.kind == BodyKind::Handler || b.kind == BodyKind::Static;
    std::string head = std::string(prefix) + bodyWord(b.kind);
    if (named) head += " " + b.name;
    if (named || b.params) {
        head += '(';
        for (std::uint32_t i = 0; i < b.params && i < b.locals.size(); ++i)
            head +=
                fmt::format("{}{}: {}", i ? ", " : "", names.locals[i], typeText(b.locals[i].type));
        head += ')';
    }
    if (b.result && !b.result->is(TypeKind::Void)) head += " -> " + typeText(b.result);
    line(head + " {");
    ++depth;
    for (std::size_t i = b.params; i < b.locals.size(); ++i)
        line(fmt::format("local {}: {}", names.locals[i], typeText(b.locals[i].type)));
    if (b.entry < b.blocks.size())
        for (const Instr& i : b.blocks[b.entry].instrs) instr(b, i);
    --depth;
    line("}");
}

void Printer::stream(const StreamCode& s, std::uint32_t index) {
    static constexpr const char* kinds[] = {"filter", "pipeline", "splitjoin", "feedbackloop"};
    names.enter(&s);
    std::string name = index == kNone ? s.name : detail::nameAt(names.streams, index);
    if (name.empty()) name = "#0";
    line(fmt::format(
        "{} {}{}{} {} {{", kinds[static_cast<int>(s.kind)], name, s.stateful ? " stateful" : "",
        s.isLibrary ? " library" : "",
        s.input && s.output ? typeText(s.input) + "->" + typeText(s.output) : "untyped"));
    ++depth;
    for (std::uint32_t i = 0; i < s.constants.size(); ++i)
        line(fmt::format("{} {}: {}", i < s.params ? "parameter" : "captured", names.constants[i],
                         typeText(s.constants[i].type)));
    for (std::uint32_t i = 0; i < s.fields.size(); ++i)
        line(fmt::format("field {}: {}{}", names.fields[i], typeText(s.fields[i].type),
                         portWord(s, i)));
    for (std::size_t i = 0; i < s.stored.size(); ++i)  // names are of the file, and may be anything
        line(fmt::format("stored #{}: {}", i, typeText(s.stored[i].type)));
    for (std::size_t i = 0; i < s.defaults.size(); ++i)
        if (s.defaults[i]) body(*s.defaults[i], fmt::format("default {} ", i));
    if (!s.setup.blocks.empty()) body(s.setup);  // code with its constants bound has none
    for (const std::optional<Body>* b : {&s.init, &s.prework, &s.work, &s.body})
        if (*b) body(**b);
    for (const Body& f : s.functions) body(f);
    --depth;
    line("}");
}

void Printer::structure(const types::StructInfo* info, std::set<const types::StructInfo*>& seen) {
    if (!seen.insert(info).second) return;
    for (const types::StructField& field : info->fields)
        if (const Type* inner = innermost(field.type); inner->is(TypeKind::Struct))
            structure(inner->structure, seen);
    line(fmt::format("struct {} {{", info->name.text()));
    for (const types::StructField& field : info->fields)
        line(fmt::format("    {} {}", typeText(field.type), field.name.text()));
    line("}");
}

/// Struct types in the order in which the module mentions them.
void Printer::structs(const Module& m) {
    std::set<const types::StructInfo*> seen;
    auto type = [&](const Type* t) {
        if (t && innermost(t)->is(TypeKind::Struct)) structure(innermost(t)->structure, seen);
    };
    auto variables = [&](const std::vector<Variable>& list) {
        for (const Variable& v : list) type(v.type);
    };
    auto registers = [&](const Body& b) {
        variables(b.locals);
        for (const RegInfo& r : b.regs) type(r.type);
    };
    variables(m.globals);
    for (const Native& n : m.natives)
        for (const Type* t : n.params) type(t);
    for (const Body& f : m.functions) registers(f);
    for (const StreamCode& s : m.streams) {
        type(s.input);
        type(s.output);
        variables(s.constants);
        variables(s.fields);
        registers(s.setup);
        for (const std::optional<Body>& b : s.defaults)
            if (b) registers(*b);
        for (const std::optional<Body>* b : {&s.init, &s.prework, &s.work, &s.body})
            if (*b) registers(**b);
        for (const Body& f : s.functions) registers(f);
    }
}

void Printer::module(const Module& m) {
    structs(m);
    for (std::size_t i = 0; i < m.globals.size(); ++i) {
        bool known = i < m.globalValues.size() && m.globalValues[i].type;
        line(fmt::format("global {}: {}{}", names.globals[i], typeText(m.globals[i].type),
                         known ? " = " + detail::valueText(m.globalValues[i]) : ""));
    }
    for (std::size_t i = 0; i < m.natives.size(); ++i) {
        std::string params;
        for (const Type* t : m.natives[i].params)
            params += (params.empty() ? "" : ", ") + typeText(t);
        line(fmt::format("native {}({}) -> {}", names.natives[i], params,
                         typeText(m.natives[i].result)));
    }
    names.enter(static_cast<const StreamCode*>(nullptr));
    for (std::size_t i = 0; i < m.functions.size(); ++i) {
        const std::string& name = m.functionNames[i];
        body(m.functions[i], fmt::format("package {} ", name.substr(0, name.find('.'))));
    }
    for (std::uint32_t i = 0; i < m.streams.size(); ++i) stream(m.streams[i], i);
}

}  // namespace

std::string print(const Module& module) {
    Printer printer(&module, nullptr);
    printer.module(module);
    return std::move(printer.out);
}

std::string print(const StreamCode& stream) {
    Printer printer(nullptr, &stream);
    printer.stream(stream, kNone);
    return std::move(printer.out);
}

std::string print(const Body& body) {
    Printer printer(nullptr, nullptr);
    printer.body(body);
    return std::move(printer.out);
}

}  // namespace strc::ir
