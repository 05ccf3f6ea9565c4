#include "device/detail/parts.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "device/detail/uses.h"

namespace strc::device {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;
using plan::Plan;
using plan::Step;
using plan::StepKind;

namespace {

/// Bytes of a part that are copied one way: less takes hardly longer than to begin it, and small launches leave a device idle.
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMostParts = 4;

using Spans = std::vector<Span>;

/// Ascending and apart.
Spans united(Spans spans) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    Spans made;
    for (const Span& span : spans) {
        if (!made.empty() && span.begin <= made.back().end)
            made.back().end = std::max(made.back().end, span.end);
        else
            made.push_back(span);
    }
    return made;
}

/// Both are ascending and apart.
Spans without(const Spans& spans, const Spans& taken) {
    Spans made;
    for (Span rest : spans) {
        for (const Span& gone : taken) {
            if (!gone.overlaps(rest)) continue;
            if (rest.begin < gone.begin) made.push_back({rest.begin, gone.begin});
            rest.begin = std::min(gone.end, rest.end);
        }
        if (rest.begin < rest.end) made.push_back(rest);
    }
    return made;
}

class PartCutter {
public:
    PartCutter(const Plan& from, const Movable& what, const std::vector<const Step*>& of)
        : plan(from), movable(what) {
        isPlain = true;
        for (const Step* step : of) take(*step);
    }

    std::vector<Part> run() {
        const std::int64_t count = isPlain ? wanted() : 1;
        if (count < 2) return {};
        for (std::int64_t k = 0; k < count; ++k) cut(k, count);
        if (!copiesAreAlone() || !readsAreTheSame()) return {};
        return std::move(parts);
    }

private:
    /// Takes firings of a node at a stretch, and moves. Moves are done last, so nothing that follows them may depend on that.
    void take(const Step& step) {
        if (step.kind != StepKind::Fire) {
            isPlain = isPlain && step.kind == StepKind::Move;
            moves.push_back(&step);
            return;
        }
        isPlain = isPlain && nodes.insert(step.node).second &&
                  std::none_of(moves.begin(), moves.end(), [&](const Step* move) {
                      return touches(plan, step, move->channel);
                  });
        fires.push_back(&step);
    }

    /// Whole steady states each.
    std::int64_t wanted() const {
        std::int64_t common = 0, up = 0, down = 0;
        for (const Step* step : fires) {
            common = std::gcd(common, step->count);
            for (const Use& use : usesOf(plan, *step)) {
                const std::int64_t bytes = use.items * plan.channels[use.edge].itemSize;
                if (isUpload(use)) up += bytes;
                if (isDownload(use)) down += bytes;
            }
        }
        std::int64_t most = std::min(kMostParts, std::max(up, down) / kLeastBytes);
        while (most > 1 && common % most != 0) --most;
        return most;
    }

    EdgeId tapeOf(EdgeId edge) const { return plan.channels[edge].tape; }
    bool isUpload(const Use& use) const {
        return !use.isWritten && !movable.tapes[tapeOf(use.edge)];
    }
    bool isDownload(const Use& use) const {
        return use.isWritten && movable.isReadByHost[tapeOf(use.edge)];
    }

    Span span(EdgeId edge, const plan::Position& position, std::int64_t items) const {
        const plan::Channel& channel = plan.channels[edge];
        const std::int64_t begin = channel.offset + position.base * channel.itemSize;
        return {begin, begin + items * channel.itemSize};
    }

    Span span(const Step& step, const Use& use) const {
        return span(use.edge, (use.isWritten ? step.outputs : step.inputs)[use.port], use.items);
    }

    // ---- cutting

    void cut(std::int64_t number, std::int64_t count) {
        Part part;
        std::vector<Piece> work;
        Spans up, down;
        for (const Step* whole : fires) {
            const std::int64_t each = whole->count / count;
            const Step step = firingsOf(plan, *whole, number * each, each);
            Piece piece;
            for (const Use& use : usesOf(plan, step)) {
                (use.isWritten ? piece.writes : piece.reads).push_back(span(step, use));
                if (isUpload(use)) up.push_back(span(step, use));
                if (isDownload(use)) down.push_back(span(step, use));
            }
            work.push_back(std::move(piece));
            part.steps.push_back(step);
        }
        const bool isLast = number + 1 == count;
        for (const Step* move : moves) {
            Piece piece;
            if (isLast) {
                piece.reads.push_back(span(move->channel, move->inputs[0], move->count));
                piece.writes.push_back(span(move->channel, move->outputs[0], move->count));
                part.steps.push_back(*move);
            }
            work.push_back(std::move(piece));
        }
        part.uploads = without(united(std::move(up)), uploaded);
        part.downloads = united(std::move(down));
        Spans all = uploaded;
        all.insert(all.end(), part.uploads.begin(), part.uploads.end());
        uploaded = united(std::move(all));
        parts.push_back(std::move(part));
        pieces.push_back(std::move(work));
    }

    // ---- is it sound?

    /// Copies to the device go on during the work of all parts before, copies from it during that of all parts behind.
    bool copiesAreAlone() const {
        for (std::size_t early = 0; early < parts.size(); ++early)
            for (std::size_t late = early + 1; late < parts.size(); ++late) {
                if (overlap(parts[early].downloads, parts[late].uploads)) return false;
                for (const Piece& piece : pieces[early])
                    if (overlap(parts[late].uploads, piece.reads) ||
                        overlap(parts[late].uploads, piece.writes))
                        return false;
                for (const Piece& piece : pieces[late])
                    if (overlap(parts[early].downloads, piece.writes)) return false;
            }
        return true;
    }

    /// All that is read, and all that is left behind, comes from whom it came before.
    bool readsAreTheSame() const {
        const std::size_t rows = pieces[0].size() + 2, columns = parts.size();
        std::vector<std::vector<Trace::Source>> before(rows * columns), after(rows * columns);
        Trace one, other;
        auto number = [&](std::size_t row, std::size_t part) { return row * columns + part; };
        auto follow = [&](Trace& trace, auto& sources, std::size_t row, std::size_t part) {
            const std::size_t at = number(row, part);
            sources[at] = trace.run(pieceAt(row, part), static_cast<Trace::Writer>(at + 1));
        };
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t part = 0; part < columns; ++part) follow(one, before, row, part);
        for (std::size_t part = 0; part < columns; ++part)
            for (std::size_t row = 0; row < rows; ++row) follow(other, after, row, part);
        const Piece left{leftBehind(), {}};
        return before == after && one.run(left, 0) == other.run(left, 0);
    }

    /// Uploads, the steps, downloads.
    Piece pieceAt(std::size_t row, std::size_t part) const {
        if (row == 0) return {{}, parts[part].uploads};
        if (row <= pieces[part].size()) return pieces[part][row - 1];
        return {parts[part].downloads, {}};
    }

    /// The bytes written by these steps that later steps read.
    Spans leftBehind() const {
        std::set<EdgeId> others, written;
        for (const Step* move : moves) written.insert(tapeOf(move->channel));
        for (const Step* step : fires)
            for (const Use& use : usesOf(plan, *step))
                if (use.isWritten) written.insert(tapeOf(use.edge));
        const graph::Graph& graph = plan.program->graph;
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (nodes.contains(id) || (!plan.gone.empty() && plan.gone[id])) continue;
            for (EdgeId edge : plan.inputsOf(id)) others.insert(tapeOf(edge));
        }
        if (graph.output != kNone) others.insert(tapeOf(graph.output));
        Spans left;
        for (EdgeId tape : written)
            if (plan.channels[tape].retained > 0 || others.contains(tape))
                left.push_back(span(tape, {}, plan.channels[tape].capacity));
        return left;
    }

    const Plan& plan;
    const Movable& movable;
    std::vector<const Step*> fires, moves;
    std::set<NodeId> nodes;
    bool isPlain = false;
    std::vector<Part> parts;
    std::vector<std::vector<Piece>> pieces;  ///< by part: what the device does, step by step
    Spans uploaded;
};

}  // namespace

std::vector<Part> partsOf(const Plan& plan, const Movable& movable,
                          const std::vector<const Step*>& steps) {
    return PartCutter(plan, movable, steps).run();
}

Plan withBordersApart(const Plan& from, const Movable& movable) {
    constexpr std::int64_t kAlign = 64;
    auto aligned = [](std::int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; };
    Plan plan = from;
    std::set<EdgeId> readByDevice;
    for (NodeId id = 0; id < movable.nodes.size(); ++id)
        if (movable.nodes[id])
            for (EdgeId edge : plan.inputsOf(id)) readByDevice.insert(plan.channels[edge].tape);
    auto spanOf = [&](EdgeId tape) {
        const plan::Channel& channel = plan.channels[tape];
        return Span{channel.offset, channel.offset + channel.capacity * channel.itemSize};
    };
    for (plan::Channel& channel : plan.channels) {
        const EdgeId tape = channel.edge;
        const bool isBorder =
            movable.tapes[tape] ? movable.isReadByHost[tape] : readByDevice.contains(tape);
        if (channel.tape != tape || !isBorder) continue;
        const bool isShared =
            std::any_of(plan.channels.begin(), plan.channels.end(), [&](const auto& other) {
                return other.tape == other.edge && other.edge != tape &&
                       spanOf(other.edge).overlaps(spanOf(tape));
            });
        if (!isShared) continue;
        channel.offset = aligned(plan.stateSize);
        plan.stateSize = aligned(spanOf(tape).end);
    }
    for (plan::Channel& channel : plan.channels)
        channel.offset = plan.channels[channel.tape].offset;
    return plan;
}

}  // namespace strc::device
