#include "api/detail/collective.h"

#include <algorithm>
#include <cstring>

#include "api/detail/stream.h"

namespace strc::api {
namespace {

const strc_collectives& callsOf(void* self) { return *static_cast<const strc_collectives*>(self); }

int gather(void* self, const void* own, std::uint64_t bytes, void* all) {
    return callsOf(self).gather(callsOf(self).user, own, bytes, all);
}

int exchange(void* self, const void* out, std::uint64_t bytes, void* in) {
    return callsOf(self).exchange(callsOf(self).user, out, bytes, in);
}

const char* why(void*) { return "a collective of the caller has failed"; }

}  // namespace

Collective::Collective(const codegen::Mesh& place, const strc_collectives& functions)
    : calls(functions), made{&calls, place.rank, place.count, gather, exchange, why, nullptr} {}

}  // namespace strc::api

strc_status strc_stream_mesh(strc_stream* stream, const strc_collectives* functions) {
    if (!stream || !functions || functions->size < sizeof *functions || !functions->gather ||
        !functions->exchange || !stream->compiler->settings.mesh)
        return STRC_WRONG_CALL;
    return strc::api::guarded(stream->compiler, [&] {
        stream->mesh =
            std::make_unique<strc::api::Collective>(*stream->compiler->settings.mesh, *functions);
        stream->flow->env.mesh = &stream->mesh->mesh();
        return STRC_OK;
    });
}
