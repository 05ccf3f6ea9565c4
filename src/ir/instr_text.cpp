#include "ir/detail/instr_text.h"

#include <map>

#include <fmt/format.h>

namespace strc::ir::detail {
namespace {

using types::TypeKind;

template <typename List, typename NameOf>
std::vector<std::string> displayNames(const List& list, NameOf nameOf) {
    std::map<std::string, int> count;
    for (const auto& entry : list) ++count[nameOf(entry)];
    std::vector<std::string> names;
    for (const auto& entry : list) {
        std::string name = nameOf(entry);
        bool unique = !name.empty() && count[name] == 1;
        names.push_back(unique ? name : fmt::format("{}#{}", name, names.size()));
    }
    return names;
}

std::vector<std::string> variableNames(const std::vector<Variable>& list) {
    return displayNames(list, [](const Variable& v) { return v.name; });
}

std::string quoted(std::string_view text, char quote) {
    std::string out(1, quote);
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            out += {'\\', c};
        else if (byte < 0x20 || byte >= 0x7f)
            out += fmt::format("\\{:03o}", byte);
        else
            out += c;
    }
    return out + quote;
}

template <typename T>
T read(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void appendValue(std::string& out, const Type* type, const char* at);

void appendParts(std::string& out, int count, const char* at) {
    for (int i = 0; i < count; ++i)
        out += (i ? ", " : "(") + types::formatFloat(read<float>(at + 4 * i));
    out += ')';
}

void appendScalar(std::string& out, const Type* type, const char* at) {
    switch (type->kind) {
        case TypeKind::Boolean: out += *at ? "true" : "false"; break;
        case TypeKind::Bit: out += *at ? '1' : '0'; break;
        case TypeKind::Char: out += quoted({at, 1}, '\''); break;
        case TypeKind::Int:
        case TypeKind::Portal: out += std::to_string(read<std::int32_t>(at)); break;
        case TypeKind::Long: out += std::to_string(read<std::int64_t>(at)); break;
        case TypeKind::Int8: out += std::to_string(read<std::int8_t>(at)); break;
        case TypeKind::Half:
        case TypeKind::BFloat16: out += std::to_string(read<std::uint16_t>(at)); break;  // the bits
        case TypeKind::Float: out += types::formatFloat(read<float>(at)); break;
        case TypeKind::Double: out += types::formatDouble(read<double>(at)); break;
        case TypeKind::Complex: appendParts(out, 2, at); break;
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: appendParts(out, type->components(), at); break;
        default: out += '?';
    }
}

/// Recurses over the nesting of the type, never over its length.
void appendValue(std::string& out, const Type* type, const char* at) {
    if (!type->isAggregate()) return appendScalar(out, type, at);
    out += '{';
    if (type->is(TypeKind::Array)) {
        std::int64_t stride = sizeOf(type->element);
        for (std::int64_t i = 0; i < type->extent; ++i) {
            if (i) out += ", ";
            appendValue(out, type->element, at + i * stride);
        }
    } else {
        for (const types::StructField& field : type->structure->fields) {
            if (&field != &type->structure->fields.front()) out += ", ";
            appendValue(out, field.type, at + field.offset);
        }
    }
    out += '}';
}

std::string variable(const Names& names, VarRef var) {
    switch (var.space) {
        case Space::Local: return "local " + nameAt(names.locals, var.index);
        case Space::Field: return "field " + nameAt(names.fields, var.index);
        case Space::Constant: return "constant " + nameAt(names.constants, var.index);
        case Space::Global: return "global " + nameAt(names.globals, var.index);
        case Space::Input: return "input";
        case Space::Output: return "output";
        case Space::Stored: return "stored " + nameAt(names.stored, var.index);
    }
    return "?";
}

std::string refText(const RegInfo& info) {
    if (info.lanes != 0) return fmt::format("refs<{}> ", info.lanes);
    return info.ref ? "ref " : "";
}

std::string reg(Reg r) { return r == kNone ? "%none" : "%" + std::to_string(r); }

std::string regAt(const Instr& instr, std::size_t position) {
    return position < instr.operands.size() ? reg(instr.operands[position]) : "%none";
}

std::string regList(const Instr& instr, std::size_t first, std::size_t end) {
    std::string out;
    for (std::size_t i = first; i < end && i < instr.operands.size(); ++i)
        out += (i == first ? "" : ", ") + reg(instr.operands[i]);
    return out;
}

/// The operand at `position`, with the extents that follow it: `%3` or `%3[%4, %5]`.
std::string withExtents(const Body& body, const Instr& instr, std::size_t position) {
    std::string out = regAt(instr, position);
    if (position >= instr.operands.size() || instr.operands[position] >= body.regs.size())
        return out;
    const RegInfo& info = body.regs[instr.operands[position]];
    if (!info.ref || isConcrete(info.type)) return out;
    std::size_t first = position + 1;
    return out + "[" + regList(instr, first, first + static_cast<std::size_t>(rank(info.type))) +
           "]";
}

std::string calleeText(const Names& names, Callee callee) {
    switch (callee.kind) {
        case CalleeKind::Stream: return "stream " + nameAt(names.functions, callee.index);
        case CalleeKind::Package: return "package " + nameAt(names.packages, callee.index);
        case CalleeKind::Native: return "native " + nameAt(names.natives, callee.index);
        case CalleeKind::DynamicShape: return fmt::format("symbolic {} ", callee.index);
    }
    return "?";
}

std::string createText(const Names& names, const Body& body, const Instr& instr) {
    const Create& create = body.creates[instr.index];
    static constexpr const char* roles[] = {"add ", "body ", "loop "};
    std::string out = roles[static_cast<int>(create.role)];
    if (create.builtin == BuiltinStream::None)
        out += "stream " + nameAt(names.streams, create.stream);
    else
        out.append("builtin ").append(types::info(create.builtin).name);
    if (create.typeArgument) out += "<" + typeText(create.typeArgument) + ">";
    if (create.typeExtents) out += "[" + regList(instr, 0, create.typeExtents) + "]";
    out += '(';
    for (std::size_t i = 0; i < create.args.size(); ++i) {
        if (i) out += ", ";
        out += create.args[i] == kNone ? "default" : withExtents(body, instr, create.args[i]);
    }
    out += ')';
    for (std::size_t i = 0; i < create.portals.size(); ++i)
        out += (i ? ", " : " to ") + regAt(instr, create.portals[i]);
    return out;
}

std::string sendText(const Body& body, const Instr& instr) {
    const Send& send = body.sends[instr.index];
    std::size_t position = send.hasLatency ? 2 : 1;
    std::string out = send.handler + "(";
    for (std::size_t i = 0; i < send.argTypes.size(); ++i) {
        if (i) out += ", ";
        out += withExtents(body, instr, position) + ": " + typeText(send.argTypes[i]);
        position +=
            1 +
            (isConcrete(send.argTypes[i]) ? 0 : static_cast<std::size_t>(rank(send.argTypes[i])));
    }
    out += ") to " + regAt(instr, 0);
    if (send.bestEffort) out += " besteffort";
    if (send.hasLatency) out += " latency " + regAt(instr, 1);
    return out;
}

std::string rateText(const Body& body, const Instr& instr) {
    const RateClause& rate = body.rates[instr.index];
    static constexpr const char* kinds[] = {"push", "pop", "peek"};
    std::string out =
        fmt::format("{} {}", rate.prework ? "prework" : "work", kinds[static_cast<int>(rate.kind)]);
    std::size_t next = 0;
    if (!rate.dynamic) return out + " " + regAt(instr, next);
    out += " dynamic";
    if (rate.hasMin) out += " min " + regAt(instr, next++);
    if (rate.hasAverage) out += " average " + regAt(instr, next++);
    if (rate.hasMax) out += " max " + regAt(instr, next++);
    return out;
}

std::string checkText(const Body& body, const Instr& instr) {
    static constexpr const char* kinds[] = {"pop", "push", "peek", "offset"};
    const Check& check = body.checks[instr.index];
    return fmt::format("{} {} {}, {}", check.prework ? "prework" : "work",
                       kinds[static_cast<int>(check.kind)], quoted(check.filter, '"'),
                       regList(instr, 0, instr.operands.size()));
}

std::string splitterText(const Instr& instr) {
    static constexpr const char* forms[] = {"roundrobin", "uniform", "list"};
    if (instr.flag) return "duplicate";
    std::string out = forms[instr.index < 3 ? instr.index : 0];
    return instr.operands.empty() ? out : out + " " + regList(instr, 0, instr.operands.size());
}

std::string tensorText(const Instr& instr) {
    if (instr.tensor == types::TensorFn::Count) return "?";
    std::string name(types::info(instr.tensor).name);
    if (instr.math != types::MathFn::Count) name.append(" ").append(types::name(instr.math));
    std::string operands = regList(instr, 0, instr.operands.size());
    return operands.empty() ? name : name + " " + operands;
}

/// The text behind the mnemonic. Plain operations have variable, operands and index.
std::string arguments(const Names& names, const Body& body, const Instr& instr) {
    switch (instr.op) {
        case Op::Const: return valueText(instr.value);
        case Op::Contract:
            return valueText(instr.value) + " " + regList(instr, 0, instr.operands.size());
        case Op::Create:
            return instr.index < body.creates.size() ? createText(names, body, instr) : "?";
        case Op::Send: return instr.index < body.sends.size() ? sendText(body, instr) : "?";
        case Op::Rate: return instr.index < body.rates.size() ? rateText(body, instr) : "?";
        case Op::Check: return instr.index < body.checks.size() ? checkText(body, instr) : "?";
        case Op::Split:
        case Op::Join: return splitterText(instr);
        case Op::Enqueue: return withExtents(body, instr, 0);
        case Op::Call:
            return calleeText(names, instr.callee) +
                   (instr.callee.kind != CalleeKind::DynamicShape ? ""
                    : instr.flag                                  ? "next"
                                                                  : std::to_string(instr.index)) +
                   "(" + regList(instr, 0, instr.operands.size()) + ")";
        case Op::If:
            return (instr.value.type ? valueText(instr.value) + " " : "") +
                   regList(instr, 0, instr.operands.size()) + (instr.flag ? " likely" : "");
        case Op::Loop: return instr.flag ? "dowhile" : "";
        case Op::ItemType:
            return fmt::format("{} {}", instr.index ? "output" : "input",
                               regList(instr, 0, instr.operands.size()));
        case Op::Tensor: return tensorText(instr);
        case Op::Math:
            return fmt::format("{} {}", types::name(instr.math),
                               regList(instr, 0, instr.operands.size()));
        default: break;
    }
    std::string out = instr.var.index == kNone ? "" : variable(names, instr.var);
    if (!instr.operands.empty())
        out += (out.empty() ? "" : ", ") + regList(instr, 0, instr.operands.size());
    if (instr.index != kNone) out += fmt::format("{}{}", out.empty() ? "" : ", ", instr.index);
    return out;
}

}  // namespace

Names::Names(const Module* module, const StreamCode* stream, const Body* body) {
    if (module) enter(*module);
    enter(stream);
    if (body) enter(*body);
}

void Names::enter(const Module& module) {
    globals = variableNames(module.globals);
    streams = displayNames(module.streams, [](const StreamCode& s) { return s.name; });
    packages = displayNames(module.functionNames, [](const std::string& name) { return name; });
    natives =
        displayNames(module.natives, [](const Native& n) { return n.package + "." + n.name; });
}

void Names::enter(const StreamCode* stream) {
    fields.clear();
    constants.clear();
    functions.clear();
    stored.clear();
    if (!stream) return;
    fields = variableNames(stream->fields);
    constants = variableNames(stream->constants);
    for (std::size_t k = 0; k < stream->stored.size(); ++k)
        stored.push_back("#" + std::to_string(k));
    functions = displayNames(stream->functions, [](const Body& b) { return b.name; });
}

void Names::enter(const Body& body) { locals = variableNames(body.locals); }

std::string nameAt(const std::vector<std::string>& names, std::uint32_t index) {
    if (index < names.size()) return names[index];
    return index == kNone ? "#none" : "#" + std::to_string(index);
}

std::string typeText(const Type* type) { return type ? toString(type) : "untyped"; }

std::string valueText(const Value& value) {
    if (!value.type) return "?";
    if (value.type->is(TypeKind::String)) return quoted(value.bytes, '"');
    std::string out;
    appendValue(out, value.type, value.bytes.data());
    return out;
}

std::string instrText(const Names& names, const Body& body, const Instr& instr) {
    std::string out;
    bool typed = false;
    if (instr.result != kNone) {
        const RegInfo* info = instr.result < body.regs.size() ? &body.regs[instr.result] : nullptr;
        typed = info && info->type == instr.type;
        out = fmt::format("{}: {}{} = ", reg(instr.result), info ? refText(*info) : "",
                          typeText(info ? info->type : nullptr));
    }
    out += ir::info(instr.op).mnemonic;
    if (instr.type && !typed) out += "<" + typeText(instr.type) + ">";
    std::string rest = arguments(names, body, instr);
    if (!rest.empty()) out += " " + rest;
    if (!instr.checked) out += " unchecked";
    if (instr.isNatural) out += " natural";
    if (instr.op == Op::Declare && instr.flag) out += " overwritten";
    if ((instr.op == Op::Add || instr.op == Op::Math) && instr.flag) out += " relaxed";
    return out;
}

}  // namespace strc::ir::detail
