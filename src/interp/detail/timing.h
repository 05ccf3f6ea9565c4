#pragma once
/// What the interpreter says to the profile of its run (strc/profile.h), if there is one.

#include "interp/detail/actor.h"
#include "interp/detail/channels.h"
#include "strc/profile.h"

namespace strc::interp {

/// Firings that are timed: in the middle of one others may be wanted, which are not part of it.
class Timing {
public:
    Timing(strc_profile* profile, const Channels& channels)
        : profile(profile), channels(channels) {}

    /// While it lives the actor fires.
    class Firing {
    public:
        Firing(Timing&, const Actor&);
        ~Firing();
        Firing(const Firing&) = delete;
        Firing& operator=(const Firing&) = delete;

    private:
        Timing& timing;
        const Actor& actor;
        NodeId outer;
    };

    /// While it lives an iteration, or the initialisation, is under way.
    class Iteration {
    public:
        explicit Iteration(Timing&);
        ~Iteration();
        Iteration(const Iteration&) = delete;
        Iteration& operator=(const Iteration&) = delete;

    private:
        Timing& timing;
    };

    void start() const;
    void stop(std::int64_t iterations, const std::vector<Actor>&) const;

private:
    void lap() const;
    void noteItems(const Actor&) const;

    strc_profile* profile;
    const Channels& channels;
    bool isTimed = false;  ///< the present iteration
    NodeId underWay = graph::kNone;
};

}  // namespace strc::interp
