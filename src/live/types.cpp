#include "live/types.h"

namespace strc::live {

using types::Type;
using types::TypeKind;

namespace {

bool areStructsAlike(const types::StructInfo& a, const types::StructInfo& b) {
    if (a.fields.size() != b.fields.size() || a.size != b.size) return false;
    for (std::size_t k = 0; k < a.fields.size(); ++k) {
        const types::StructField &one = a.fields[k], &other = b.fields[k];
        if (one.name.text() != other.name.text() || one.offset != other.offset ||
            !areAlike(one.type, other.type))
            return false;
    }
    return true;
}

}  // namespace

bool areAlike(const Type* a, const Type* b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->extent != b->extent) return false;
    if (a->is(TypeKind::Struct)) return areStructsAlike(*a->structure, *b->structure);
    if (a->is(TypeKind::Tensor) && a->dims != b->dims) return false;
    return !a->element || areAlike(a->element, b->element);
}

}  // namespace strc::live
