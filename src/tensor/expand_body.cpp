// Ways to expand a body, of which the first that makes sense is taken.

#include "tensor/expander.h"

namespace strc::tensor {
namespace {

struct Attempt {
    Expanded made;
    ExpansionState state;  ///< behind the body
    bool hasUnrolled = false;
};

class Attempts {
public:
    Attempts(const ir::StreamCode& ofStream, const ir::Body& ofBody, const ExpansionInput& input,
             const ExpansionState& state, types::TypeTable& table)
        : code(ofStream), body(ofBody), in(input), before(state), types(table) {}

    Attempt first() const {
        const std::optional<ir::Body> narrow = withoutOpenSlices(body, types);
        if (!narrow) return asWritten();
        std::optional<Attempt> written;
        if (!in.channels.input && !in.channels.output) {
            // Shapes are asked for: where a slice does not fit is told now and not by the run.
            written = asWritten();
            const std::optional<Fault>& fault = written->made.fault;
            if (fault && !fault->isOfRun) return std::move(*written);
        }
        Attempt parts = attempt(*narrow, false);
        if (!parts.made.fault) return parts;
        return written ? std::move(*written) : asWritten();
    }

private:
    /// From the state before; what it leaves behind counts only if it is taken.
    Attempt attempt(const ir::Body& from, bool unrolls) const {
        Attempt result{{}, before};
        BodyExpander expander(code, from, in, result.state, types, unrolls);
        try {
            result.made.body = expander.expand();
            expander.rememberFields();
        } catch (Stop& stop) {
            result.made.fault = std::move(stop.fault);
        }
        result.hasUnrolled = expander.hasUnrolled();
        return result;
    }

    Attempt asWritten() const {
        Attempt looped = attempt(body, false);
        if (!looped.made.fault) return looped;
        Attempt unrolled = attempt(body, true);
        return !unrolled.made.fault || unrolled.hasUnrolled ? std::move(unrolled)
                                                            : std::move(looped);
    }

    const ir::StreamCode& code;
    const ir::Body& body;
    const ExpansionInput& in;
    const ExpansionState& before;
    types::TypeTable& types;
};

}  // namespace

Expanded expandBody(const ir::StreamCode& code, const ir::Body& body, const ExpansionInput& in,
                    ExpansionState& state, types::TypeTable& types) {
    Attempt taken = Attempts(code, body, in, state, types).first();
    if (!taken.made.fault) state = std::move(taken.state);
    return std::move(taken.made);
}

}  // namespace strc::tensor
