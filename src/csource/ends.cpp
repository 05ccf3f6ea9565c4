// Several inputs, several outputs: arrays of their own for items that take turns.
#include <numeric>

#include <fmt/format.h>

#include "csource/detail/interface.h"

namespace strc::csource {
namespace {

using Turns = std::vector<std::uint64_t>;

constexpr std::string_view kCounted = R"(/* What follows each other in a round. */
@TABLES
/* Whose item it is that stands at a place of a round. */
static size_t @_end_at(const uint32_t *turns, uint32_t place) {
    size_t k = 0;
    while (place >= turns[k]) place -= turns[k++];
    return k;
}

)";

constexpr std::string_view kGather =
    R"(/* Items of the inputs in their order, up to so many; they are not taken yet. */
static size_t @_gather(const @_handle *self, const @_input *inputs, @_in *to) {
    size_t used[@_INPUTS] = {0}, count = 0;
    uint32_t place = @IN_PLACE;
    (void)self;
    for (; count < @_PIECE; ++count) {
        const size_t k = @_end_at(@_in_turns, place);
        const size_t next = inputs[k].done + used[k];
        if (next == inputs[k].count) break;
        ++used[k];
        to[count] = inputs[k].items[next];
        place = (place + 1) % @IN_ROUND;
    }
    return count;
}

)";

constexpr std::string_view kScatter =
    R"(/* How many items, up to so many, the outputs have room for. */
static size_t @_room(const @_handle *self, const @_output *outputs) {
    size_t used[@_OUTPUTS] = {0}, count = 0;
    uint32_t place = @OUT_PLACE;
    (void)self;
    for (; count < @_PIECE; ++count) {
        const size_t k = @_end_at(@_out_turns, place);
        if (outputs[k].done + used[k] == outputs[k].count) break;
        ++used[k];
        place = (place + 1) % @OUT_ROUND;
    }
    return count;
}

static void @_scatter(@_output *outputs, uint32_t place, const @_out *from, size_t count) {
    for (size_t item = 0; item < count; ++item) {
        @_output *output = &outputs[@_end_at(@_out_turns, place)];
        output->items[output->done++] = from[item];
        place = (place + 1) % @OUT_ROUND;
    }
}

)";

constexpr std::string_view kBoth = R"(/* So many items more are taken and given. */
static void @_settle(@_handle *self, size_t taken, size_t given) {
@SETTLE    (void)self, (void)taken, (void)given;
}

int @_process(@_handle *self, const @IN *in, size_t in_count, @OUT *out, size_t out_capacity,
              size_t *consumed, size_t *produced) {
    size_t taken = 0, given = 0;
    const int status = @_process_all(self, in, in_count, out, out_capacity, &taken, &given);
    if (self) @_settle(self, taken, given);
    if (consumed) *consumed = taken;
    if (produced) *produced = given;
    return status;
}

int @_drain(@_handle *self, @OUT *out, size_t out_capacity, size_t *produced) {
    size_t given = 0;
    const int status = @_drain_all(self, out, out_capacity, &given);
    if (self) @_settle(self, 0, given);
    if (produced) *produced = given;
    return status;
}

)";

constexpr std::string_view kProcess =
    R"(int @_process_ends(@_handle *self, @INPUT *inputs, @OUTPUT *outputs) {
    if (!self) return @_CALL;
@CHECK    for (;;) {
@PIECES        size_t count = 0, room = 0, taken = 0, given = 0;
@GATHER        const uint32_t place = @OUT_PLACE_OR_0;
        const int status = @_process(self, @ITEMS, count, @MADE, room, &taken, &given);
        (void)place;
@TAKE@GIVE        if (status != @_OK || (taken == 0 && given == 0)) return status;
    }
}

int @_drain_ends(@_handle *self, @OUTPUT *outputs) {
    if (!self) return @_CALL;
@CHECK_OUT    for (;;) {
@PIECE_OUT        size_t room = 0, given = 0;
@ROOM        const uint32_t place = @OUT_PLACE_OR_0;
        const int status = @_drain(self, @MADE, room, &given);
        (void)place;
@GIVE        if (status != @_OK || given == 0) return status;
    }
}

)";

constexpr std::string_view kCheck =
    R"(    if (!@SIDE) return @_refuse(self, "an array of items is NULL");
    for (size_t k = 0; k < @COUNT; ++k) {
        @SIDE[k].done = 0;
        if (!@SIDE[k].items && @SIDE[k].count != 0) return @_refuse(self, "an array of items is NULL");
    }
)";

constexpr std::string_view kTake = R"(        for (size_t item = 0; item < taken; ++item)
            ++inputs[@_end_at(@_in_turns, (uint32_t)((before + item) % @IN_ROUND))].done;
)";

Turns orOne(const Turns& turns) { return turns.empty() ? Turns{1} : turns; }

std::string table(std::string_view name, const Turns& turns) {
    std::string list;
    for (const std::uint64_t turn : turns)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", turn);
    return fmt::format("static const uint32_t @_{}[] = {{{}}};\n", name, list);
}

std::string round(const Turns& turns) {
    return fmt::format("{}u", std::accumulate(turns.begin(), turns.end(), std::uint64_t{0}));
}

std::string check(std::string_view side, std::string_view count) {
    return replaced(replaced(std::string(kCheck), "@SIDE", std::string(side)), "@COUNT",
                    std::string(count));
}

/// The two functions of the header, with what a side that is not there has no need of left out.
std::string processText(const Shape& shape) {
    const bool in = shape.hasInput, out = shape.hasOutput;
    std::string text(kProcess);
    const std::string checkOut = out ? check("outputs", "@_OUTPUTS") : "    (void)outputs;\n";
    const std::string pieceOut = out ? "        @_out made[@_PIECE];\n" : "";
    const std::string room = out ? "        room = @_room(self, outputs);\n" : "";
    text = replaced(std::move(text), "@CHECK_OUT", checkOut);
    text = replaced(std::move(text), "@CHECK",
                    (in ? check("inputs", "@_INPUTS") : "    (void)inputs;\n") + checkOut);
    text = replaced(std::move(text), "@PIECES",
                    (in ? "        @_in items[@_PIECE];\n" : "") + pieceOut);
    text = replaced(std::move(text), "@PIECE_OUT", pieceOut);
    text = replaced(std::move(text), "@GATHER",
                    (in ? "        count = @_gather(self, inputs, items);\n"
                          "        const uint32_t before = @IN_PLACE;\n"
                        : std::string()) +
                        room);
    text = replaced(std::move(text), "@ROOM", room);
    text = replaced(std::move(text), "@OUT_PLACE_OR_0", out ? "@OUT_PLACE" : "0");
    text = replaced(std::move(text), "@TAKE", in ? std::string(kTake) : "");
    text = replaced(std::move(text), "@GIVE",
                    out ? "        @_scatter(outputs, place, made, given);\n" : "");
    text = replaced(std::move(text), "@ITEMS", in ? "items" : "NULL");
    text = replaced(std::move(text), "@MADE", out ? "made" : "NULL");
    text = replaced(std::move(text), "@INPUT ", in ? "@_input " : "void ");
    return replaced(std::move(text), "@OUTPUT ", out ? "@_output " : "void ");
}

}  // namespace

bool hasEnds(const Source& source) {
    return !source.program.inTurns.empty() || !source.program.outTurns.empty();
}

std::string printEnds(const Source& source, const Shape& shape) {
    const Turns &in = source.program.inTurns, &out = source.program.outTurns;
    std::string tables = "enum { @_PIECE = 64 }; /* items that are put in order at a time */\n";
    if (shape.hasInput) tables += table("in_turns", orOne(in));
    if (shape.hasOutput) tables += table("out_turns", orOne(out));
    std::string settle;
    if (!in.empty())
        settle += "    self->in_place = (uint32_t)((self->in_place + taken) % @IN_ROUND);\n";
    if (!out.empty())
        settle += "    self->out_place = (uint32_t)((self->out_place + given) % @OUT_ROUND);\n";
    std::string text = replaced(std::string(kCounted), "@TABLES", tables);
    if (shape.hasInput) text += kGather;
    if (shape.hasOutput) text += kScatter;
    text += replaced(std::string(kBoth), "@SETTLE", settle) + processText(shape);
    text = replaced(std::move(text), "@IN_PLACE", in.empty() ? "0" : "self->in_place");
    text = replaced(std::move(text), "@OUT_PLACE", out.empty() ? "0" : "self->out_place");
    text = replaced(std::move(text), "@IN_ROUND", round(orOne(in)));
    text = replaced(std::move(text), "@OUT_ROUND", round(orOne(out)));
    text = replaced(std::move(text), "@IN ", shape.hasInput ? "@_in " : "void ");
    text = replaced(std::move(text), "@OUT ", shape.hasOutput ? "@_out " : "void ");
    return named(source, text);
}

}  // namespace strc::csource
