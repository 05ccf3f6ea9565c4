#include "weights/weights.h"

#include <algorithm>

namespace strc::weights {

base::Result<Values> Source::find(const std::string& name, const Type* wanted,
                                  types::TypeTable& types) {
    auto found = look(name, wanted, types);
    const bool isKnown =
        std::any_of(used.begin(), used.end(), [&](const Use& use) { return use.name == name; });
    if (found && !isKnown) used.push_back({name, *found});
    return found;
}

void Source::noteComputation(const Bytes& bytes) {
    for (Use& use : used) use.isComputedWith |= use.values.bytes == bytes;
}

void Source::noteFilter(base::SourceRange added, const std::function<std::string()>& path) {
    if (placed == used.size()) return;
    const std::string instance = path();
    for (; placed < used.size(); ++placed) {
        used[placed].added = added;
        used[placed].instance = instance;
    }
}

}  // namespace strc::weights
