// Ways to infer the shapes of a body, of which the first that makes sense is taken; then the body is expanded.

#include "tensor/detail/expander.h"
#include "tensor/detail/shape_inference.h"

namespace strc::tensor {
namespace {

class Attempts {
public:
    Attempts(const ir::StreamCode& ofStream, const ExpansionInput& input,
             const ExpansionState& state, types::TypeTable& table)
        : code(ofStream), in(input), before(state), types(table) {}

    ShapedBody first(const ir::Body& body) const {
        const std::optional<ir::Body> narrow = withoutOpenSlices(body, types);
        if (!narrow) return asWritten(body);
        std::optional<ShapedBody> written;
        if (!in.channels.input && !in.channels.output) {
            // Shapes are asked for: where a slice does not fit is told now and not by the run.
            written = asWritten(body);
            if (written->fault && !written->fault->isOfRun) return std::move(*written);
        }
        ShapedBody parts = attempt(*narrow, false);
        if (!parts.fault) return parts;
        return written ? std::move(*written) : asWritten(body);
    }

private:
    ShapedBody attempt(const ir::Body& body, bool writesOut) const {
        return ShapeInference({code, body, in, types}, before, writesOut).run();
    }

    ShapedBody asWritten(const ir::Body& body) const {
        ShapedBody looped = attempt(body, false);
        if (!looped.fault) return looped;
        ShapedBody writtenOut = attempt(body, true);
        return !writtenOut.fault || writtenOut.hasWrittenOut ? std::move(writtenOut)
                                                             : std::move(looped);
    }

    const ir::StreamCode& code;
    const ExpansionInput& in;
    const ExpansionState& before;
    types::TypeTable& types;
};

}  // namespace

ShapedBody inferShapes(const ir::StreamCode& code, const ir::Body& body, const ExpansionInput& in,
                       const ExpansionState& state, types::TypeTable& types) {
    return Attempts(code, in, state, types).first(body);
}

Expanded expandBody(const ir::StreamCode& code, const ir::Body& body, const ExpansionInput& in,
                    ExpansionState& state, types::TypeTable& types) {
    ShapedBody shaped = inferShapes(code, body, in, state, types);
    if (shaped.fault) return {{}, std::move(shaped.fault)};
    state = std::move(shaped.state);
    return {BodyExpander(code, shaped, in, state, types).expand()};
}

}  // namespace strc::tensor
