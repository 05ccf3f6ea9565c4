#include "ir/detail/name_scope.h"

#include <utility>

namespace strc::ir::detail {

NameIndex indexOf(const std::vector<std::string>& names) {
    NameIndex index;
    for (std::uint32_t k = 0; k < names.size(); ++k) index[names[k]] = k;
    return index;
}

void NameScope::enter(const Module& module) {
    Names all(&module, nullptr, nullptr);
    globals = indexOf(all.globals);
    natives = indexOf(all.natives);
}

void NameScope::enter(const StreamCode* stream, const Body& body) {
    Names inside(nullptr, stream, &body);
    locals = indexOf(inside.locals);
    fields = indexOf(inside.fields);
    constants = indexOf(inside.constants);
    stored = indexOf(inside.stored);
}

std::uint32_t NameScope::note(std::string name) {
    notes.push_back(std::move(name));
    return static_cast<std::uint32_t>(notes.size() - 1);
}

}  // namespace strc::ir::detail
