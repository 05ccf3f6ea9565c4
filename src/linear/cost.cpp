#include "linear/detail/cost.h"

namespace strc::linear {
namespace {

constexpr double kMove = 2;  ///< an item that is pushed, or transposed
constexpr double kPass =
    0.5;  ///< an item that a round robin passes on: much is copied in long pieces
/// Firings of lanes take at least so many windows at once, which have to stay within half of the fastest
/// memory where they are transposed.
constexpr std::int64_t kLanes = 8;
constexpr double kAlone = 6;  ///< how much slower firings go one by one

bool fitsLanes(const Form& form, const target::Model& target) {
    const std::int64_t most = target.firstCacheBytes / 2;
    const std::int64_t item = types::sizeOf(form.type);
    const std::int64_t out = form.push() * kLanes * item;
    const std::int64_t in = ((kLanes - 1) * form.pop + form.peek) * item;
    return out <= most && (form.pop == 1 || in <= most);
}

}  // namespace

double costOf(const Form& form, const target::Model& target) {
    const auto moves = static_cast<double>(form.push() + (form.pop == 1 ? 0 : form.pop));
    const double all = static_cast<double>(form.terms()) + kMove * moves;
    return fitsLanes(form, target) ? all : kAlone * all;
}

double costOf(const graph::Node& node) {
    const bool copies = node.kind != graph::NodeKind::Duplicate;
    return copies ? kPass * static_cast<double>(node.totalWeight) : 0;
}

}  // namespace strc::linear
