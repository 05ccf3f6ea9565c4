#include "session/detail/lanes.h"

#include <fmt/format.h>

#include "base/quiet.h"
#include "codegen/target_model.h"
#include "horizontal/lanes.h"
#include "plan/lanes.h"
#include "sched/schedule.h"
#include "session/load.h"
#include "session/products.h"
#include "strc/lanes.h"

namespace strc::session {
namespace {

/// Of all lanes. More does not stay in the caches of most processors.
constexpr std::int64_t kMostOfState = 16 * 1024 * 1024;

class LanesPlanner {
public:
    LanesPlanner(Compilation& program, const Settings& settings)
        : program(program), settings(settings) {}

    /// Why not: one sentence, or empty.
    std::string run() {
        if (!program.plan || program.plan->demand) return "its rates are dynamic";
        if (settings.debug) return "debuggers want one instance at a time";
        if (settings.split) return "with '--split' products are divided";
        if (settings.kernels != Kernels::Generated) return "a library computes its products";
        if (settings.fastMath) return "with '--fast-math' lanes might be rounded otherwise";
        const pass::Options options = optimisations(settings).value_or(pass::Options{});
        const target::Model target = codegen::targetModel(codegenOptions(settings));
        const pass::Context context{program.context, program.module, *program.program.types,
                                    options, target};
        const pass::Program one = program.optimised
                                      ? *program.optimised
                                      : pass::borrow(program.compiledForm(), program.repetitions);
        horizontal::InLanes made = horizontal::inLanes(context, one, STRC_MOST_LANES);
        if (!made.whyNot.empty()) return made.whyNot;
        all->program = std::move(made.program);
        inTurn = std::move(made.inTurn);
        return place(made);
    }

    std::vector<std::string> inTurn;  ///< filters that do one instance after the other, and why

    std::shared_ptr<const codegen::LanesPart> take() { return {all, &all->part}; }

private:
    struct Made {
        pass::Program program;
        plan::Plan plan;
        codegen::LanesPart part;
    };

    std::optional<sched::Schedule> scheduled(sched::Order order) {
        return sched::schedule(program.context, all->program.graph(), all->program.repetitions,
                               order);
    }

    std::string place(const horizontal::InLanes& made) {
        const base::Quiet quiet(program.context.diags);
        const std::optional<sched::Schedule> schedule = scheduled(settings.order);
        const std::optional<sched::Schedule> single = scheduled(sched::Order::SingleAppearance);
        if (!schedule) return "its tapes are too large";
        plan::Options how;
        how.scaling = single ? &*single : nullptr;
        how.mostItems = kMostAtOnce * STRC_MOST_LANES;
        how.removesCode = optimisations(settings).has_value();
        std::optional<plan::Plan> planned = plan::plan(program.context, *all->program.elaboration,
                                                       all->program.repetitions, *schedule, how);
        if (!planned || planned->stateSize > kMostOfState) return "its state is large";
        std::optional<std::vector<plan::LanePiece>> pieces =
            plan::lanePieces(*program.plan, *planned, made.fields, STRC_MOST_LANES);
        if (!pieces) return "its tapes would lie in another way";
        all->plan = std::move(*planned);
        all->part = {&all->plan, STRC_MOST_LANES, std::move(*pieces)};
        return {};
    }

    Compilation& program;
    const Settings& settings;
    std::shared_ptr<Made> all = std::make_shared<Made>();
};

}  // namespace

std::shared_ptr<const codegen::LanesPart> lanesPart(Compilation& program,
                                                    const Settings& settings) {
    if (!settings.lanes) return nullptr;
    LanesPlanner planner(program, settings);
    const std::string why = planner.run();
    if (why.empty()) {
        for (const std::string& filter : planner.inTurn)
            program.context.diags.add(base::Diag::Hint, mainHeader(program)) << fmt::format(
                "of '--lanes' this filter does one instance after the other: {}", filter);
        return planner.take();
    }
    program.context.diags.add(base::Diag::Hint, mainHeader(program))
        << fmt::format("'--lanes' has no effect, instances are done one by one: {}", why);
    return nullptr;
}

}  // namespace strc::session
