#include "ast/spelling.h"

namespace strc::ast {

std::string_view spelling(Primitive primitive) {
    switch (primitive) {
        case Primitive::Void: return "void";
        case Primitive::Boolean: return "boolean";
        case Primitive::Bit: return "bit";
        case Primitive::Int: return "int";
        case Primitive::Float: return "float";
        case Primitive::Double: return "double";
        case Primitive::Complex: return "complex";
        case Primitive::Float2: return "float2";
        case Primitive::Float3: return "float3";
        case Primitive::Float4: return "float4";
        case Primitive::String: return "String";
    }
    STRC_UNREACHABLE("enumerator");
}

std::string_view spelling(AssignOp op) {
    switch (op) {
        case AssignOp::Plain: return "=";
        case AssignOp::Add: return "+=";
        case AssignOp::Subtract: return "-=";
        case AssignOp::Multiply: return "*=";
        case AssignOp::Divide: return "/=";
        case AssignOp::ShiftLeft: return "<<=";
        case AssignOp::ShiftRight: return ">>=";
        case AssignOp::Remainder: return "%=";
        case AssignOp::And: return "&=";
        case AssignOp::Or: return "|=";
        case AssignOp::Xor: return "^=";
    }
    STRC_UNREACHABLE("enumerator");
}

std::string_view spelling(StreamKind kind) {
    switch (kind) {
        case StreamKind::Filter: return "filter";
        case StreamKind::Pipeline: return "pipeline";
        case StreamKind::SplitJoin: return "splitjoin";
        case StreamKind::FeedbackLoop: return "feedbackloop";
    }
    STRC_UNREACHABLE("enumerator");
}

std::string_view spelling(RateKind kind) {
    switch (kind) {
        case RateKind::Push: return "push";
        case RateKind::Pop: return "pop";
        case RateKind::Peek: return "peek";
    }
    STRC_UNREACHABLE("enumerator");
}

int level(BinaryOp op) {
    switch (op) {
        case BinaryOp::Or: return 2;
        case BinaryOp::And: return 3;
        case BinaryOp::BitOr:
        case BinaryOp::BitAnd:
        case BinaryOp::BitXor: return 4;
        case BinaryOp::Equal:
        case BinaryOp::NotEqual: return 5;
        case BinaryOp::Less:
        case BinaryOp::LessEqual:
        case BinaryOp::Greater:
        case BinaryOp::GreaterEqual: return 6;
        case BinaryOp::Add:
        case BinaryOp::Subtract: return 7;
        case BinaryOp::Multiply:
        case BinaryOp::Divide:
        case BinaryOp::Remainder:
        case BinaryOp::ShiftLeft:
        case BinaryOp::ShiftRight: return 8;
    }
    return 0;
}

}  // namespace strc::ast
