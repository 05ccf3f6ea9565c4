#include "interp/detail/timing.h"

namespace strc::interp {

/// What went by until now belongs to the firing in whose middle something else is wanted, or to none.
void Timing::lap() const {
    const bool isNobody = underWay == graph::kNone;
    strc_profile_lap(profile,
                     isNobody ? static_cast<std::uint32_t>(channels.graph.nodes.size()) : underWay);
}

void Timing::noteItems(const Actor& actor) const {
    for (EdgeId edge : actor.node->outputs)
        strc_profile_note_items(profile, edge, channels.tapes[edge].size());
}

void Timing::start() const {
    if (profile) strc_profile_start(profile);
}

void Timing::stop(std::int64_t iterations, const std::vector<Actor>& actors) const {
    if (!profile) return;
    for (const Actor& actor : actors)
        strc_profile_set_firings(profile, actor.id, static_cast<std::uint64_t>(actor.fired));
    strc_profile_stop(profile, static_cast<std::uint64_t>(iterations));
}

Timing::Firing::Firing(Timing& timing, const Actor& actor)
    : timing(timing), actor(actor), outer(timing.underWay) {
    if (timing.isTimed) timing.lap();
    timing.underWay = actor.id;
}

Timing::Firing::~Firing() {
    if (timing.isTimed) timing.lap();
    timing.underWay = outer;
    if (timing.profile) timing.noteItems(actor);
}

Timing::Iteration::Iteration(Timing& timing) : timing(timing) {
    if (timing.profile) timing.isTimed = strc_profile_begin_iteration(timing.profile) != 0;
}

Timing::Iteration::~Iteration() {
    if (timing.isTimed) {
        timing.lap();
        strc_profile_end_iteration(timing.profile);
    }
    timing.isTimed = false;
}

}  // namespace strc::interp
