#include "linear/detail/select.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "graph/hierarchy.h"
#include "linear/detail/combine.h"
#include "linear/detail/cost.h"

namespace strc::linear {
namespace {

using graph::CompositeId;
using graph::kNone;
using graph::NodeId;

/// A change has to gain so much: costs are estimates.
constexpr double kWorthwhile = 0.75;
/// Pieces of a pipeline that are tried together; what comes out may be put together again.
constexpr std::size_t kWindow = 8;
constexpr int kMostTrips = 8;
constexpr double kMostWork = 2e7;  ///< multiplications of matrices, in all
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Some children of a composite in a row.
struct Piece {
    std::uint32_t from = 0, to = 1;  ///< which children
    NodeId entry = kNone, exit = kNone;
    std::optional<Form> form;
    double kept = 0;  ///< what its linear part costs in a steady state, at its best
    std::vector<Region> regions;  ///< with which it costs that
};

class Selection {
public:
    Selection(const graph::Graph& program, const graph::Repetitions& firings,
              const target::Model& processor, const std::function<const Form*(NodeId)>& forms)
        : graph(program),
          repetitions(firings),
          target(processor),
          formOf(forms),
          pieces(program.composites.size()) {}

    std::vector<Region> run() {
        const graph::Hierarchy hierarchy(graph);
        for (CompositeId id : hierarchy.insideOut()) composite(id);
        if (pieces.empty()) return {};
        return std::move(pieces[0].regions);
    }

private:
    Piece nodePiece(NodeId id) const {
        Piece piece;
        piece.entry = piece.exit = id;
        if (const Form* form = formOf(id)) {
            piece.form = *form;
            piece.kept = costOf(*form, target) * static_cast<double>(repetitions.steady[id]);
        }
        return piece;
    }

    void composite(CompositeId id) {
        const graph::Composite& whole = graph.composites[id];
        std::vector<Piece> children;
        for (std::uint32_t k = 0; k < whole.children.size(); ++k) {
            const graph::Child child = whole.children[k];
            children.push_back(child.isComposite ? std::move(pieces[child.id])
                                                 : nodePiece(child.id));
            children.back().from = k;
            children.back().to = k + 1;
        }
        switch (whole.kind) {
            case graph::CompositeKind::Pipeline:
                pieces[id] = pipeline(id, std::move(children));
                break;
            case graph::CompositeKind::SplitJoin: pieces[id] = splitJoin(id, children); break;
            case graph::CompositeKind::FeedbackLoop:
                pieces[id].entry = whole.joiner;
                pieces[id].exit = whole.splitter;
                break;
        }
    }

    // ---- costs

    /// As one node; never if it would have to fire in the initialisation when not all of its parts do.
    double costAsOne(const Form& form, NodeId exit) const {
        const graph::EdgeId out = graph.nodes[exit].outputs[0];
        const std::int64_t each = graph::pushRate(graph, out);
        if (repetitions.init[exit] * each % form.push() != 0) return kNever;
        const std::int64_t given = repetitions.steady[exit] * each;
        return costOf(form, target) * static_cast<double>(given) / static_cast<double>(form.push());
    }

    bool affords(double multiplications) {
        work += multiplications;
        return work <= kMostWork;
    }

    std::optional<Form> combined(const Form& first, const Form& second) {
        const double rows = static_cast<double>(first.terms()) / static_cast<double>(first.push());
        const double firings = static_cast<double>(first.push());
        if (!affords(rows * static_cast<double>(second.terms()) * firings)) return std::nullopt;
        auto made = inPipeline(first, second);
        return made ? std::optional(std::move(made->form)) : std::nullopt;
    }

    // ---- pipelines

    Piece pipeline(CompositeId id, std::vector<Piece> parts) {
        for (int iteration = 0; iteration < kMostTrips; ++iteration) {
            const std::size_t before = parts.size();
            parts = cut(id, std::move(parts));
            if (parts.size() == before) break;
        }
        Piece whole;
        whole.entry = parts.front().entry;
        whole.exit = parts.back().exit;
        whole.form = parts.front().form;
        for (std::size_t k = 1; k < parts.size() && whole.form; ++k)
            whole.form = parts[k].form ? combined(*whole.form, *parts[k].form) : std::nullopt;
        for (Piece& part : parts) {
            whole.kept += part.kept;
            std::move(part.regions.begin(), part.regions.end(), std::back_inserter(whole.regions));
        }
        return whole;
    }

    /// The cheapest way to put neighbours together, of what fits the window.
    std::vector<Piece> cut(CompositeId id, std::vector<Piece> parts) {
        struct Best {
            double cost = kNever;
            std::size_t from = 0;
            std::optional<Form> form;  ///< of several
        };
        std::vector<Best> best(parts.size() + 1);
        best[0].cost = 0;
        for (std::size_t from = 0; from < parts.size(); ++from) {
            auto offer = [&](std::size_t to, double cost, std::optional<Form> form) {
                if (best[from].cost + cost < best[to].cost)
                    best[to] = {best[from].cost + cost, from, std::move(form)};
            };
            offer(from + 1, parts[from].kept, std::nullopt);
            std::optional<Form> form = parts[from].form;
            double apart = parts[from].kept;
            for (std::size_t k = from + 1; k < std::min(from + kWindow, parts.size()); ++k) {
                form = form && parts[k].form ? combined(*form, *parts[k].form) : std::nullopt;
                if (!form) break;
                apart += parts[k].kept;
                const double cost = costAsOne(*form, parts[k].exit);
                if (cost < kWorthwhile * apart) offer(k + 1, cost, form);
            }
        }
        std::vector<Piece> made;
        for (std::size_t to = parts.size(); to > 0; to = best[to].from) {
            const std::size_t from = best[to].from;
            made.push_back(to == from + 1
                               ? std::move(parts[from])
                               : merged(id, parts[from], parts[to - 1], std::move(*best[to].form)));
        }
        std::reverse(made.begin(), made.end());
        return made;
    }

    Piece merged(CompositeId id, const Piece& first, const Piece& last, Form form) const {
        Piece piece{first.from, last.to, first.entry, last.exit, std::move(form), 0, {}};
        piece.kept = costAsOne(*piece.form, piece.exit);
        piece.regions = {{{id, piece.from, piece.to, piece.entry}, piece.exit, *piece.form}};
        return piece;
    }

    // ---- splitjoins

    Piece splitJoin(CompositeId id, std::vector<Piece>& branches) {
        const graph::Composite& composite = graph.composites[id];
        Piece whole;
        whole.entry = composite.splitter;
        whole.exit = composite.joiner;
        for (Piece& branch : branches) {
            whole.kept += branch.kept;
            std::move(branch.regions.begin(), branch.regions.end(),
                      std::back_inserter(whole.regions));
        }
        whole.form = formOfBranches(composite, branches);
        if (!whole.form) return whole;
        for (NodeId node : {composite.splitter, composite.joiner})
            whole.kept += costOf(graph.nodes[node]) * static_cast<double>(repetitions.steady[node]);
        const double cost = costAsOne(*whole.form, whole.exit);
        if (cost >= kWorthwhile * whole.kept) return whole;
        whole.kept = cost;
        const std::uint32_t index = composite.index;
        whole.regions = {
            {{composite.parent, index, index + 1, whole.entry}, whole.exit, *whole.form}};
        return whole;
    }

    std::optional<Form> formOfBranches(const graph::Composite& composite,
                                       const std::vector<Piece>& branches) {
        if (composite.splitter == kNone || composite.joiner == kNone) return std::nullopt;
        const graph::Node& split = graph.nodes[composite.splitter];
        const graph::Node& join = graph.nodes[composite.joiner];
        if (split.outputs.size() != branches.size() || join.weights.size() != branches.size())
            return std::nullopt;
        std::vector<const Form*> forms;
        double terms = 0;
        for (const Piece& branch : branches) {
            if (!branch.form) return std::nullopt;
            forms.push_back(&*branch.form);
            terms += static_cast<double>(branch.form->terms());
        }
        if (!affords(terms)) return std::nullopt;
        auto made = inSplitJoin(forms, split.weights, join.weights);
        return made ? std::optional(std::move(made->form)) : std::nullopt;
    }

    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    const target::Model& target;
    const std::function<const Form*(NodeId)>& formOf;
    std::vector<Piece> pieces;  ///< by composite, once it is done
    double work = 0;
};

}  // namespace

std::vector<Region> select(const graph::Graph& graph, const graph::Repetitions& repetitions,
                           const target::Model& target,
                           const std::function<const Form*(NodeId)>& formOf) {
    return Selection(graph, repetitions, target, formOf).run();
}

}  // namespace strc::linear
