#include "session/pipeline.h"

#include <algorithm>

#include "base/pass.h"
#include "base/quiet.h"
#include "graph/ending.h"
#include "ir/open.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "lowered/lower.h"
#include "opt/registry.h"
#include "parser/parse.h"
#include "pass/run.h"
#include "sched/balance.h"
#include "sema/check.h"
#include "session/detail/inputs.h"

namespace strc::session {

namespace {

/// What the plan of the one filter takes over from that of the program before.
struct TakenOver {
    std::int64_t factor = 0;  ///< plan::Options::factor
    const lowered::Program* lowered = nullptr;  ///< null: it is no such plan
};

/// Each step does one stage; errors are looked for between them and nowhere else.
class Pipeline {
public:
    Pipeline(Compilation& product, const Request& wanted, const Library& streams)
        : result(product), request(wanted), library(streams) {
        result.random = request.random;
        environment.print = request.print;
        environment.interrupt = request.interrupt;
        environment.natives = &result.natives;
        environment.weights = result.weights.get();
        environment.sound = findSound(request.inputSound);
    }

    /// After errors that leave something to look at the next stages still run, to report theirs.
    Stage run(Stage last) {
        using base::Pass;
        struct Step {
            Pass stage;
            bool (Pipeline::*run)();
        };
        static constexpr Step steps[] = {
            {Pass::Parse, &Pipeline::parse},     {Pass::Check, &Pipeline::check},
            {Pass::Lower, &Pipeline::lower},     {Pass::Elaborate, &Pipeline::elaborate},
            {Pass::Balance, &Pipeline::balance}, {Pass::Schedule, &Pipeline::schedule},
            {Pass::Plan, &Pipeline::plan}};
        auto done = Stage::Nothing;
        for (auto next = Stage::Nothing; next < last;) {
            const Step& step = steps[static_cast<std::size_t>(next)];
            bool goesOn = false;
            {
                base::Timing timing(result.context.passes, step.stage);
                goesOn = (this->*step.run)();
            }
            if (request.interrupt && *request.interrupt) break;
            next = static_cast<Stage>(static_cast<int>(next) + 1);
            if (!result.context.diags.hasErrors()) done = next;
            if (!goesOn) break;
        }
        return done;
    }

private:
    bool parse() {
        base::SourceManager& sources = result.context.sources;
        std::vector<std::string_view> texts;
        for (const SourceText& source : request.sources) {
            if (source.tree) {
                texts.push_back(source.text);
                result.units.push_back(&source.tree(result.context));
                continue;
            }
            base::BufferId buffer = sources.add(source.name, source.text);
            texts.push_back(sources.text(buffer));
            const ast::Unit& unit = parser::parse(result.context, buffer, request.interrupt);
            result.units.push_back(request.topFindsTypes ? &withoutTypes(unit) : &unit);
        }
        result.programUnits = result.units.size();
        texts.push_back(request.top);  // a stream of the library may be the program
        for (SourceText& file : library.needed(texts)) {
            base::BufferId buffer = sources.add(file.name, std::move(file.text), true);
            result.units.push_back(&parser::parse(result.context, buffer));
        }
        // What --lenient would forgive cannot be told before all of the program is known.
        return !result.context.lenient || !result.context.diags.hasErrors();
    }

    /// The unit with an untyped `top`, like an anonymous composite that writes no type.
    const ast::Unit& withoutTypes(const ast::Unit& unit) {
        base::Arena& arena = result.context.arena;
        std::vector<const ast::Decl*> decls(unit.decls.begin(), unit.decls.end());
        for (const ast::Decl*& decl : decls) {
            auto* stream = ast::tryAs<ast::StreamDecl>(decl);
            if (!stream || stream->name.name.text() != request.top) continue;
            ast::StreamDecl open = *stream;
            open.input = open.output = nullptr;
            decl = arena.make<ast::StreamDecl>(open);
        }
        ast::Unit made = unit;
        made.decls = arena.copy(decls);
        return *arena.make<ast::Unit>(made);
    }

    bool check() {
        base::Context& context = result.context;
        bool understood = !context.diags.hasErrors();
        result.program = sema::check(context, result.units, library.declared());
        if (!understood) return false;
        if (request.withoutMain) return !context.diags.hasErrors();
        if (!sema::setAsideBroken(context, result.program) && !context.lenient) return false;
        std::vector<std::string> defined;
        defined.reserve(request.defines.size());
        for (const auto& [name, value] : request.defines) defined.push_back(name);
        result.main = sema::findMain(context, result.program, request.top, defined);
        if (!result.main) return false;
        sema::markReachable(context, result.program, *result.main);
        if (!sema::setAsideBroken(context, result.program)) return false;  // some became warnings
        if (!context.diags.hasErrors()) return true;
        environment.print = nullptr;  // of what cannot run nothing is seen but its faults
        return result.program.natives.empty();
    }

    bool lower() {
        std::size_t errors = result.context.diags.errorCount();
        auto runStatic = [this](ir::Module& module, const ir::Body& body) {
            const bool isFine = elab::runStatic(result.context, module, body, *result.program.types,
                                                environment, result.random);
            if (isFine) hold(module, body.name);
            return isFine;
        };
        result.module = lower::lower(result.context, result.program, runStatic);
#ifdef STRC_CHECKED
        if (!result.context.diags.hasErrors())
            for (const std::string& fault : ir::verify(result.module)) STRC_ASSERT(false, fault);
#endif
        const std::vector<std::string> kept = keptParameters();
        if (!kept.empty() && result.context.diags.errorCount() == errors)
            ir::leaveOpen(result.context, result.module, result.main->index, kept);
        return result.context.diags.errorCount() == errors;
    }

    /// Those that were asked for, and those of which the program says that hosts move them. A value that is given is no default:
    /// then the rate is that.
    std::vector<std::string> keptParameters() {
        std::vector<std::string> kept = request.keptParameters;
        if (!request.opensRanges || !result.main->decl) return kept;
        for (const ast::Unit* unit : result.units)
            if (unit->buffer == result.main->decl->range.buffer)
                result.annotations =
                    plugins::annotationsOf(result.context, *unit, *result.main->decl);
        auto keep = [&](const std::string& name) {
            if (std::find(kept.begin(), kept.end(), name) == kept.end()) kept.push_back(name);
        };
        for (const std::string& rate : result.annotations.rateParameters)
            if (request.opensRate && !request.defines.contains(rate)) keep(rate);
        for (const plugins::Range& each : result.annotations.ranges) keep(each.parameter);
        return kept;
    }

    /// A global whose declaration has just run; items that are none have names that no global has.
    void hold(ir::Module& module, const std::string& name) const {
        auto found = request.held.find(name);
        if (found == request.held.end()) return;
        const Held& held = found->second;
        types::TypeTable& types = *result.program.types;
        for (std::size_t k = 0; k < module.globals.size(); ++k) {
            types::Value& value = module.globalValues[k];
            if (module.globals[k].name != name) continue;
            if (held.element)
                value = {types.tensor(types.scalar(*held.element), held.dims), held.bytes};
            else if (value.bytes.size() == held.bytes.size())
                value.bytes = held.bytes;
        }
    }

    bool elaborate() {
        types::TypeTable& types = *result.program.types;
        elab::Entry entry{result.main->index, request.defines};
        const types::Type* input = result.main->input;  // null: to be found
        const bool takesTensors = !input || input->is(types::TypeKind::Tensor);
        if (!takesTensors && !request.inputs.empty()) {
            result.context.diags.add(base::Diag::MainStreamSide)
                << "--input" << result.main->name << "input of tensors";
            return false;
        }
        if (takesTensors && !findInputs(result.context, request.inputs, request.inputFiles, input,
                                        types, entry.inputs))
            return false;
        result.elaboration = elab::elaborate(result.context, result.module, *result.program.types,
                                             entry, environment, result.random);
        return result.elaboration.complete;
    }

    bool balance() {
        if (auto repetitions = sched::balance(result.context, result.elaboration.graph))
            result.repetitions = std::move(*repetitions);
        return !result.context.diags.hasErrors();
    }

    bool schedule() {
        if (request.planIfPossible) return scheduleQuietly();
        for (std::uint32_t island = 0; island < result.repetitions.islands; ++island) {
            auto made = sched::schedule(result.context, result.elaboration.graph,
                                        result.repetitions, request.order, island);
            if (!made) return false;
            result.schedules.push_back(std::move(*made));
        }
        return true;
    }

    bool scheduleQuietly() {
        const bool hasSchedule = !result.elaboration.graph.isDynamic();
        if (!hasSchedule || !plan::whyNot(result.elaboration).empty()) return true;
        const base::Quiet quiet(result.context.diags);
        if (auto made = sched::schedule(result.context, result.elaboration.graph,
                                        result.repetitions, request.order))
            result.schedules.push_back(std::move(*made));
        return true;
    }

    bool plan() {
        // Bodies may pop less than they declare, which the interpreter mends: plans count on the rates.
        const bool isWhole = result.elaboration.dynamicShape && !result.elaboration.compiled;
        if (request.planIfPossible && (result.context.lenient || isWhole)) return true;
        const bool isDynamic = result.elaboration.graph.isDynamic();
        if (request.planIfPossible && result.schedules.empty() && !isDynamic) return true;
        std::string why = plan::whyNot(result.elaboration);
        if (why.empty() && popsTooLittle())
            why = "a body pops less than it declares, which only the interpreter mends";
        if (!why.empty()) {
            result.context.diags.add(base::Diag::CannotCompile, mainRange()) << why;
            return false;
        }
        const std::optional<graph::Ending> ending = endingToDrain();
        std::optional<sched::Schedule> own = optimise();
        makePlan(own, ending);
        // Not where passes have made filters that somebody could see fire on nothing.
        if (ending && result.optimised && result.plan && !result.plan->drain) {
            result.optimised.reset();
            own.reset();
            makePlan(own, ending);
        }
        if (request.lowers && result.plan) lowerPlan();
        return !result.context.diags.hasErrors();
    }

    /// The program becomes the one filter of its lower form, which any engine runs.
    void lowerPlan() {
        std::string why = lowered::whyNot(result.module, *result.plan);
        if (!why.empty()) {
            result.context.diags.add(base::Diag::CannotCompile, mainRange()) << why;
            return;
        }
        const bool scales = request.optimise.has_value();
        const std::int64_t factor = scales ? result.plan->scaled.iterations : 0;
        lowered::Program made =
            lowered::lower(result.context, *result.program.types, result.module, *result.plan,
                           {.scales = scales, .target = request.target});
        keepPlan(made.chunk.has_value());
        auto quota = sched::balance(result.context, made.elaboration.graph);
        if (!quota) return;
        result.optimised =
            pass::Program{std::make_shared<const elab::Elaboration>(std::move(made.elaboration)),
                          std::move(*quota)};
        const std::optional<sched::Schedule> own = sched::schedule(
            result.context, result.plannedProgram().graph, result.plannedQuota(), request.order);
        if (!own) return;
        makePlan(own, std::nullopt, {factor, &made});
        if (result.plan) result.plan->before = &result.before->plan;
    }

    /// Faults and profiles are about what fires in the one filter.
    void keepPlan(bool hasChunk) {
        auto before = std::make_unique<BeforeLowering>();
        before->quota = result.plannedQuota();
        before->program = result.optimised
                              ? result.optimised->elaboration
                              : std::shared_ptr<const elab::Elaboration>(
                                    std::shared_ptr<const void>(), &result.compiledForm());
        before->plan = std::move(*result.plan);
        before->plan.program = before->program.get();
        if (!hasChunk) before->plan.chunk.reset();
        if (hasChunk) before->plan.chunk = lowered::ofOneSlice(std::move(*before->plan.chunk));
        result.before = std::move(before);
        result.plan.reset();
        result.optimised.reset();
    }

    base::SourceRange mainRange() const {
        const graph::Graph& graph = result.elaboration.graph;
        return graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
    }

    /// Of a program that can have anything left to do when its input ends.
    std::optional<graph::Ending> endingToDrain() const {
        const graph::Graph& graph = result.elaboration.graph;
        if (graph.isDynamic()) return std::nullopt;
        graph::Ending made(graph, &result.repetitions);
        if (!graph::mayDrain(made)) return std::nullopt;
        return made;
    }

    /// What a steady state takes or gives at an open end, whichever is more.
    static std::int64_t itemsOfState(const graph::Graph& graph, const graph::Repetitions& counts) {
        std::int64_t items = 1;
        if (graph.input != graph::kNone)
            items = counts.steady[graph.edges[graph.input].to] * popRate(graph, graph.input);
        if (graph.output != graph::kNone)
            items = std::max(items, counts.steady[graph.edges[graph.output].from] *
                                        pushRate(graph, graph.output));
        return items;
    }

    /// As the request says, but where that would be few steady states, as many as `manyStates`.
    std::int64_t mostItems(const elab::Elaboration& program) const {
        if (request.manyStates == 0 || program.graph.isDynamic()) return request.mostItems;
        const std::int64_t items = itemsOfState(program.graph, result.plannedQuota());
        if (items == 0 || request.mostItems / items >= request.manyStates / 2)
            return request.mostItems;
        return items > INT64_MAX / request.manyStates ? INT64_MAX : items * request.manyStates;
    }

    void makePlan(const std::optional<sched::Schedule>& own,
                  const std::optional<graph::Ending>& ending, const TakenOver& over = {}) {
        const plan::Chunk* chunk =
            over.lowered && over.lowered->chunk ? &*over.lowered->chunk : nullptr;
        const plan::Partitioning* partitioning =
            over.lowered && over.lowered->partitioning ? &*over.lowered->partitioning : nullptr;
        const unsigned threads = over.lowered ? 1 : request.threads;
        const bool isDynamic = result.elaboration.graph.isDynamic();
        const elab::Elaboration& program = result.plannedProgram();
        const sched::Schedule none;
        const std::optional<sched::Schedule> single =
            isDynamic ? std::nullopt : scalable(program, result.plannedQuota());
        std::optional<base::Quiet> quiet;
        if (request.planIfPossible) quiet.emplace(result.context.diags);
        result.plan =
            plan::plan(result.context, program, result.plannedQuota(),
                       isDynamic ? none
                       : own     ? *own
                                 : result.schedules.front(),
                       {single ? &*single : nullptr, mostItems(program), over.factor, request.tapes,
                        request.optimise.has_value(), ending ? &*ending : nullptr, request.undoes,
                        request.undoesMessages, request.chunks, chunk, partitioning,
                        request.chunkStates, request.measured.empty() ? nullptr : &request.measured,
                        threads, request.forDevice, request.ranks});
    }

    /// What --lenient made a warning of.
    bool popsTooLittle() const {
        for (const base::Diagnostic& each : result.context.diags.all())
            if (each.id == base::Diag::PopRateViolated) return true;
        return false;
    }

    /// Each node once. That there is none, because its buffers would be too large, is no fault.
    std::optional<sched::Schedule> scalable(const elab::Elaboration& program,
                                            const graph::Repetitions& repetitions) {
        if (request.order == sched::Order::SingleAppearance) return std::nullopt;
        const base::Quiet quiet(result.context.diags);
        return sched::schedule(result.context, program.graph, repetitions,
                               sched::Order::SingleAppearance);
    }

    /// The schedule of the program that passes have made, if they have.
    std::optional<sched::Schedule> optimise() {
        if (!request.optimise) return std::nullopt;
        const pass::Context context{result.context, result.module, *result.program.types,
                                    *request.optimise, request.target};
        auto made = pass::runPasses(
            context, pass::borrow(result.compiledForm(), result.repetitions), opt::passTable());
        if (!made) return std::nullopt;
        const base::Quiet quiet(result.context.diags);
        auto schedule =
            sched::schedule(result.context, made->graph(), made->repetitions, request.order);
        if (schedule) result.optimised = std::move(*made);
        return schedule;
    }

    Compilation& result;
    const Request& request;
    const Library& library;
    elab::Environment environment;
};

}  // namespace

Held heldOf(const types::Value& value) {
    const types::Type* type = value.type;
    if (!type || !type->is(types::TypeKind::Tensor)) return {value.bytes, std::nullopt};
    return {value.bytes, type->element->kind, {type->dims.begin(), type->dims.end()}};
}

Stage compile(Compilation& result, const Request& request, const Library& library, Stage last) {
    return Pipeline(result, request, library).run(last);
}

}  // namespace strc::session
