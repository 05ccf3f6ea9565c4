#include <utility>

#include "ir/text.h"

namespace strc::ir {
namespace {

template <typename Use>
void forEachBody(StreamCode& stream, Use use) {
    use(stream.setup);
    for (std::optional<Body>* body : {&stream.init, &stream.prework, &stream.work, &stream.body})
        if (*body) use(**body);
    for (std::optional<Body>& body : stream.defaults)
        if (body) use(*body);
    for (Body& function : stream.functions) use(function);
}

}  // namespace

Module forReading(Module module) {
    std::vector<std::uint32_t> order;  // by new place: the old one
    std::vector<std::uint32_t> places(module.streams.size(), kNone);  // by old place: the new one
    auto keep = [&](std::uint32_t stream) {
        if (stream == kNone || places[stream] != kNone) return;
        places[stream] = static_cast<std::uint32_t>(order.size());
        order.push_back(stream);
    };
    for (std::uint32_t k = 0; k < module.streams.size(); ++k)
        if (!module.streams[k].isLibrary) keep(k);
    for (std::size_t next = 0; next < order.size(); ++next)
        forEachBody(module.streams[order[next]], [&](const Body& body) {
            for (const Create& create : body.creates) keep(create.stream);
        });
    std::vector<StreamCode> kept;
    for (std::uint32_t stream : order) {
        kept.push_back(std::move(module.streams[stream]));
        forEachBody(kept.back(), [&](Body& body) {
            for (Create& create : body.creates)
                if (create.stream != kNone) create.stream = places[create.stream];
        });
    }
    module.streams = std::move(kept);
    return module;
}

}  // namespace strc::ir
