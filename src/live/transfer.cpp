#include "live/transfer.h"

#include <algorithm>

#include <fmt/format.h>

#include "live/detail/messages.h"
#include "live/detail/queues.h"
#include "live/detail/version.h"
#include "live/types.h"

namespace strc::live {
namespace {

using graph::EdgeId;
using graph::NodeId;
using plan::Channel;

class Matcher {
public:
    Matcher(const Program& old, const Program& now)
        : before(old.plan), after(now.plan), oldHandlers(old.handlers), handlers(now.handlers) {}

    Transfer match() {
        for (NodeId id = 0; id < after.graph().nodes.size(); ++id)
            if (after.hasState(id)) matchFilter(id);
        for (NodeId id = 0; id < before.graph().nodes.size(); ++id)
            if (before.hasState(id) && !after.find(before.paths[id]))
                made.filters.push_back({before.paths[id], Fate::Gone, ""});
        if (!after.plan.demand) matchChannels();
        matchMessages(before, oldHandlers, after, handlers, made);
        if (after.plan.demand) matchQueues(before, after, made);
        return std::move(made);
    }

private:
    void matchFilter(NodeId now) {
        const std::string& path = after.paths[now];
        const std::optional<NodeId> old = before.find(path);
        if (!old) {
            made.filters.push_back({path, Fate::New, ""});
            return;
        }
        const std::string why = difference(before, *old, after, now);
        if (!why.empty()) {
            made.filters.push_back({path, Fate::Changed, why});
            return;
        }
        std::string names;
        for (const Field& field : after.fieldsOf(now)) {
            for (const Field& source : before.fieldsOf(*old))
                if (source.name == field.name)
                    made.pieces.push_back({source.at, field.at, types::sizeOf(field.type)});
            names += (names.empty() ? "" : ", ") + field.name;
        }
        const std::int64_t from = before.plan.counters[*old], to = after.plan.counters[now];
        if (from >= 0 && to >= 0) {
            made.pieces.push_back({from, to, sizeof(std::uint64_t)});
            names += names.empty() ? "iter()" : ", iter()";
        }
        made.filters.push_back({path, Fate::Kept, names});
    }

    /// Channels on one tape hold the same items: where more of them are known they are copied last.
    void matchChannels() {
        std::vector<std::pair<ChannelFate, Piece>> found;
        for (const Channel& channel : after.plan.channels) {
            if (channel.retained == 0) continue;
            const Channel* old = channelOf(after.keyOf(channel.edge));
            ChannelFate fate{after.nameOf(channel.edge), 0, channel.retained, 0};
            Piece piece;
            if (old && areItemsAlike(before, old->edge, after, channel.edge)) {
                fate.had = old->retained;
                fate.kept = std::min(old->retained, channel.retained);
                const std::int64_t size = channel.itemSize;
                piece = {before.itemsOf(*old) + (old->retained - fate.kept) * size,
                         after.itemsOf(channel) + (channel.retained - fate.kept) * size,
                         fate.kept * size};
            }
            found.emplace_back(std::move(fate), piece);
        }
        for (const auto& each : found) made.channels.push_back(each.first);
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
            return a.second.size < b.second.size;
        });
        for (const auto& each : found)
            if (each.second.size != 0) made.pieces.push_back(each.second);
    }

    /// Without dynamic rates.
    const Channel* channelOf(const std::string& ends) const {
        const std::optional<EdgeId> found = before.findEdge(ends);
        return found && !before.plan.demand ? &before.plan.channels[*found] : nullptr;
    }

    Version before, after;
    const std::vector<plan::Handler>&oldHandlers, &handlers;
    Transfer made;
};

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string line(const FilterFate& filter) {
    switch (filter.fate) {
        case Fate::Kept: return fmt::format("kept: {} ({})\n", filter.path, filter.what);
        case Fate::New: return fmt::format("new: {}\n", filter.path);
        case Fate::Changed:
            return fmt::format("begun anew: {}, since {}\n", filter.path, filter.what);
        case Fate::Gone: return fmt::format("gone: {}\n", filter.path);
    }
    return {};
}

}  // namespace

strc_flow_transfer Transfer::rows() {
    return {handlerRows.data(), boxes.data(),     queueRows.data(), actors.data(),
            boxes.size(),       queueRows.size(), actors.size(),    keepsCounts ? 1u : 0u};
}

std::string whyNot(const plan::Plan& plan) {
    return plan.tapes == plan::Tapes::Ring ? "its tapes are ring buffers ('--tapes=ring')" : "";
}

std::string whyNot(const plan::Plan& before, const plan::Plan& after) {
    return whyMessagesCannotGoOn(Version(before), Version(after));
}

Transfer transferOf(const Program& before, const Program& after) {
    return Matcher(before, after).match();
}

std::string print(const Transfer& transfer) {
    std::string text;
    for (const FilterFate& filter : transfer.filters) text += line(filter);
    for (const ChannelFate& channel : transfer.channels)
        text += channel.kept == channel.wanted && channel.kept == channel.had
                    ? fmt::format("kept: {}, {}\n", channel.path,
                                  counted(static_cast<std::uint64_t>(channel.kept), "item"))
                    : fmt::format("kept: {}, {} of {} items; there were {}\n", channel.path,
                                  channel.kept, channel.wanted, channel.had);
    return text;
}

std::string printMoved(const Transfer& transfer) {
    std::string text;
    for (std::size_t k = 0; k < transfer.handlers.size(); ++k) {
        const HandlerFate& fate = transfer.handlers[k];
        const strc_handler_transfer& row = transfer.handlerRows[k];
        if (row.kept != 0)
            text += fmt::format("kept: {} to {}\n", counted(row.kept, "message"), fate.path);
        if (row.dropped != 0)
            text += fmt::format("dropped: {} to {}, since {}\n", counted(row.dropped, "message"),
                                fate.path, fate.why.empty() ? "there is no room" : fate.why);
    }
    for (std::size_t k = 0; k < transfer.queues.size(); ++k) {
        const strc_queue_transfer& row = transfer.queueRows[k];
        if (row.had == row.kept && row.had != 0)
            text += fmt::format("kept: {}, {}\n", transfer.queues[k], counted(row.kept, "item"));
        if (row.had != row.kept)
            text += fmt::format("kept: {}, {} of {}\n", transfer.queues[k], row.kept,
                                counted(row.had, "item"));
    }
    return text;
}

}  // namespace strc::live
