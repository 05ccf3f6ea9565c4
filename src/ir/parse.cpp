// Reads the text that print.cpp writes; the syntax stands there.

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "ir/detail/instr_text.h"
#include "ir/detail/text_lexer.h"
#include "ir/text.h"

namespace strc::ir {
namespace {

using detail::Names;
using detail::Token;
using types::TypeKind;

using NameIndex = std::map<std::string, std::uint32_t>;

NameIndex indexOf(const std::vector<std::string>& names) {
    NameIndex index;
    for (std::uint32_t k = 0; k < names.size(); ++k) index[names[k]] = k;
    return index;
}

class Parser {
public:
    /// `buffer`: where the text stands, or none.
    Parser(std::vector<Token> tokens, types::TypeTable& types, base::NameTable& names,
           base::BufferId buffer)
        : tokens(std::move(tokens)), types(types), names(names), buffer(buffer) {}

    /// Empty: see `wrong`.
    std::optional<Module> parse() {
        while (!failed() && !isEnd()) declaration();
        if (!failed()) resolveStreams();
        if (failed()) return std::nullopt;
        return std::move(module);
    }

    /// What is expected, and the token that stands there instead.
    struct Wrong {
        std::string expected;
        Token found;
    };
    const std::optional<Wrong>& fault() const { return wrong; }

private:
    // ---- tokens

    const Token& look() const { return tokens[at]; }
    bool isEnd() const { return look().kind == Token::Kind::End; }
    bool failed() const { return wrong.has_value(); }
    bool isNext(std::string_view text) const {
        return (look().kind == Token::Kind::Word || look().kind == Token::Kind::Sign) &&
               look().text == text;
    }

    void fail(const std::string& expected) {
        if (failed()) return;
        wrong = {expected, look()};
        at = tokens.size() - 1;  // nothing more is read
    }

    bool accept(std::string_view text) {
        if (!isNext(text)) return false;
        ++at;
        return true;
    }
    void expect(std::string_view text) {
        if (!accept(text)) fail('\'' + std::string(text) + '\'');
    }
    std::string word() { return take(Token::Kind::Word, "a word"); }
    std::string take(Token::Kind kind, const char* what) {
        if (look().kind == kind) return tokens[at++].text;
        fail(what);
        return {};
    }
    std::uint32_t number() {
        std::string text = take(Token::Kind::Number, "a number");
        std::uint32_t value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    }
    Reg reg() {
        const std::size_t from = at;
        std::string text = take(Token::Kind::Register, "a register");
        Reg value = kNone;
        std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed() || value <= tokens.size()) return value;
        at = from;
        fail("a smaller register number");
        return kNone;
    }
    /// NAME, NAME#INDEX or #INDEX, as it stands.
    std::string displayName() {
        std::string name = look().kind == Token::Kind::Word ? word() : std::string();
        if (accept("#")) name += '#' + std::to_string(number());
        if (name.empty()) fail("a name");
        return name;
    }
    static std::string plainName(const std::string& display) {
        return display.substr(0, display.find('#'));
    }

    // ---- types

    const Type* type() {
        if (accept("tensor")) return tensorType();
        const Type* inner = baseType(word());
        std::vector<std::int64_t> bounds;
        while (!failed() && accept("[")) {
            bounds.push_back(extent("?"));
            expect("]");
        }
        if (!areFew(bounds)) fail("a smaller type");
        for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound)
            inner = types.array(inner, *bound);
        return inner;
    }

    std::int64_t extent(std::string_view open) {
        return accept(open) ? types::kDynamic : static_cast<std::int64_t>(number());
    }

    /// No product of them is too large to count with.
    static bool areFew(const std::vector<std::int64_t>& extents) {
        std::int64_t product = 1;
        for (const std::int64_t extent : extents)
            if (extent > 0 &&
                (__builtin_mul_overflow(product, extent, &product) || product > kMostElements))
                return false;
        return true;
    }

    const Type* tensorType() {
        const Type* element = nullptr;
        if (accept("<")) {
            element = baseType(word());
            expect(">");
        }
        if (!accept("[")) return types.tensor(element);
        std::vector<std::int64_t> dims;
        while (!failed() && !accept("]")) {
            if (!dims.empty()) expect(",");
            dims.push_back(extent("_"));
        }
        if (!areFew(dims)) fail("a smaller type");
        return types.tensor(element, std::move(dims));
    }

    const Type* baseType(const std::string& name) {
        if (name == "vector") {
            expect("<");
            const Type* element = baseType(word());
            expect(",");
            const auto lanes = static_cast<std::int64_t>(number());
            expect(">");
            if (lanes < 1 || lanes > kMostLanes) fail("a number of lanes");
            return types.vector(element, lanes);
        }
        if (name == "portal") {
            expect("<");
            const Type* portal = types.portal(names.intern(word()));
            expect(">");
            return portal;
        }
        for (int kind = 0; kind <= static_cast<int>(TypeKind::BFloat16); ++kind) {
            const Type* scalar = types.scalar(static_cast<TypeKind>(kind));
            if (scalar && types::toString(scalar) == name) return scalar;
        }
        auto found = structs.find(name);
        if (found != structs.end()) return found->second;
        fail("a type");
        return types.error();
    }

    // ---- declarations

    void declaration() {
        if (accept("struct")) return structure();
        if (accept("global")) return global();
        if (accept("native")) return native();
        if (accept("package")) return package();
        stream();
    }

    void structure() {
        std::string name = word();
        const Type* made = types.structure(names.intern(name), {});
        expect("{");
        while (!failed() && !accept("}")) {
            const Type* fieldType = type();
            made->structure->fields.push_back({names.intern(word()), fieldType, 0, {}});
        }
        if (!failed()) types.complete(*made->structure);
        structs[name] = made;
    }

    void global() {
        std::string name = displayName();
        expect(":");
        const Type* globalType = type();
        module.globals.push_back({plainName(name), globalType, {}});
        module.globalValues.resize(module.globals.size());
        if (accept("=")) module.globalValues.back() = value(globalType);
    }

    void native() {
        Native made;
        std::string name = word();
        made.package = name.substr(0, name.find('.'));
        made.name = name.substr(name.find('.') + 1);
        expect("(");
        while (!failed() && !accept(")")) {
            made.params.push_back(type());
            accept(",");
        }
        expect("->");
        made.result = type();
        module.natives.push_back(std::move(made));
    }

    void package() {
        std::string packageName = word();
        enterModule();
        current = nullptr;
        Body function = body();
        module.functionNames.push_back(packageName + '.' + function.name);
        module.functions.push_back(std::move(function));
    }

    void enterModule() {
        Names all(&module, nullptr, nullptr);
        globals = indexOf(all.globals);
        natives = indexOf(all.natives);
    }

    void stream() {
        static const std::map<std::string, StreamKind> kinds{
            {"filter", StreamKind::Filter},
            {"pipeline", StreamKind::Pipeline},
            {"splitjoin", StreamKind::SplitJoin},
            {"feedbackloop", StreamKind::FeedbackLoop}};
        auto kind = kinds.find(look().text);
        if (kind == kinds.end()) return fail("a stream");
        ++at;
        StreamCode code;
        code.kind = kind->second;
        code.name = plainName(displayName());
        code.stateful = accept("stateful");
        code.isLibrary = accept("library");
        if (!accept("untyped")) {
            code.input = type();
            expect("->");
            code.output = type();
        }
        enterModule();
        current = &code;
        expect("{");
        while (!failed() && !accept("}")) member(code);
        resolveFunctions(code);
        current = nullptr;
        module.streams.push_back(std::move(code));
    }

    void member(StreamCode& code) {
        bool parameter = isNext("parameter");
        if (parameter || isNext("captured")) {
            ++at;
            code.constants.push_back(variable());
            if (parameter) ++code.params;
            return;
        }
        if (accept("field")) {
            code.fields.push_back(variable());
            return;
        }
        if (accept("stored")) {
            code.stored.push_back({{}, variable().type, nullptr});
            return;
        }
        if (accept("default")) {
            std::uint32_t which = number();
            if (which >= code.params) return fail("the number of a parameter");
            code.defaults.resize(code.params);
            code.defaults[which] = body();
            return;
        }
        code.defaults.resize(code.params);
        place(code, body());
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

    Variable variable() {
        std::string name = plainName(displayName());
        expect(":");
        return {name, type(), {}};
    }

    // ---- bodies

    Body body() {
        static const char* words[] = {"setup",   "init",      "prework", "work",   "function",
                                      "handler", "composite", "static",  "default"};
        auto kind = std::find(std::begin(words), std::end(words), look().text);
        Body made;
        if (kind == std::end(words)) {
            fail("a body");
            return made;
        }
        if (buffer.valid()) made.range = rangeOf(look(), look());
        ++at;
        made.kind = static_cast<BodyKind>(kind - std::begin(words));
        made.name = look().kind == Token::Kind::Word ? word() : *kind;
        made.result = types.voidType();
        if (accept("(")) {
            while (!failed() && !accept(")")) {
                made.locals.push_back(variable());
                accept(",");
            }
        }
        made.params = static_cast<std::uint32_t>(made.locals.size());
        if (accept("->")) made.result = type();
        expect("{");
        while (!failed() && accept("local")) {
            made.locals.push_back(variable());
        }
        enterBody(made);
        made.blocks.emplace_back();
        made.entry = 0;
        instructions(made, 0);
        return made;
    }

    void enterBody(const Body& made) {
        Names inside(nullptr, current, &made);
        locals = indexOf(inside.locals);
        fields = indexOf(inside.fields);
        constants = indexOf(inside.constants);
        stored = indexOf(inside.stored);
    }

    /// Up to and with the closing brace.
    void instructions(Body& made, BlockId block) {
        while (!failed() && !accept("}")) {
            const std::size_t from = at;
            Instr instr = instruction(made);
            if (buffer.valid()) instr.range = rangeOf(tokens[from], tokens[at - 1]);
            if (instr.op == Op::If || instr.op == Op::Loop) blocksOf(made, instr);
            if (accept("unchecked")) instr.checked = false;
            if (accept("natural")) instr.isNatural = true;
            if (accept("overwritten") || accept("relaxed")) instr.flag = true;
            made.blocks[block].instrs.push_back(std::move(instr));
        }
    }

    BlockId block(Body& made) {
        if (depth == kMostNesting) fail("fewer blocks inside of each other");
        ++depth;
        expect("{");
        auto id = static_cast<BlockId>(made.blocks.size());
        made.blocks.emplace_back();
        instructions(made, id);
        --depth;
        return id;
    }

    void blocksOf(Body& made, Instr& instr) {
        instr.blocks[0] = block(made);
        if (instr.op == Op::If) {
            if (accept("else")) instr.blocks[1] = block(made);
            return;
        }
        expect("do");
        instr.blocks[1] = block(made);
        if (accept("step")) instr.blocks[2] = block(made);
    }

    base::SourceRange rangeOf(const Token& first, const Token& last) const {
        return {buffer, static_cast<std::uint32_t>(first.begin),
                static_cast<std::uint32_t>(last.end)};
    }

    Instr instruction(Body& made) {
        Instr instr;
        if (look().kind == Token::Kind::Register) {
            instr.result = reg();
            expect(":");
            RegInfo info;
            if (accept("refs")) {
                info.ref = true;
                expect("<");
                info.lanes = static_cast<std::uint32_t>(number());
                expect(">");
            } else {
                info.ref = accept("ref");
            }
            const Type* resultType = info.type = type();
            expect("=");
            if (failed()) return instr;
            if (made.regs.size() <= instr.result) made.regs.resize(instr.result + 1);
            made.regs[instr.result] = info;
            instr.type = resultType;
        }
        std::string mnemonic = word();
        instr.op = findOp(mnemonic);
        if (instr.op == Op::Count) {
            if (at > 0 && !failed()) --at;
            fail("an operation");
            return instr;
        }
        if (accept("<")) {
            instr.type = type();
            expect(">");
        }
        arguments(made, instr);
        return instr;
    }

    static Op findOp(const std::string& mnemonic) {
        for (int op = 0; op < static_cast<int>(Op::Count); ++op)
            if (mnemonic == info(static_cast<Op>(op)).mnemonic) return static_cast<Op>(op);
        return Op::Count;
    }

    void arguments(Body& made, Instr& instr) {
        switch (instr.op) {
            case Op::Const:
                if (!failed()) instr.value = value(instr.type);
                return;
            case Op::Contract:
                if (!failed()) instr.value = value(instr.type);
                return registers(instr);
            case Op::Tensor:
                instr.tensor = types::findTensorFn(word());
                if (instr.tensor == types::TensorFn::Math) instr.math = types::findMathFn(word());
                return registers(instr);
            case Op::Math: instr.math = types::findMathFn(word()); return registers(instr);
            case Op::Call: return callArguments(instr);
            case Op::Send: return sendArguments(made, instr);
            case Op::Create: return createArguments(made, instr);
            case Op::Rate: return rateArguments(made, instr);
            case Op::Check: return checkArguments(made, instr);
            case Op::Split:
            case Op::Join: return splitterArguments(instr);
            case Op::Enqueue: return withExtents(instr);
            case Op::Loop: instr.flag = accept("dowhile"); return;
            case Op::ItemType:
                instr.index = accept("output") ? 1 : 0;
                if (instr.index == 0) expect("input");
                return registers(instr);
            default: return plainArguments(instr);
        }
    }

    /// A register with a colon behind it is the result of the next instruction.
    bool isOperand() const {
        return look().kind == Token::Kind::Register && tokens[at + 1].text != ":";
    }

    void registers(Instr& instr) {
        while (!failed() && isOperand()) {
            instr.operands.push_back(reg());
            if (!accept(",")) return;
        }
    }

    void plainArguments(Instr& instr) {
        bool more = true;
        if (look().kind == Token::Kind::Word && variableRef(instr.var)) more = accept(",");
        if (more && isOperand()) {
            registers(instr);
            // A comma that registers() took stands before the index.
            more = look().kind == Token::Kind::Number;
        }
        if (more && look().kind == Token::Kind::Number) instr.index = number();
    }

    bool variableRef(VarRef& var) {
        if (accept("input"))
            var = {Space::Input, 0};
        else if (accept("output"))
            var = {Space::Output, 0};
        else if (accept("local"))
            var = {Space::Local, lookUp(locals)};
        else if (accept("field"))
            var = {Space::Field, lookUp(fields)};
        else if (accept("constant"))
            var = {Space::Constant, lookUp(constants)};
        else if (accept("global"))
            var = {Space::Global, lookUp(globals)};
        else if (accept("stored"))
            var = {Space::Stored, lookUp(stored)};
        else
            return false;
        return true;
    }

    std::uint32_t lookUp(const NameIndex& index) {
        std::string name = displayName();
        auto found = index.find(name);
        if (found != index.end()) return found->second;
        fail("a known name instead of '" + name + "'");
        return kNone;
    }

    void withExtents(Instr& instr) {
        instr.operands.push_back(reg());
        if (!accept("[")) return;
        registers(instr);
        expect("]");
    }

    void callArguments(Instr& instr) {
        if (accept("native")) {
            instr.callee = {CalleeKind::Native, lookUp(natives)};
        } else if (accept("symbolic")) {
            instr.callee = {CalleeKind::DynamicShape, number()};
            instr.flag = accept("next");
            instr.index = instr.flag ? 0 : number();
        } else {
            bool package = accept("package");
            if (!package) expect("stream");
            instr.callee = {package ? CalleeKind::Package : CalleeKind::Stream,
                            note(displayName())};
        }
        expect("(");
        registers(instr);
        expect(")");
    }

    void sendArguments(Body& made, Instr& instr) {
        Send send;
        send.handler = word();
        expect("(");
        Instr args;
        while (!failed() && !accept(")")) {
            withExtents(args);
            expect(":");
            send.argTypes.push_back(type());
            accept(",");
        }
        expect("to");
        instr.operands.push_back(reg());
        send.bestEffort = accept("besteffort");
        send.hasLatency = accept("latency");
        if (send.hasLatency) instr.operands.push_back(reg());
        instr.operands.insert(instr.operands.end(), args.operands.begin(), args.operands.end());
        instr.index = static_cast<std::uint32_t>(made.sends.size());
        made.sends.push_back(std::move(send));
    }

    void createArguments(Body& made, Instr& instr) {
        Create create;
        create.role = accept("body")   ? CreateRole::Body
                      : accept("loop") ? CreateRole::Loop
                                       : CreateRole::Add;
        if (create.role == CreateRole::Add) expect("add");
        if (accept("builtin"))
            create.builtin = builtin(word());
        else {
            expect("stream");
            create.stream = note(displayName());
        }
        if (accept("<")) {
            create.typeArgument = type();
            expect(">");
        }
        if (accept("[")) {
            registers(instr);
            expect("]");
            create.typeExtents = static_cast<std::uint32_t>(instr.operands.size());
        }
        expect("(");
        while (!failed() && !accept(")")) {
            if (accept("default"))
                create.args.push_back(kNone);
            else {
                create.args.push_back(static_cast<std::uint32_t>(instr.operands.size()));
                withExtents(instr);
            }
            accept(",");
        }
        if (accept("to")) {
            auto first = static_cast<std::uint32_t>(instr.operands.size());
            registers(instr);
            for (auto k = first; k < instr.operands.size(); ++k) create.portals.push_back(k);
        }
        instr.index = static_cast<std::uint32_t>(made.creates.size());
        made.creates.push_back(std::move(create));
    }

    BuiltinStream builtin(const std::string& name) {
        BuiltinStream found = types::findBuiltinStream(name);
        if (found != BuiltinStream::None) return found;
        fail("a built-in stream");
        return BuiltinStream::None;
    }

    void rateArguments(Body& made, Instr& instr) {
        RateClause rate;
        rate.prework = accept("prework");
        if (!rate.prework) expect("work");
        rate.kind = accept("push")  ? RateKind::Push
                    : accept("pop") ? RateKind::Pop
                                    : RateKind::Peek;
        if (rate.kind == RateKind::Peek) expect("peek");
        rate.dynamic = accept("dynamic");
        auto bound = [&](const char* which, bool& has) {
            has = accept(which);
            if (has) instr.operands.push_back(reg());
        };
        if (rate.dynamic) {
            bound("min", rate.hasMin);
            bound("average", rate.hasAverage);
            bound("max", rate.hasMax);
        } else {
            instr.operands.push_back(reg());
        }
        instr.index = static_cast<std::uint32_t>(made.rates.size());
        made.rates.push_back(rate);
    }

    void checkArguments(Body& made, Instr& instr) {
        Check check;
        check.prework = accept("prework");
        if (!check.prework) expect("work");
        check.kind = accept("pop")    ? CheckKind::Pop
                     : accept("push") ? CheckKind::Push
                     : accept("peek") ? CheckKind::Peek
                                      : CheckKind::NegativePeek;
        if (check.kind == CheckKind::NegativePeek) expect("offset");
        check.filter = take(Token::Kind::String, "a string");
        expect(",");
        registers(instr);
        instr.index = static_cast<std::uint32_t>(made.checks.size());
        made.checks.push_back(std::move(check));
    }

    void splitterArguments(Instr& instr) {
        instr.flag = accept("duplicate");
        instr.index = static_cast<std::uint32_t>(SplitForm::None);
        if (instr.flag || accept("roundrobin")) return;
        instr.index =
            static_cast<std::uint32_t>(accept("uniform") ? SplitForm::Uniform : SplitForm::List);
        if (instr.index == static_cast<std::uint32_t>(SplitForm::List)) expect("list");
        registers(instr);
    }

    // ---- values

    Value value(const Type* of) {
        if (of && of->is(TypeKind::String))
            return Value::text(of, take(Token::Kind::String, "a string"));
        if (!of || of->isError() || !types::isConcrete(of) || sizeOf(of) > kMostValueBytes) {
            fail("a value of a concrete type");
            return {};
        }
        Value made = Value::zero(of);
        fill(of, made.bytes.data());
        return made;
    }

    template <typename T>
    static void put(char* to, T item) {
        std::memcpy(to, &item, sizeof item);
    }

    /// Recursion follows the nesting of the type.
    void fill(const Type* of, char* to) {
        switch (of->kind) {
            case TypeKind::Array:
                return list('{', '}', of->extent, [&](std::int64_t k) {
                    fill(of->element, to + k * sizeOf(of->element));
                });
            case TypeKind::Struct: {
                const auto& members = of->structure->fields;
                return list('{', '}', static_cast<std::int64_t>(members.size()),
                            [&](std::int64_t k) {
                                fill(members[static_cast<std::size_t>(k)].type,
                                     to + members[static_cast<std::size_t>(k)].offset);
                            });
            }
            case TypeKind::Complex: return parts(2, to);
            case TypeKind::Float2:
            case TypeKind::Float3:
            case TypeKind::Float4: return parts(of->components(), to);
            case TypeKind::Boolean: *to = word() == "true"; return;
            case TypeKind::Char: *to = take(Token::Kind::Char, "a character")[0]; return;
            case TypeKind::Bit: *to = static_cast<char>(number()); return;
            case TypeKind::Float: return put(to, real<float>());
            case TypeKind::Double: return put(to, real<double>());
            case TypeKind::Long: return put(to, integer<std::int64_t>());
            default: return put(to, integer<std::int32_t>());
        }
    }

    template <typename Item>
    void list(char open, char close, std::int64_t count, Item item) {
        expect(std::string_view(&open, 1));
        for (std::int64_t k = 0; k < count && !failed(); ++k) {
            if (k) expect(",");
            item(k);
        }
        expect(std::string_view(&close, 1));
    }

    void parts(int count, char* to) {
        list('(', ')', count, [&](std::int64_t k) { put(to + 4 * k, real<float>()); });
    }

    template <typename Integer>
    Integer integer() {
        std::string text = take(Token::Kind::Number, "a number");
        Integer made = 0;
        std::from_chars(text.data(), text.data() + text.size(), made);
        return made;
    }

    template <typename Real>
    Real real() {
        if (accept("NaN")) return std::numeric_limits<Real>::quiet_NaN();
        if (accept("Infinity")) return std::numeric_limits<Real>::infinity();
        if (accept("-Infinity")) return -std::numeric_limits<Real>::infinity();
        std::string text = take(Token::Kind::Number, "a number");
        Real made = 0;
        std::from_chars(text.data(), text.data() + text.size(), made);
        return made;
    }

    // ---- names that may stand before what they name

    /// Index into `notes`, replaced by the index of what is meant once that is known.
    std::uint32_t note(std::string name) {
        notes.push_back(std::move(name));
        return static_cast<std::uint32_t>(notes.size() - 1);
    }

    void resolve(std::uint32_t& index, const NameIndex& known) {
        auto found = known.find(notes[index]);
        if (found == known.end())
            fail("a known name instead of '" + notes[index] + "'");
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
        if (failed()) return;
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

    static constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
    static constexpr std::int64_t kMostLanes = 1024;
    static constexpr int kMostNesting = 256;  ///< which recursion follows
    static constexpr std::int64_t kMostValueBytes = std::int64_t{1} << 28;

    std::vector<Token> tokens;
    std::size_t at = 0;
    int depth = 0;
    std::optional<Wrong> wrong;
    types::TypeTable& types;
    base::NameTable& names;
    base::BufferId buffer;
    Module module;
    const StreamCode* current = nullptr;
    std::map<std::string, const Type*> structs;
    NameIndex locals, fields, constants, stored, globals, natives;
    std::vector<std::string> notes;
};

}  // namespace

base::Result<Module> parse(std::string_view text, types::TypeTable& types, base::NameTable& names) {
    detail::Tokens tokens = detail::tokenize(text);
    auto at = [](const Token& token) { return "line " + std::to_string(token.line) + ": "; };
    if (tokens.isOpen) return base::Failure{at(tokens.list.back()) + "the quotes are not closed"};
    Parser parser(std::move(tokens.list), types, names, {});
    if (auto module = parser.parse()) return std::move(*module);
    const auto& [expected, found] = *parser.fault();
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
    Parser parser(std::move(tokens.list), types, context.names, buffer);
    auto module = parser.parse();
    if (module) return module;
    const auto& [expected, found] = *parser.fault();
    context.diags.add(base::Diag::ExpectedToken, rangeOf(found))
        << expected
        << (found.kind == Token::Kind::End ? "the end of the file" : "'" + found.text + "'");
    return std::nullopt;
}

}  // namespace strc::ir
