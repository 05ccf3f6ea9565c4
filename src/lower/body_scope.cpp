#include "lower/detail/body_scope.h"

#include "base/assert.h"

namespace strc::lower::detail {

using ir::Space;
using sema::SymbolKind;
using types::TypeKind;

BodyScope::BodyScope(ModuleScope& scope, StreamScope* stream, std::string name, ir::BodyKind kind,
                     SourceRange range)
    : m(scope), stream(stream), b(scope.types, std::move(name), kind, range) {}

VarRef BodyScope::variable(const Symbol& symbol) const {
    switch (symbol.kind) {
        case SymbolKind::Local:
        case SymbolKind::Param: {
            auto found = slots.find(&symbol);
            STRC_ASSERT(found != slots.end(), "a variable of another body");
            return {Space::Local, found->second};
        }
        case SymbolKind::Field: return {Space::Field, symbol.index};
        case SymbolKind::StreamParam:
        case SymbolKind::Captured: return {Space::Constant, symbol.index};
        case SymbolKind::Global:
            if (stream && stream->code.kind == ir::StreamKind::Filter &&
                symbol.type->is(TypeKind::Tensor))
                return {Space::Field, fieldOf(symbol)};
            return {Space::Global, symbol.index};
    }
    return {};
}

std::uint32_t BodyScope::fieldOf(const Symbol& global) const {
    ir::StreamCode& code = stream->code;
    const auto next = static_cast<std::uint32_t>(code.fields.size());
    auto [found, isNew] = stream->staticTensors.try_emplace(global.index, next);
    if (isNew) code.fields.push_back(m.module.globals[global.index]);
    return found->second;
}

const Type* BodyScope::variableType(VarRef var) const {
    switch (var.space) {
        case Space::Local: return b.body.locals[var.index].type;
        case Space::Field: return stream->code.fields[var.index].type;
        case Space::Constant: return stream->code.constants[var.index].type;
        case Space::Global: return m.module.globals[var.index].type;
        case Space::Input: return stream->code.input;
        case Space::Output: return stream->code.output;
        case Space::Stored: break;  // only elaboration makes these
    }
    return nullptr;
}

}  // namespace strc::lower::detail
