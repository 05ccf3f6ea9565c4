#pragma once
/// A body of a stream that is being expanded, and what is known before it is. Private to tensor.

#include "tensor/detail/expansion.h"

namespace strc::tensor {

struct BodyContext {
    const ir::StreamCode& code;
    const ir::Body& body;
    const ExpansionInput& in;
    types::TypeTable& types;

    /// Null of variables that have no declaration here.
    const Type* typeOf(ir::VarRef var) const {
        if (var.space == ir::Space::Local) return body.locals[var.index].type;
        return var.space == ir::Space::Field ? code.fields[var.index].type : nullptr;
    }
    /// "'x'"
    std::string nameOf(ir::VarRef var) const {
        const bool isLocal = var.space == ir::Space::Local;
        return "'" + (isLocal ? body.locals[var.index].name : code.fields[var.index].name) + "'";
    }
};

}  // namespace strc::tensor
