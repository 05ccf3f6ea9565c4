#include "ir/detail/argument_reader.h"

#include <utility>

namespace strc::ir::detail {

void ArgumentReader::arguments(Body& made, Instr& instr) {
    switch (instr.op) {
        case Op::Const:
            if (!tokens.failed()) instr.value = values.value(instr.type);
            return;
        case Op::Contract:
            if (!tokens.failed()) instr.value = values.value(instr.type);
            return registers(instr);
        case Op::Tensor:
            instr.tensor = types::findTensorFn(tokens.word());
            if (instr.tensor == types::TensorFn::Math)
                instr.math = types::findMathFn(tokens.word());
            return registers(instr);
        case Op::Math: instr.math = types::findMathFn(tokens.word()); return registers(instr);
        case Op::Call: return callArguments(instr);
        case Op::Send: return sendArguments(made, instr);
        case Op::Create: return createArguments(made, instr);
        case Op::Rate: return rateArguments(made, instr);
        case Op::Check: return checkArguments(made, instr);
        case Op::Split:
        case Op::Join: return splitterArguments(instr);
        case Op::Enqueue: return withExtents(instr);
        case Op::If:
            if (instr.type && instr.result == kNone && !tokens.failed())
                instr.value = values.value(instr.type);
            registers(instr);
            instr.flag = tokens.accept("likely");
            return;
        case Op::Loop: instr.flag = tokens.accept("dowhile"); return;
        case Op::ItemType:
            instr.index = tokens.accept("output") ? 1 : 0;
            if (instr.index == 0) tokens.expect("input");
            return registers(instr);
        default: return plainArguments(instr);
    }
}

void ArgumentReader::registers(Instr& instr) {
    while (!tokens.failed() && tokens.isOperand()) {
        instr.operands.push_back(tokens.reg());
        if (!tokens.accept(",")) return;
    }
}

void ArgumentReader::plainArguments(Instr& instr) {
    bool more = true;
    if (tokens.look().kind == Token::Kind::Word && variableRef(instr.var))
        more = tokens.accept(",");
    if (more && tokens.isOperand()) {
        registers(instr);
        // A comma that registers() took stands before the index.
        more = tokens.look().kind == Token::Kind::Number;
    }
    if (more && tokens.look().kind == Token::Kind::Number) instr.index = tokens.number();
}

bool ArgumentReader::variableRef(VarRef& var) {
    if (tokens.accept("input"))
        var = {Space::Input, 0};
    else if (tokens.accept("output"))
        var = {Space::Output, 0};
    else if (tokens.accept("local"))
        var = {Space::Local, lookUp(names.locals)};
    else if (tokens.accept("field"))
        var = {Space::Field, lookUp(names.fields)};
    else if (tokens.accept("constant"))
        var = {Space::Constant, lookUp(names.constants)};
    else if (tokens.accept("global"))
        var = {Space::Global, lookUp(names.globals)};
    else if (tokens.accept("stored"))
        var = {Space::Stored, lookUp(names.stored)};
    else
        return false;
    return true;
}

std::uint32_t ArgumentReader::lookUp(const NameIndex& index) {
    std::string name = tokens.displayName();
    auto found = index.find(name);
    if (found != index.end()) return found->second;
    tokens.fail("a known name instead of '" + name + "'");
    return kNone;
}

void ArgumentReader::withExtents(Instr& instr) {
    instr.operands.push_back(tokens.reg());
    if (!tokens.accept("[")) return;
    registers(instr);
    tokens.expect("]");
}

void ArgumentReader::callArguments(Instr& instr) {
    if (tokens.accept("native")) {
        instr.callee = {CalleeKind::Native, lookUp(names.natives)};
    } else if (tokens.accept("symbolic")) {
        instr.callee = {CalleeKind::DynamicShape, tokens.number()};
        instr.flag = tokens.accept("next");
        instr.index = instr.flag ? 0 : tokens.number();
    } else {
        bool package = tokens.accept("package");
        if (!package) tokens.expect("stream");
        instr.callee = {package ? CalleeKind::Package : CalleeKind::Stream,
                        names.note(tokens.displayName())};
    }
    tokens.expect("(");
    registers(instr);
    tokens.expect(")");
}

void ArgumentReader::sendArguments(Body& made, Instr& instr) {
    Send send;
    send.handler = tokens.word();
    tokens.expect("(");
    Instr args;
    while (!tokens.failed() && !tokens.accept(")")) {
        withExtents(args);
        tokens.expect(":");
        send.argTypes.push_back(types.type());
        tokens.accept(",");
    }
    tokens.expect("to");
    instr.operands.push_back(tokens.reg());
    send.bestEffort = tokens.accept("besteffort");
    send.hasLatency = tokens.accept("latency");
    if (send.hasLatency) instr.operands.push_back(tokens.reg());
    instr.operands.insert(instr.operands.end(), args.operands.begin(), args.operands.end());
    instr.index = static_cast<std::uint32_t>(made.sends.size());
    made.sends.push_back(std::move(send));
}

void ArgumentReader::createArguments(Body& made, Instr& instr) {
    Create create;
    create.role = tokens.accept("body")   ? CreateRole::Body
                  : tokens.accept("loop") ? CreateRole::Loop
                                          : CreateRole::Add;
    if (create.role == CreateRole::Add) tokens.expect("add");
    if (tokens.accept("builtin"))
        create.builtin = builtin(tokens.word());
    else {
        tokens.expect("stream");
        create.stream = names.note(tokens.displayName());
    }
    if (tokens.accept("<")) {
        create.typeArgument = types.type();
        tokens.expect(">");
    }
    if (tokens.accept("[")) {
        registers(instr);
        tokens.expect("]");
        create.typeExtents = static_cast<std::uint32_t>(instr.operands.size());
    }
    tokens.expect("(");
    while (!tokens.failed() && !tokens.accept(")")) {
        if (tokens.accept("default"))
            create.args.push_back(kNone);
        else {
            create.args.push_back(static_cast<std::uint32_t>(instr.operands.size()));
            withExtents(instr);
        }
        tokens.accept(",");
    }
    if (tokens.accept("to")) {
        auto first = static_cast<std::uint32_t>(instr.operands.size());
        registers(instr);
        for (auto k = first; k < instr.operands.size(); ++k) create.portals.push_back(k);
    }
    instr.index = static_cast<std::uint32_t>(made.creates.size());
    made.creates.push_back(std::move(create));
}

BuiltinStream ArgumentReader::builtin(const std::string& name) {
    BuiltinStream found = types::findBuiltinStream(name);
    if (found != BuiltinStream::None) return found;
    tokens.fail("a built-in stream");
    return BuiltinStream::None;
}

void ArgumentReader::rateArguments(Body& made, Instr& instr) {
    RateClause rate;
    rate.prework = tokens.accept("prework");
    if (!rate.prework) tokens.expect("work");
    rate.kind = tokens.accept("push")  ? RateKind::Push
                : tokens.accept("pop") ? RateKind::Pop
                                       : RateKind::Peek;
    if (rate.kind == RateKind::Peek) tokens.expect("peek");
    rate.dynamic = tokens.accept("dynamic");
    auto bound = [&](const char* which, bool& has) {
        has = tokens.accept(which);
        if (has) instr.operands.push_back(tokens.reg());
    };
    if (rate.dynamic) {
        bound("min", rate.hasMin);
        bound("average", rate.hasAverage);
        bound("max", rate.hasMax);
    } else {
        instr.operands.push_back(tokens.reg());
    }
    instr.index = static_cast<std::uint32_t>(made.rates.size());
    made.rates.push_back(rate);
}

void ArgumentReader::checkArguments(Body& made, Instr& instr) {
    Check check;
    check.prework = tokens.accept("prework");
    if (!check.prework) tokens.expect("work");
    check.kind = tokens.accept("pop")    ? CheckKind::Pop
                 : tokens.accept("push") ? CheckKind::Push
                 : tokens.accept("peek") ? CheckKind::Peek
                                         : CheckKind::NegativePeek;
    if (check.kind == CheckKind::NegativePeek) tokens.expect("offset");
    check.filter = tokens.take(Token::Kind::String, "a string");
    tokens.expect(",");
    registers(instr);
    instr.index = static_cast<std::uint32_t>(made.checks.size());
    made.checks.push_back(std::move(check));
}

void ArgumentReader::splitterArguments(Instr& instr) {
    instr.flag = tokens.accept("duplicate");
    instr.index = static_cast<std::uint32_t>(SplitForm::None);
    if (instr.flag || tokens.accept("roundrobin")) return;
    instr.index =
        static_cast<std::uint32_t>(tokens.accept("uniform") ? SplitForm::Uniform : SplitForm::List);
    if (instr.index == static_cast<std::uint32_t>(SplitForm::List)) tokens.expect("list");
    registers(instr);
}

}  // namespace strc::ir::detail
