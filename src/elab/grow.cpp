// Running setups, inits and composite bodies: the first of elaboration's three steps.

#include <deque>
#include <unordered_map>
#include <utility>

#include "base/pass.h"
#include "elab/detail/bind_main.h"
#include "elab/detail/derive.h"
#include "elab/detail/kernel_table.h"
#include "elab/detail/purity.h"
#include "elab/detail/rates.h"
#include "elab/detail/runner.h"
#include "elab/detail/tensor_fields.h"
#include "elab/detail/tree.h"
#include "graph/hierarchy.h"
#include "ir/demands.h"
#include "ir/inline.h"
#include "ir/specialize.h"
#include "ir/text.h"
#include "tensor/expand.h"
#include "weights/weights.h"

namespace strc::elab {
namespace {

using base::Diag;

class Grower final : public Runner {
public:
    Grower(base::Context& context, const ir::Module& module, types::TypeTable& types,
           const Environment& environment, Tree& tree)
        : Runner(context, module, types, environment, tree.random), tree(tree) {}

    bool grow(const Entry& entry) {
        Instance main;
        main.stream = entry.stream;
        main.code = &module.streams[entry.stream];
        main.range = main.code->header;
        if (!bindMain(context, entry, main)) return false;
        tree.instances.push_back(std::move(main));
        pending.push_back(0);
        while (!pending.empty()) {
            current = pending.back();
            pending.pop_back();
            if (!elaborateOne()) return false;
        }
        checkDemands();
        return context.diags.errorCount() == errorsBefore;
    }

    // ---- Host
    std::int32_t newPortal(base::SourceRange) override { return tree.portals++; }

    void see(const ir::Create& create, std::span<const Value> values) override {
        for (std::size_t k = 0; k < values.size(); ++k)
            seen.emplace_back(create.seen[k].name, values[k]);
    }

    std::optional<eval::Trap> create(const ir::Create& create, const Type* typeArgument,
                                     std::span<const std::optional<Value>> args,
                                     std::span<const std::int32_t> portals,
                                     base::SourceRange range) override {
        if (tree.instances.size() >= context.limits.nodes)
            return eval::Trap{Diag::TooManyNodes, range, {std::to_string(context.limits.nodes)}};
        Instance child;
        child.builtin = create.builtin;
        child.stream = create.stream;
        if (create.stream != ir::kNone) child.code = &module.streams[create.stream];
        child.parent = current;
        child.depth = tree.instances[current].depth + 1;
        child.role = create.role;
        child.range = range;
        child.typeArgument = typeArgument;
        child.create = static_cast<std::uint32_t>(&create - composite->creates.data());
        child.ordinal = created[child.create]++;
        child.seen = std::exchange(seen, {});
        child.constants.reserve(args.size());
        for (std::size_t k = 0; k < args.size(); ++k) {
            child.constants.push_back(args[k].value_or(Value{}));
            if (!args[k]) child.defaulted.push_back(static_cast<std::uint32_t>(k));
        }
        if (auto full = reserve(bytesOf(child.constants), "the arguments of streams", range))
            return full;
        auto id = static_cast<InstanceId>(tree.instances.size());
        tree.instances.push_back(std::move(child));
        tree.instances[current].children.push_back(id);
        for (std::int32_t portal : portals) tree.registrations.push_back({portal, id});
        return std::nullopt;
    }

    std::optional<eval::Trap> split(bool duplicate, ir::SplitForm form,
                                    std::span<const std::int64_t> weights,
                                    base::SourceRange range) override {
        return setPart(tree.instances[current].split, "split",
                       {duplicate, form, {weights.begin(), weights.end()}, range});
    }
    std::optional<eval::Trap> join(bool duplicate, ir::SplitForm form,
                                   std::span<const std::int64_t> weights,
                                   base::SourceRange range) override {
        return setPart(tree.instances[current].join, "join",
                       {duplicate, form, {weights.begin(), weights.end()}, range});
    }
    std::optional<eval::Trap> enqueue(const Value& value, base::SourceRange range) override {
        std::vector<EnqueuedItem>& items = tree.instances[current].enqueued;
        if (items.size() >= context.limits.enqueuedItems)
            return exceeded("the number of enqueued items", context.limits.enqueuedItems, range);
        if (auto full = reserve(value.bytes.size(), "enqueued items", range)) return full;
        items.push_back({value, range});
        return std::nullopt;
    }
    void rate(const ir::RateClause& clause, std::optional<std::int64_t> min,
              std::optional<std::int64_t> average, std::optional<std::int64_t> max,
              base::SourceRange range) override {
        StatedRates& rates = clause.prework ? preworkRates : workRates;
        rates[static_cast<std::size_t>(clause.kind)] = StatedRate{clause, min, average, max, range};
    }
    void itemType(int side, const Type* concrete) override {
        (side == 0 ? statedInput : statedOutput) = concrete;
    }

private:
    static eval::Trap exceeded(std::string what, std::uint64_t limit, base::SourceRange range) {
        return {Diag::LimitExceeded, range, {std::move(what), std::to_string(limit)}};
    }

    std::optional<eval::Trap> setPart(std::optional<SplitSpec>& part, std::string word,
                                      SplitSpec spec) {
        const Instance& instance = tree.instances[current];
        if (part)
            return eval::Trap{
                Diag::RepeatedPart,
                spec.range,
                {std::string(kindName(instance.kind())), displayName(instance), std::move(word)}};
        part = std::move(spec);
        return std::nullopt;
    }

    static std::uint64_t bytesOf(const std::vector<Value>& values) {
        std::uint64_t bytes = 0;
        for (const Value& value : values) bytes += value.bytes.size();
        return bytes;
    }

    /// Counts what instances keep until the program ends: arguments once for the instance and three
    /// times for its kernel, states for the graph and for those that run it.
    std::optional<eval::Trap> reserve(std::uint64_t bytes, const char* what,
                                      base::SourceRange range) {
        if (bytes > context.limits.totalBytes - reserved)
            return exceeded(std::string("the memory for ") + what, context.limits.totalBytes,
                            range);
        reserved += bytes;
        return std::nullopt;
    }

    base::Diagnostic& report(Diag id, base::SourceRange range) {
        return context.diags.add(id, range).in(path(tree, current));
    }

    void takeSound(const std::string& file, bool isRate, int value) override {
        TakenSound& taken = tree.sounds[file];
        (isRate ? taken.rate : taken.channels) = value;
    }
    std::string where() const override { return path(tree, current); }
    base::SourceRange added() const { return addedAt(context.sources, tree, current); }
    std::string addedName() const {
        return displayName(tree.instances[addedFrom(context.sources, tree, current)]);
    }

    /// What a body requires is said as the compiler says it of tensors.
    void warn(const eval::Trap& trap) override {
        if (trap.id == Diag::TensorShape && trap.args.size() == 2 && trap.args[0].empty())
            return reportFault({false, {}, trap.args[1], trap.range});
        Runner::warn(trap);
    }

    /// Demands on open parameters that no filter can check.
    void checkDemands() {
        for (current = 0; current < tree.instances.size(); ++current)
            if (tree.instances[current].demands)
                report(Diag::TensorUnknown, added())
                    << "what is required of open parameters around no filter";
    }

    /// An argument whose length is wrong is written where the instance is added.
    void explain(base::Diagnostic& fault, const eval::Trap& trap) const override {
        const Instance& instance = tree.instances[current];
        if (instance.parent == ir::kNone) return;
        if (context.sources.isLibrary(trap.range.buffer))
            fault.note(Diag::AddedHere, added()) << displayName(instance);
        if (trap.id != Diag::ArrayLength || context.sources.isLibrary(trap.range.buffer)) return;
        const base::SourceRange head = instance.code->header;
        const bool isParameter = trap.range.buffer == head.buffer &&
                                 head.begin <= trap.range.begin && trap.range.end <= head.end;
        if (isParameter) fault.note(Diag::AddedHere, instance.range) << displayName(instance);
    }

    // ---- one instance

    bool elaborateOne() {
        Instance& instance = tree.instances[current];
        if (!instance.isFilter() && instance.depth > context.limits.streamDepth) {
            report(Diag::EndlessRecursion, instance.range)
                << static_cast<std::int64_t>(context.limits.streamDepth) << displayName(instance);
            return false;
        }
        bool fine = !instance.code        ? elaborateBuiltin(instance)
                    : instance.isFilter() ? elaborateFilter()
                                          : elaborateComposite();
        return fine;
    }

    bool elaborateBuiltin(Instance& instance) {
        const types::BuiltinStreamInfo& row = types::info(instance.builtin);
        for (std::uint32_t k : instance.defaulted)
            instance.constants[k] = Value::of(types.intType(), *row.parameters[k].defaultValue);
        Kernel kernel;
        kernel.builtin = instance.builtin;
        kernel.constants = instance.constants;
        kernel.input = kernel.output = types.voidType();
        graph::Rate one{1, 1, false, -1};
        switch (row.role) {
            case types::BuiltinRole::Identity:
                kernel.input = kernel.output = instance.typeArgument;
                kernel.work = {one, one, one};
                break;
            case types::BuiltinRole::Reader:
                kernel.output = instance.typeArgument;
                kernel.work.push = one;
                break;
            case types::BuiltinRole::Writer:
                kernel.input = instance.typeArgument;
                kernel.work.pop = kernel.work.peek = one;
                break;
            case types::BuiltinRole::Display: {
                std::int64_t items =
                    3 * instance.constants[0].toInt() * instance.constants[1].toInt();
                kernel.input = types.intType();
                if (items <= 0) report(Diag::RateNegative, instance.range) << "pop" << items;
                kernel.work.pop = kernel.work.peek = {items, items, false, -1};
                break;
            }
        }
        instance.input = kernel.input;
        instance.output = kernel.output;
        instance.state = emptyState;
        instance.kernel = kernels.addBuiltin(std::move(kernel));
        return true;
    }

    bool bindDefaults(eval::Instance& run) {
        for (std::uint32_t k : tree.instances[current].defaulted) {
            std::optional<Value> value = evaluate(*run.code->defaults[k], run);
            if (!value) return false;
            run.constants[k] = *value;
        }
        tree.instances[current].constants = run.constants;
        return true;
    }

    /// Runs setup; leaves fields in `run` and the concrete item types in the instance.
    bool runSetup(eval::Instance& run) {
        workRates = {};
        preworkRates = {};
        statedInput = statedOutput = nullptr;
        if (!runBody(run.code->setup, run)) return false;
        Instance& instance = tree.instances[current];
        instance.input = statedInput ? statedInput : run.code->input;
        instance.output = statedOutput ? statedOutput : run.code->output;
        return true;
    }

    bool elaborateFilter() {
        eval::Instance run = begin(tree.instances[current]);
        try {
            return elaborateFilter(run);
        } catch (const std::bad_alloc&) {  // nothing else of a filter is large
            report(Diag::OutOfMemory, added())
                << "the state of '" + displayName(tree.instances[current]) + "'"
                << static_cast<std::int64_t>(run.state.size());
            return false;
        }
    }

    bool elaborateFilter(eval::Instance& run) {
        if (!bindDefaults(run)) return false;
        bool pure = purity.isPure(*run.code);
        std::string key = KernelTable::keyOf(tree.instances[current]);
        if (hasDerived(tree.instances[current]) || mustCheck(tree, current)) {
            if (!bindDerived(run)) return false;
            pure = false;
            key += " derived " + std::to_string(current);
        }
        if (pure && reuse(key)) return keep(tree.instances[current].state->size());
        tensor::Fields tensors;
        const bool hasTensors = usesTensors(*run.code);
        if (hasTensors && !bindTensors(run, tensors)) return othersMayFail;
        if (!runSetup(run)) return false;
        Instance& instance = tree.instances[current];
        RateOwner owner{displayName(instance),
                        [this] { return path(tree, current); },
                        run.code->work->header,
                        false,
                        !instance.input->is(types::TypeKind::Void),
                        !instance.output->is(types::TypeKind::Void)};
        if (context.sources.isLibrary(owner.header.buffer)) owner.added = added();
        graph::Rates work = makeRates(context, workRates, owner);
        std::optional<graph::Rates> prework;
        if (run.code->prework) {
            owner.prework = true;
            owner.header = run.code->prework->header;
            prework = makeRates(context, preworkRates, owner);
        }
        if (!keep(2 * run.state.size() + 3 * bytesOf(run.constants))) return false;
        const bool isLate = run.code->startsLate;
        if (isLate && hasTensors) {
            report(Diag::TensorUnknown,
                   run.code->init ? run.code->init->header : run.code->setup.range)
                << "what open parameters make of the fields of a filter with tensors";
            return false;
        }
        if (run.code->init && !isLate && !runBody(*run.code->init, run)) return false;
        if (hasTensors && pure && !isLate) storeConstants(run, boundCodes.back(), tensors, types);
        instance.state = std::make_shared<const std::string>(
            isLate
                ? std::string(run.state.size(), '\0')
                : std::string(reinterpret_cast<const char*>(run.state.data()), run.state.size()));
        if (!pure) KernelTable::addRun(key, run, work, prework);
        const auto [id, isNew] = kernels.number(key);
        instance.kernel = id;
        if (isNew) {
            tree.kernels.push_back(makeKernel(instance, run, work, prework, pure));
            Kernel& kernel = tree.kernels.back();
            if (tensor::usesTensors(kernel.code)) {  // else init alone did, or its demands
                kernel.tensors = std::move(tensors.types);
                kernel.storedTensors = std::move(tensors.stored);
                kernel.declaredTensors = std::move(tensors.declared);
            }
        }
        if (pure) kernels.noteFirst(id, current);
        return true;
    }

    /// What composites compute from open parameters becomes a part of the filter.
    bool bindDerived(eval::Instance& run) {
        Instance& instance = tree.instances[current];
        std::vector<Value> constants = run.constants;
        tree.derivedCodes.push_back(
            withDerivation(context.sources, module, types, tree, current, constants));
        run.code = &tree.derivedCodes.back();
        for (InstanceId at = instance.parent; at != ir::kNone; at = tree.instances[at].parent)
            tree.instances[at].demands = false;
        run.constants = std::move(constants);
        if (!checkDerived(context, module, tree, current, *run.code, run.constants)) return false;
        instance.constants = run.constants;
        instance.code = run.code;
        return true;
    }

    bool usesTensors(const ir::StreamCode& code) {
        auto [found, isNew] = tensorCodes.try_emplace(&code, false);
        if (isNew) found->second = tensor::usesTensors(code);
        return found->second;
    }

    /// Setup and init with tensors run on code of their own, made for the constants.
    bool bindTensors(eval::Instance& run, tensor::Fields& tensors) {
        boundCodes.push_back(ir::specializeSetup(*run.code, run.constants, types));
        takeInFunctions(boundCodes.back());
        const std::vector<tensor::Fault> faults = tensor::expandSetup(
            boundCodes.back(), run.constants, module, tensors, environment.weights, types);
        if (environment.weights)
            environment.weights->noteFilter(added(), [this] { return where(); });
        othersMayFail = true;
        for (const tensor::Fault& fault : faults) {
            reportFault(fault);
            othersMayFail = othersMayFail && !fault.endsAll;
        }
        run.code = &boundCodes.back();
        return faults.empty();
    }

    /// What they make of parameters and extents may be a shape, which is followed within a body.
    void takeInFunctions(ir::StreamCode& code) const {
        ir::inlineCalls(module, code, code.setup);
        for (std::optional<ir::Body>* body : {&code.init, &code.prework, &code.work, &code.body})
            if (*body && tensor::usesTensors(**body)) ir::inlineCalls(module, code, **body);
        for (ir::Body& function : code.functions)
            if (tensor::usesTensors(function)) ir::inlineCalls(module, code, function);
    }

    void reportFault(const tensor::Fault& fault) {
        const Instance& instance = tree.instances[current];
        if (fault.refusal) {  // what is wrong is the name that the instance was given, or the file
            base::Diagnostic& diag =
                base::report(context.diags, *fault.refusal, added()).in(where());
            if (fault.range != instance.range)
                diag.note(Diag::InBodyHere, fault.range) << displayName(instance);
            if (!fault.similar.empty()) diag.note(Diag::DidYouMean) << fault.similar;
            if (fault.refusal->id == Diag::WeightsNone)
                diag.note(Diag::Hint)
                    << "'--weights FILE' names one; without it 'model.str' looks for "
                       "'model.safetensors' beside itself";
            return;
        }
        base::Diagnostic& diag =
            report(fault.isUnknown ? Diag::TensorUnknown : Diag::TensorShape, added());
        if (fault.isUnknown)
            diag << fault.subject;
        else
            diag << graph::subjectOf(context.sources, {added(), addedName()}, fault.subject,
                                     fault.range)
                 << fault.why;
        diag.note(Diag::InBodyHere, fault.range) << displayName(instance);
    }

    /// `reserve` for what a filter keeps, outside of any body: false after reporting.
    bool keep(std::uint64_t bytes) {
        base::SourceRange range = tree.instances[current].range;
        std::optional<eval::Trap> full = reserve(bytes, "the state of filters", range);
        if (full) warn(*full);
        return !full;
    }

    bool reuse(const std::string& key) {
        const InstanceId firstId = kernels.firstOf(key);
        if (firstId == ir::kNone) return false;
        const Instance& first = tree.instances[firstId];
        Instance& instance = tree.instances[current];
        instance.kernel = first.kernel;
        instance.state = first.state;
        instance.input = first.input;
        instance.output = first.output;
        return true;
    }

    /// Scalars, and with tensors lists that may say a shape.
    static std::vector<Value> valuesOfFields(const eval::Instance& run,
                                             const ir::StreamCode& declared, bool hasTensors) {
        std::vector<Value> values(run.fieldTypes.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            const Type* type = run.fieldTypes[k];
            const bool isList = hasTensors && tensor::maySayShape(type) &&
                                !declared.fields[k].type->is(types::TypeKind::Tensor);
            if (!type->isScalar() && !isList) continue;
            const char* at = reinterpret_cast<const char*>(run.state.data()) + run.fieldOffsets[k];
            values[k] = {type, std::string(at, static_cast<std::size_t>(types::sizeOf(type)))};
        }
        return values;
    }

    Kernel makeKernel(const Instance& instance, const eval::Instance& run, const graph::Rates& work,
                      const std::optional<graph::Rates>& prework, bool pure) {
        Kernel kernel;
        kernel.stream = instance.stream;
        kernel.constants = instance.constants;
        kernel.input = instance.input;
        kernel.output = instance.output;
        kernel.work = work;
        kernel.prework = prework;
        kernel.fieldTypes = run.fieldTypes;
        kernel.fieldOffsets = run.fieldOffsets;
        kernel.stateSize = static_cast<std::int64_t>(run.state.size());
        std::vector<Value> fieldValues;
        if (pure && !run.code->startsLate)
            fieldValues = valuesOfFields(run, *instance.code, usesTensors(*instance.code));
        ir::Bindings bindings{kernel.constants, kernel.fieldTypes, fieldValues, kernel.input,
                              kernel.output};
        base::Timing timing(context.passes, base::Pass::Specialize);
        kernel.code = ir::specialize(module, *instance.code, bindings, types);
        if (tensor::usesTensors(kernel.code)) takeInFunctions(kernel.code);
        kernel.code.stored = run.code->stored;
        if (kernel.code.startsLate) {
            ir::settleTexts(kernel.code);
            kernel.derived = derivedFields(module, kernel.code, kernel.constants);
        }
        if (context.passes.emitsAfter(base::Pass::Specialize))  // a path takes time
            context.passes.show(base::Pass::Specialize, path(tree, current),
                                [&] { return ir::print(kernel.code); });
        return kernel;
    }

    bool elaborateComposite() {
        eval::Instance run = begin(tree.instances[current]);
        if (!bindDefaults(run)) return false;
        tensor::Fields fields;
        const bool isBound = tensor::usesTensors(*run.code->body) && !demandsOfOpen(run);
        if (isBound && !bindTensors(run, fields)) return false;
        if (!runSetup(run)) return false;
        composite = &*run.code->body;
        created.assign(composite->creates.size(), 0);
        if (!runBody(*composite, run)) return false;
        tree.instances[current].ran = run.code;
        if (!markChildren(context, module, tree, current)) return false;
        // Last child first: the one on top of the stack is elaborated next.
        const std::vector<InstanceId>& children = tree.instances[current].children;
        pending.insert(pending.end(), children.rbegin(), children.rend());
        return true;
    }

    /// Does a body without tensors require something of what only the run knows?
    bool demandsOfOpen(const eval::Instance& run) const {
        const Instance& instance = tree.instances[current];
        auto isTensor = [](const auto& entry) { return entry.type->is(types::TypeKind::Tensor); };
        const ir::Body& body = *run.code->body;
        bool isOpen = false;
        for (std::uint32_t k = 0; k < instance.constants.size(); ++k)
            isOpen = isOpen || run.code->openSlot(k) != ir::kNone ||
                     (k < instance.marks.size() && instance.marks[k] != 0);
        return isOpen && std::none_of(body.regs.begin(), body.regs.end(), isTensor) &&
               std::none_of(body.locals.begin(), body.locals.end(), isTensor);
    }

    eval::Instance begin(const Instance& instance) {
        eval::Instance run;
        run.module = &module;
        run.code = instance.code;
        run.constants = instance.constants;
        run.host = this;
        return run;
    }

    Tree& tree;
    Purity purity{module};
    InstanceId current = 0;
    const ir::Body* composite = nullptr;  ///< that runs
    std::vector<std::pair<std::string, Value>> seen;  ///< by what creates the next stream
    std::vector<std::uint32_t> created;  ///< how often each of its instructions made a stream
    std::vector<InstanceId> pending;
    const std::size_t errorsBefore = context.diags.errorCount();
    std::uint64_t reserved = 0;  ///< bytes of values and states
    StatedRates workRates, preworkRates;
    const Type* statedInput = nullptr;
    const Type* statedOutput = nullptr;
    bool othersMayFail =
        false;  ///< bindTensors: what is wrong with one filter may be so with others
    std::deque<ir::StreamCode> boundCodes;  ///< of filters with tensors; they stay where they are
    std::unordered_map<const ir::StreamCode*, bool> tensorCodes;
    KernelTable kernels{tree.kernels};
    std::shared_ptr<const std::string> emptyState = std::make_shared<const std::string>();
};

}  // namespace

bool growTree(base::Context& context, const ir::Module& module, types::TypeTable& types,
              const Entry& entry, const Environment& environment, Tree& tree) {
    return Grower(context, module, types, environment, tree).grow(entry);
}

}  // namespace strc::elab
