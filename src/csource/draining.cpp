// The end of the input, of a program that was lowered.
#include <fmt/format.h>

#include "csource/detail/interface.h"

namespace strc::csource {
namespace {

/// As runtime/src/ending.c counts.
constexpr std::string_view kCounting =
    R"(/* An edge: items by firing of its two ends; those of a first firing may differ. */
typedef struct @_flow {
    uint32_t from, to;
    int64_t initial, push_first, push, pop_first, pop, look_first, look;
    uint8_t from_has_first, to_has_first;
} @_flow;
/* A part of the program, with its firings in the two phases. */
typedef struct @_part {
    int64_t init, steady;
    int32_t place; /* among the numbers of firings that are left; -1: it has none */
    uint8_t reads, is_wanted;
} @_part;
@TABLES
static int64_t @_at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t @_items(int64_t first, int64_t then, int has_first, int64_t firings) {
    const int64_t most = INT64_C(1) << 60;
    const int64_t times = has_first ? firings - 1 : firings;
    if (firings <= 0) return 0;
    if (then != 0 && times > most / then) return most;
    return @_at_most((has_first ? first : 0) + times * then, most);
}

/* Most firings of the part behind an edge after so many of the one before it. */
static int64_t @_enabled(const @_flow *flow, int64_t firings) {
    int64_t items = flow->initial + @_items(flow->push_first, flow->push, flow->from_has_first, firings);
    int64_t done = 0;
    if (flow->to_has_first) {
        if (items < flow->look_first) return 0;
        items -= flow->pop_first;
        done = 1;
    }
    if (items < flow->look) return done;
    if (flow->pop == 0) return INT64_C(1) << 60;
    return done + 1 + (items - flow->look) / flow->pop;
}

/* Least firings of the part before an edge for so many of the one behind it. */
static int64_t @_source_firings(const @_flow *flow, int64_t firings) {
    int64_t needed = 0;
    if (firings > 0 && flow->to_has_first && firings == 1) {
        needed = flow->look_first;
    } else if (firings > 0) {
        needed = @_items(flow->pop_first, flow->pop, flow->to_has_first, firings - 1) + flow->look;
        if (flow->to_has_first && needed < flow->look_first) needed = flow->look_first;
    }
    int64_t missing = needed - flow->initial;
    const int64_t before = flow->from_has_first;
    if (missing <= 0) return 0;
    if (before && missing <= flow->push_first) return 1;
    if (before) missing -= flow->push_first;
    if (flow->push == 0) return INT64_C(1) << 60;
    return before + (missing - 1) / flow->push + 1;
}

/* Finds how many firings of each part are left, and in how many rounds they are. */
static void @_begin_draining(@_handle *self) {
    int64_t fired[@PARTS], most[@PARTS], wanted[@PARTS];
    const int64_t done = (int64_t)self->done;
    const int has_begun = @BEGUN;
    for (size_t k = 0; k < @PARTS; ++k) {
        const @_part *part = &@_parts[k];
        fired[k] = has_begun ? part->init + part->steady * done : 0;
        most[k] = part->init + part->steady * (done + @STATES);
        if (part->reads) most[k] = @_at_most(most[k], fired[k] + @HELD);
    }
    for (int changes = 1; changes;) {
        changes = 0;
        for (size_t k = 0; k < @FLOWS; ++k) {
            const int64_t firings = @_enabled(&@_flows[k], most[@_flows[k].from]);
            if (firings >= most[@_flows[k].to]) continue;
            most[@_flows[k].to] = firings;
            changes = 1;
        }
    }
    for (size_t k = 0; k < @PARTS; ++k)
        wanted[k] = @_parts[k].is_wanted && most[k] > fired[k] ? most[k] : fired[k];
    for (int changes = 1; changes;) {
        changes = 0;
        for (size_t k = @FLOWS; k-- > 0;) {
            const int64_t firings = @_source_firings(&@_flows[k], wanted[@_flows[k].to]);
            if (firings <= wanted[@_flows[k].from]) continue;
            wanted[@_flows[k].from] = firings;
            changes = 1;
        }
    }
    memset(self->@LEFT, 0, sizeof self->@LEFT);
    for (size_t k = 0; k < @PARTS; ++k) {
        const @_part *part = &@_parts[k];
        const int64_t more = wanted[k] - fired[k];
        if (more <= 0) continue;
        if (part->place >= 0) self->@LEFT[part->place] = more;
        if (!has_begun) self->drains_first = 1;
        const int64_t behind = has_begun ? more : more - part->init;
        if (behind <= 0 || part->steady <= 0) continue;
        const int64_t rounds = (behind - 1) / part->steady + 1;
        if (rounds > self->rounds) self->rounds = rounds;
    }
}

)";

std::string tables(const graph::Ending& ending) {
    std::string text = "static const @_flow @_flows[] = {\n";
    for (const strc_ending_flow& flow : ending.flows)
        text +=
            fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", flow.from, flow.to,
                        flow.initial, flow.push_first, flow.push, flow.pop_first, flow.pop,
                        flow.look_first, flow.look, flow.from_has_first, flow.to_has_first);
    text += "};\nstatic const @_part @_parts[] = {\n";
    for (const strc_ending_node& node : ending.nodes)
        text += fmt::format("    {{{}, {}, {}, {}, {}}},\n", node.init, node.steady,
                            node.place == STRC_NOBODY ? -1 : static_cast<std::int64_t>(node.place),
                            node.input == STRC_NOBODY ? 0 : 1, node.is_wanted != 0 ? 1 : 0);
    return text + "};\n";
}

std::string counting(const Source& source, const Shape& shape) {
    const elab::Drain& drain = *source.kernel.drain;
    std::string text = replaced(std::string(kCounting), "@TABLES", tables(drain.ending));
    text = replaced(std::move(text), "@PARTS",
                    number(static_cast<std::int64_t>(drain.ending.nodes.size())));
    text = replaced(std::move(text), "@FLOWS",
                    number(static_cast<std::int64_t>(drain.ending.flows.size())));
    text = replaced(std::move(text), "@STATES", std::to_string(drain.ending.states));
    text = replaced(std::move(text), "@BEGUN", shape.begins ? "self->has_begun" : "1");
    text = replaced(std::move(text), "@HELD", shape.takesItems ? "(int64_t)self->held" : "0");
    return replaced(std::move(text), "@LEFT", source.fieldNames[drain.left]);
}

/// A call of a phase, which leaves the loop after a fault.
std::string phaseCall(const Function& phase, const std::string& condition) {
    const std::string call = callOf(phase, "self->window", "self->pending", "");
    if (!phase.fails) return fmt::format("        if ({}) {};\n", condition, call);
    return fmt::format(
        "        if ({} && {}) {{\n            status = @_FAULT;\n            break;\n        }}\n",
        condition, call);
}

}  // namespace

std::string printLoweredDrain(Source& source, const Functions& functions, const Shape& shape) {
    const elab::Drain& drain = *source.kernel.drain;
    const Function& first = functions.of(source.kernel.code.functions[drain.init]);
    const Function& round = functions.of(source.kernel.code.functions[drain.steady]);
    const bool pops = first.countsPops || round.countsPops;
    const bool pushes = first.countsPushes || round.countsPushes;
    std::string text = counting(source, shape) +
                       fmt::format(
                           "int @_drain(@_handle *self, {} *out, size_t out_capacity, "
                           "size_t *produced) {{\n",
                           shape.hasOutput ? "@_out" : "void") +
                       printDrainEntry(shape) +
                       "    if (!self->is_draining) @_begin_draining(self);\n"
                       "    self->is_draining = 1;\n    size_t given = 0;\n";
    if (shape.fails) text += "    int status = @_OK;\n";
    text += "    for (;;) {\n";
    if (shape.givesItems)
        text +=
            "        @_hand_over(self, out, out_capacity, &given);\n"
            "        if (self->pending_count != 0) break;\n";
    if (pops) text += "        size_t popped = 0;\n";
    if (pushes) text += "        size_t pushed = 0;\n";
    text +=
        "        const int is_first = self->drains_first;\n"
        "        if (!is_first && self->rounds == 0) break;\n"
        "        if (is_first)\n            self->drains_first = 0;\n"
        "        else\n            --self->rounds;\n" +
        phaseCall(first, "is_first") + phaseCall(round, "!is_first");
    if (pops)
        text +=
            "        self->held -= popped;\n"
            "        memmove(self->window, self->window + popped, self->held * sizeof "
            "self->window[0]);\n";
    if (pushes) text += "        self->pending_count = pushed;\n";
    text += "    }\n    if (produced) *produced = given;\n    return ";
    return named(source, text + (shape.fails ? "status == @_OK ? @_OK : @_fail(self)" : "@_OK") +
                             ";\n}\n\n");
}

}  // namespace strc::csource
