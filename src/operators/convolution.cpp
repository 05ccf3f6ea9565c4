// Contractions with windows as convolutions.

#include <algorithm>

#include "operators/detail/loops.h"

namespace strc::operators {
namespace {

constexpr std::size_t kMostSpace = 3;

/// The loops of a convolution by their parts in it; one of one iteration where there is none.
struct Roles {
    ContractionLoop image = kOnce, group = kOnce, output = kOnce, channel = kOnce;

    /// Each loop that no window names. None: two have the same part, or one has none.
    static std::optional<Roles> of(const ir::Contraction& how) {
        Roles roles;
        for (std::size_t k = 0; k < how.loops.size(); ++k) {
            const ContractionLoop& loop = how.loops[k];
            if (loop.trips == 1 || isOfWindow(how, k)) continue;
            ContractionLoop& role = loop.out == 0 ? roles.channel
                                    : loop.b == 0 ? roles.image
                                    : loop.a == 0 ? roles.output
                                                  : roles.group;
            if (role.trips != 1) return std::nullopt;
            role = loop;
        }
        return roles;
    }

    /// Are channels of all groups one dimension, in source and result?
    bool areGroupsDense() const {
        return group.trips == 1 || ((channel.trips == 1 || group.a == channel.a * channel.trips) &&
                                    (output.trips == 1 || group.out == output.out * output.trips));
    }

private:
    static bool isOfWindow(const ir::Contraction& how, std::size_t loop) {
        return std::any_of(how.windows.begin(), how.windows.end(), [&](const ir::Window& window) {
            return window.place == loop || window.tap == loop;
        });
    }
};

void add(View& view, std::int64_t extent, std::int64_t step) {
    view.extents.push_back(extent);
    view.steps.push_back(step);
}

void addWindow(Operator& made, const ir::Contraction& how, const ir::Window& window) {
    const ContractionLoop place = window.place ? how.loops[*window.place] : kOnce;
    const ContractionLoop tap = window.tap ? how.loops[*window.tap] : kOnce;
    const std::int64_t stride = std::max(1, place.a / window.step);
    const std::int64_t dilation = std::max(1, tap.a / window.step);
    add(made.source, (place.trips - 1) * stride + (tap.trips - 1) * dilation + 1, window.step);
    add(made.weights, tap.trips, tap.b);
    add(made.result, place.trips, place.out);
    made.strides.push_back(stride);
    made.dilations.push_back(dilation);
}

}  // namespace

std::optional<Operator> convolutionOf(const ir::Contraction& how) {
    const std::optional<Roles> roles = Roles::of(how);
    const bool goesForward = std::all_of(how.loops.begin(), how.loops.end(), [](auto& loop) {
        return loop.out >= 0 && loop.a >= 0 && loop.b >= 0;
    });
    if (!roles || !roles->areGroupsDense() || !goesForward || how.windows.size() > kMostSpace)
        return std::nullopt;
    const auto& [image, group, output, channel] = *roles;
    Operator made;
    made.kind = OperatorKind::Convolution;
    made.source = {how.a,
                   {image.trips, std::int64_t{group.trips} * channel.trips},
                   {image.a, channel.trips > 1 ? channel.a : group.a}};
    made.result = {how.out,
                   {image.trips, std::int64_t{group.trips} * output.trips},
                   {image.out, output.trips > 1 ? output.out : group.out}};
    made.weights.first = how.b;
    if (group.trips > 1) add(made.weights, group.trips, group.b);
    add(made.weights, output.trips, output.b);
    add(made.weights, channel.trips, channel.b);
    for (const ir::Window& window : how.windows) addWindow(made, how, window);
    for (View* view : {&made.source, &made.weights, &made.result}) {
        if (view->extents.size() > kMostRank || !isApart(*view)) return std::nullopt;
        settleSteps(*view);
    }
    return made;
}

}  // namespace strc::operators
