#include "live/detail/messages.h"

#include <algorithm>

#include <fmt/format.h>

#include "live/types.h"

namespace strc::live {

using graph::NodeId;
using plan::Handler;
using plan::Route;

namespace {

const ir::Body& bodyOf(const Version& version, const Handler& handler) {
    const std::vector<ir::Body>& all = version.kernel(handler.node).code.functions;
    return *std::find_if(all.begin(), all.end(), [&](const ir::Body& body) {
        return body.kind == ir::BodyKind::Handler && body.name == handler.name;
    });
}

bool areParametersAlike(const ir::Body& one, const ir::Body& other) {
    if (one.params != other.params) return false;
    for (std::uint32_t k = 0; k < one.params; ++k)
        if (!areAlike(one.locals[k].type, other.locals[k].type)) return false;
    return true;
}

bool takesTexts(const ir::Body& body) {
    return std::any_of(body.locals.begin(), body.locals.begin() + body.params,
                       [](const auto& local) { return local.type->is(types::TypeKind::String); });
}

class MessageMatcher {
public:
    MessageMatcher(const Version& old, const Version& now, const std::vector<Handler>& rows)
        : before(old), after(now), handlers(rows) {}

    void match(const Handler& old, Transfer& made) const {
        strc_handler_transfer row{STRC_NOBODY, 0, 0, 0};
        const std::string why = find(old, row);
        made.handlers.push_back({before.paths[old.node] + '.' + old.name, why});
        made.handlerRows.push_back(row);
    }

private:
    /// Why there is none.
    std::string find(const Handler& old, strc_handler_transfer& row) const {
        if (before.plan.demand.has_value() != after.plan.demand.has_value())
            return "only one of the programs has dynamic rates";
        const std::optional<NodeId> now = after.find(before.paths[old.node]);
        if (!now) return "its receiver is gone";
        if (!predecessor(before, after, *now)) return "its receiver begins anew";
        const auto found = std::find_if(handlers.begin(), handlers.end(), [&](const Handler& each) {
            return each.node == *now && each.name == old.name;
        });
        if (found == handlers.end()) return "nothing sends such messages any more";
        const ir::Body &one = bodyOf(before, old), &other = bodyOf(after, *found);
        if (!areParametersAlike(one, other)) return "the handler takes other values";
        if (takesTexts(one)) return "texts belong to the program that sent them";
        row.handler = static_cast<std::uint32_t>(found - handlers.begin());
        row.box = after.plan.mailboxOf(*now);
        return {};
    }

    const Version &before, &after;
    const std::vector<Handler>& handlers;
};

bool areSame(const Route& one, const Route& other) {
    return one.isDownstream == other.isDownstream && one.guard == other.guard &&
           one.sdep.firings == other.sdep.firings && one.sdep.transient == other.sdep.transient &&
           one.sdep.periodUp == other.sdep.periodUp && one.sdep.periodDown == other.sdep.periodDown;
}

bool goesOn(const Version& before, const Version& after, const Route& route) {
    const std::optional<NodeId> sender = predecessor(before, after, route.sender),
                                receiver = predecessor(before, after, route.receiver);
    if (!sender && !receiver) return true;
    if (!sender || !receiver || !before.plan.demand) return false;
    const std::vector<Route>& all = before.plan.routes;
    return std::any_of(all.begin(), all.end(), [&](const Route& old) {
        return old.sender == *sender && old.receiver == *receiver && areSame(old, route);
    });
}

}  // namespace

void matchMessages(const Version& before, const std::vector<Handler>& oldHandlers,
                   const Version& after, const std::vector<Handler>& handlers, Transfer& made) {
    const MessageMatcher matcher(before, after, handlers);
    for (const Handler& old : oldHandlers) matcher.match(old, made);
    if (before.plan.demand.has_value() != after.plan.demand.has_value()) return;
    made.keepsCounts = after.plan.demand.has_value();
    for (std::uint32_t k = 0; k < after.plan.mailboxes.size(); ++k)
        if (const auto old = predecessor(before, after, after.plan.mailboxes[k].node))
            if (const std::uint32_t box = before.plan.mailboxOf(*old); box != graph::kNone)
                made.boxes.push_back({box, k});
}

std::string whyMessagesCannotGoOn(const Version& before, const Version& after) {
    if (!after.plan.demand) return {};
    for (const Route& route : after.plan.routes)
        if (!goesOn(before, after, route))
            return fmt::format(
                "with dynamic rates the messages of '{}' to '{}' come when both have fired so "
                "often since they began, and the two do not go on together as they were; end the "
                "program and begin it anew",
                after.paths[route.sender], after.paths[route.receiver]);
    return {};
}

}  // namespace strc::live
