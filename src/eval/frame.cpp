#include "eval/detail/frame.h"

#include <algorithm>

namespace strc::eval {

Frame::Frame(const ir::Body& body, Function& function) : locals(body.locals.size()) {
    std::uint64_t next = kHeader;
    auto isInFrame = [&body](std::size_t k) {
        return k >= body.params && body.locals[k].type->isAggregate() &&
               types::isConcrete(body.locals[k].type);
    };
    for (std::size_t k = 0; k < locals.size(); ++k) {
        const Type* type = body.locals[k].type;
        if (isInFrame(k)) continue;
        locals[k].slot = static_cast<std::uint32_t>(next);
        if (type->isScalar())
            next += slotsOf(type);
        else
            next += k < body.params ? 1u : static_cast<std::uint32_t>(kExtents);
        if (k < body.params) function.paramSlots = static_cast<std::uint32_t>(next) - kHeader;
        if (!type->isAggregate() || types::isConcrete(type) || k < body.params) continue;
        dynamic = true;
        locals[k].extents = static_cast<std::uint32_t>(next);
        next += static_cast<std::uint32_t>(types::rank(type));
    }
    for (std::size_t k = 0; k < body.params;
         ++k) {  // behind all parameters: the caller sets none of these
        if (!body.locals[k].type->isAggregate() || types::isConcrete(body.locals[k].type)) continue;
        locals[k].extents = static_cast<std::uint32_t>(next);
        next += static_cast<std::uint32_t>(types::rank(body.locals[k].type));
        if (k == 0) function.resultExtents = locals[k].extents;
    }
    for (std::size_t k = 0; k < locals.size(); ++k) {
        if (!isInFrame(k)) continue;
        locals[k].offset = static_cast<std::int64_t>(next * 8);
        // Three of the largest would overflow; nothing that large ever runs.
        auto bytes = std::min(static_cast<std::uint64_t>(types::sizeOf(body.locals[k].type)),
                              std::uint64_t{1} << 40);
        function.arrayBytes += bytes;
        if (function.arrayBytes <= kLargestFrame) next += (bytes + 7) / 8;
    }
    behind = static_cast<std::uint32_t>(next);
}

}  // namespace strc::eval
