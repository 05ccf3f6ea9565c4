// Handles as data: what saves, restores and copies them.
#include <fmt/format.h>

#include "csource/detail/interface.h"

namespace strc::csource {
namespace {

/// The numbers of the versions and the layout of the head are those of strc/saved.h.
constexpr std::string_view kState = R"(/* A saved handle: this, and behind it the handle. */
typedef struct @_head {
    char magic[8];
    uint32_t version, order; /* of the bytes of a word */
    uint64_t program, size, sum;
} @_head;

static const @_head @_own_head = {
    {'s', 't', 'r', 'c', 's', 't', 'a', 't'}, 1, 0x01020304, UINT64_C(@PROGRAM), sizeof(@_head) + sizeof(@_handle), 0};

static uint64_t @_sum(const unsigned char *at, size_t size) {
    uint64_t sum = size;
    for (size_t k = 0; k < size; ++k) sum = (sum ^ at[k]) * UINT64_C(0x100000001b3);
    return sum;
}

size_t @_state_size(const @_handle *self) { return self ? sizeof(@_head) + sizeof(@_handle) : 0; }

int @_save(@_handle *self, void *to, size_t room, size_t *size) {
    @_head head = @_own_head;
    unsigned char *const bytes = to;
    if (size) *size = 0;
    if (!self) return @_CALL;
@FAILED    if (!to || !size || room < head.size) return @_refuse(self, "there is too little room for a state");
    self->message = NULL;
    memcpy(bytes + sizeof head, self, sizeof *self);
    self->message = "";
    head.sum = @_sum(bytes + sizeof head, sizeof *self);
    memcpy(bytes, &head, sizeof head);
    *size = (size_t)head.size;
    return @_OK;
}

/* Which state it is, before anything changes; with what is to be said of it. */
static int @_look_at(const unsigned char *from, size_t size, const char **why) {
    @_head head;
    const size_t start = size < sizeof head.magic ? size : sizeof head.magic;
    *why = "this is no saved state, or it is damaged";
    if (start != 0 && memcmp(from, @_own_head.magic, start) != 0) return @_DAMAGED;
    *why = "the saved state is not complete: its end is missing";
    if (size < sizeof head) return @_TRUNCATED;
    memcpy(&head, from, sizeof head);
    *why = "the saved state was written by a newer version of strc";
    if (head.order == @_own_head.order && head.version > @_own_head.version) return @_NEWER;
    *why = "the saved state is that of another program";
    if (head.order != @_own_head.order || head.program != @_own_head.program) return @_OTHER_PROGRAM;
    *why = "the saved state is not complete: its end is missing";
    if (size < head.size) return @_TRUNCATED;
    *why = "this is no saved state, or it is damaged";
    if (head.version == 0 || size != head.size || size != @_own_head.size) return @_DAMAGED;
    return head.sum == @_sum(from + sizeof head, size - sizeof head) ? @_OK : @_DAMAGED;
}

int @_restore(@_handle *self, const void *from, size_t size) {
    const char *why = "";
    if (!self) return @_CALL;
    if (!from && size != 0) return @_refuse(self, "the state is NULL");
    const int status = @_look_at(from, size, &why);
    if (status == @_OK) memcpy(self, (const unsigned char *)from + sizeof(@_head), sizeof *self);
    self->message = status == @_OK ? "" : why;
    return status;
}

@_handle *@_clone(@_handle *self, int *status) {
    if (status) *status = @_CALL;
    if (!self) return NULL;
@CANNOT    @_handle *made = @_create(status);
    if (!made) return NULL;
    *made = *self;
    made->message = "";
    return made;
}

)";

constexpr std::string_view kMany =
    R"(int @_process_many(@_handle *const *handles, size_t count, const @IN *const *in, size_t in_count,
                   @OUT *const *out, size_t out_capacity, size_t *consumed, size_t *produced) {
    int status = @_OK;
    if (!handles && count != 0) return @_CALL;
    for (size_t k = 0; k < count; ++k) {
        size_t taken = 0, given = 0;
        const int one = @_process(handles[k], in ? in[k] : NULL, in_count, out ? out[k] : NULL, out_capacity, &taken, &given);
        if (status == @_OK) status = one;
        if (consumed) consumed[k] = taken;
        if (produced) produced[k] = given;
    }
    return status;
}

)";

std::uint64_t hashOf(std::string_view text, std::uint64_t hash) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace

std::string printState(const Source& source, const Shape& shape, std::string_view handle) {
    std::string text = replaced(std::string(kState), "@PROGRAM",
                                std::to_string(hashOf(handle, source.program.identity)));
    text =
        replaced(std::move(text), "@FAILED",
                 shape.fails ? "    if (self->has_failed) return @_tell(self, &self->end);\n" : "");
    text = replaced(std::move(text), "@CANNOT",
                    shape.fails ? "    if (self->has_failed) {\n"
                                  "        const int failed = @_tell(self, &self->end);\n"
                                  "        if (status) *status = failed;\n"
                                  "        return NULL;\n    }\n"
                                : "");
    std::string many = replaced(std::string(kMany), "@IN", shape.hasInput ? "@_in" : "void");
    many = replaced(std::move(many), "@OUT", shape.hasOutput ? "@_out" : "void");
    return named(source, text + many);
}

}  // namespace strc::csource
