// Item types, weights and parts of composites: the second of elaboration's three steps. Children
// stand behind their parents in the tree, so going backwards meets every child before its parent.

#include <algorithm>

#include "elab/detail/tree.h"
#include "types/convert.h"

namespace strc::elab {
namespace {

using base::Diag;
using types::TypeKind;

bool isVoid(const Type* type) { return type && type->is(TypeKind::Void); }

/// Of tensors all that is not known yet fits; elab::inferShapes sees to the rest.
bool fit(const Type* a, const Type* b) {
    if (a == b) return true;
    return a && b && a->is(TypeKind::Tensor) && b->is(TypeKind::Tensor) && compatible(a, b);
}

class TypeChecker {
public:
    TypeChecker(base::Context& context, types::TypeTable& types, Tree& tree)
        : context(context), types(types), tree(tree) {}

    void check() {
        for (id = static_cast<InstanceId>(tree.instances.size()); id-- > 0;) {
            Instance& instance = tree.instances[id];
            switch (instance.kind()) {
                case ir::StreamKind::Filter: break;
                case ir::StreamKind::Pipeline: checkPipeline(instance); break;
                case ir::StreamKind::SplitJoin: checkSplitJoin(instance); break;
                case ir::StreamKind::FeedbackLoop: checkLoop(instance); break;
            }
        }
    }

private:
    base::Diagnostic& report(Diag diag, base::SourceRange range) {
        return context.diags.add(diag, range).in(path(tree, id));
    }
    Instance& child(const Instance& instance, std::size_t k) {
        return tree.instances[instance.children[k]];
    }
    static base::SourceRange header(const Instance& instance) { return instance.code->header; }

    bool checkChildren(Instance& instance) {
        for (InstanceId childId : instance.children)
            instance.failed |= tree.instances[childId].failed;
        if (!instance.children.empty()) return !instance.failed;
        const bool isOurs = context.sources.isLibrary(header(instance).buffer);
        base::Diagnostic& diag = report(
            Diag::NoChildren, isOurs ? addedAt(context.sources, tree, id) : header(instance));
        diag << kindName(instance.kind()) << displayName(instance);
        if (instance.code->params > 0) diag.note(Diag::WithArguments) << arguments(instance);
        instance.failed = true;
        return false;
    }

    /// "n = 2, mode = cubic"
    static std::string arguments(const Instance& instance) {
        std::string text;
        for (std::uint32_t k = 0; k < instance.code->params; ++k)
            text += (k ? ", " : "") + instance.code->constants[k].name + " = " +
                    toString(instance.constants[k]);
        return text;
    }

    // ---- pipelines

    void checkPipeline(Instance& instance) {
        if (!checkChildren(instance)) return;
        for (std::size_t k = 0; k + 1 < instance.children.size(); ++k)
            checkNeighbours(instance, child(instance, k), child(instance, k + 1));
        settle(instance, 0, child(instance, 0));
        settle(instance, 1, child(instance, instance.children.size() - 1));
    }

    void checkNeighbours(Instance& instance, const Instance& up, const Instance& down) {
        if (fit(up.output, down.input) && hasItems(up.output)) return;
        instance.failed = true;
        if (isVoid(up.output) || isVoid(down.input)) {
            report(Diag::VoidInPipeline, down.range)
                << displayName(up) << signature(up.input, up.output) << displayName(down)
                << signature(down.input, down.output);
            return;
        }
        base::Diagnostic& fault = report(Diag::PipelineTypes, down.range);
        fault << displayName(up) << types::toString(up.output) << displayName(down)
              << types::toString(down.input);
        fault.note(Diag::AddedHere, up.range) << displayName(up);
    }

    /// One side (0 input, 1 output) of a composite follows from `inner`; what was written must agree.
    void settle(Instance& instance, int side, const Instance& inner) {
        settle(instance, side, side == 0 ? inner.input : inner.output, displayName(inner));
    }

    void settle(Instance& instance, int side, const Type* found, const std::string& innerName) {
        const Type*& type = side == 0 ? instance.input : instance.output;
        const char* sideName = side == 0 ? "input" : "output";
        if (!type || fit(type, found)) {
            if (!type || !type->is(TypeKind::Tensor) || isConcrete(found)) type = found;
            return;
        }
        if (instance.code->name.empty()) {
            report(Diag::AnonymousType, header(instance))
                << sideName << types::toString(type) << types::toString(found);
            type = found;
            return;
        }
        instance.failed = true;
        if (id == 0 && isVoid(type)) {  // of the program
            report(Diag::OpenEnd, header(instance)) << sideName << innerName;
            return;
        }
        report(Diag::CompositeType, header(instance))
            << sideName << kindName(instance.kind()) << displayName(instance)
            << types::toString(type) << innerName << types::toString(found);
    }

    // ---- split and join

    /// Each part must have been executed; that it was only once was seen then.
    bool checkPart(Instance& instance, const std::optional<SplitSpec>& part, const char* word) {
        if (part) return true;
        report(Diag::MissingPart, header(instance))
            << kindName(instance.kind()) << displayName(instance) << word;
        instance.failed = true;
        return false;
    }

    void checkSplitJoin(Instance& instance) {
        bool whole = checkPart(instance, instance.split, "split");
        whole = checkPart(instance, instance.join, "join") && whole;
        if (!checkChildren(instance) || !whole) return;
        const Type* input = commonType(instance, 0);
        const Type* output = commonType(instance, 1);
        if (instance.failed) return;
        if (isVoid(input) && isVoid(output)) {
            report(Diag::SplitjoinWithoutSides, header(instance)) << displayName(instance);
            instance.failed = true;
            return;
        }
        settle(instance, 0, input, displayName(child(instance, 0)));
        settle(instance, 1, output, displayName(child(instance, 0)));
        if (!isVoid(input)) checkWeights(instance, *instance.split, 0);
        if (!isVoid(output)) checkWeights(instance, *instance.join, 1);
    }

    /// What may come of one or the other: tensors of different shapes may take turns.
    const Type* eitherOf(const Type* a, const Type* b) {
        if (a == b || !a->is(TypeKind::Tensor) || !b->is(TypeKind::Tensor)) return a;
        const Type* element = a->element == b->element ? a->element : nullptr;
        const bool isShaped = a->isRanked && b->isRanked && a->dims.size() == b->dims.size();
        if (!element || !isShaped) return types.tensor(element);
        std::vector<std::int64_t> dims = a->dims;
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (dims[d] != b->dims[d]) dims[d] = types::kDynamic;
        return types.tensor(element, std::move(dims));
    }

    /// May both come in one splitjoin? What all branches get has to fit each of them.
    static bool canMeet(const Type* a, const Type* b, int side) {
        return fit(a, b) || (side == 1 && a->is(TypeKind::Tensor) && b->is(TypeKind::Tensor));
    }

    /// The type of all children that have this side; void if none has.
    const Type* commonType(Instance& instance, int side) {
        const Type* common = nullptr;
        const Instance* first = nullptr;
        std::int64_t firstPlace = 0;
        std::int64_t place = 0;  ///< counted from 1
        for (InstanceId childId : instance.children) {
            const Instance& other = tree.instances[childId];
            ++place;
            const Type* type = side == 0 ? other.input : other.output;
            if (!hasItems(type)) continue;
            if (!first) {
                first = &other;
                firstPlace = place;
            }
            const Type* firstType = side == 0 ? first->input : first->output;
            common = common && side == 1 ? eitherOf(common, type) : firstType;
            if (canMeet(type, firstType, side)) continue;
            base::Diagnostic& fault = report(Diag::SplitjoinTypes, header(instance));
            fault << (side == 0 ? "input" : "output") << displayName(*first) << firstPlace
                  << types::toString(firstType) << displayName(other) << place
                  << types::toString(type);
            for (const Instance* each : {first, &other})
                fault.note(Diag::AddedHere, each->range) << displayName(*each);
            instance.failed = true;
            break;
        }
        return common ? common : types.voidType();
    }

    /// Makes the weights one for each child; those of void sides become 0.
    void checkWeights(Instance& instance, SplitSpec& spec, int side) {
        const char* word = side == 0 ? "split" : "join";
        const char* sideName = side == 0 ? "input" : "output";
        std::size_t count = instance.children.size();
        if (!expandWeights(instance, spec, word, count)) return;
        bool allZero =
            std::all_of(spec.weights.begin(), spec.weights.end(), [](auto w) { return w == 0; });
        if (allZero) {
            report(Diag::WeightsAllZero, spec.range)
                << word << kindName(instance.kind()) << sideName;
            instance.failed = true;
            return;
        }
        for (std::size_t k = 0; k < count; ++k) {
            const Instance& branch = child(instance, k);
            bool connected = hasItems(side == 0 ? branch.input : branch.output);
            std::int64_t& weight = spec.weights[k];
            if (connected && weight == 0) {
                report(Diag::WeightZero, spec.range) << displayName(branch) << sideName;
                instance.failed = true;
            }
            if (connected) continue;
            if (weight != 0 && spec.form == ir::SplitForm::List)
                report(Diag::WeightOnVoid, spec.range) << weight << displayName(branch) << sideName;
            weight = 0;
        }
    }

    bool expandWeights(Instance& instance, SplitSpec& spec, const char* word, std::size_t count) {
        if (spec.form == ir::SplitForm::None) spec.weights.assign(count, 1);
        if (spec.form == ir::SplitForm::Uniform) spec.weights.assign(count, spec.weights[0]);
        if (spec.weights.size() != count) {
            report(Diag::WeightCount, spec.range)
                << word << static_cast<std::int64_t>(spec.weights.size())
                << static_cast<std::int64_t>(count);
            instance.failed = true;
            return false;
        }
        for (std::int64_t weight : spec.weights) {
            if (weight >= 0) continue;
            report(Diag::WeightNegative, spec.range) << weight;
            instance.failed = true;
            return false;
        }
        return true;
    }

    // ---- feedback loops

    void checkLoop(Instance& instance) {
        bool whole = checkPart(instance, instance.join, "join");
        whole = checkPart(instance, instance.split, "split") && whole;
        whole = checkRole(instance, ir::CreateRole::Body, "body") && whole;
        whole = checkRole(instance, ir::CreateRole::Loop, "loop") && whole;
        if (!whole || !checkChildren(instance)) return;
        // From here on children[0] is the body and children[1] the loop stream.
        if (child(instance, 0).role != ir::CreateRole::Body)
            std::swap(instance.children[0], instance.children[1]);
        if (!expandWeights(instance, *instance.join, "join", 2)) return;
        if (!expandWeights(instance, *instance.split, "split", 2)) return;
        const Instance& body = child(instance, 0);
        const Instance& loop = child(instance, 1);
        matchLoop(instance, loop.output, body.input, "the output of the loop stream");
        matchLoop(instance, loop.input, body.output, "the input of the loop stream");
        if (instance.failed) return;
        checkBackEdge(instance);
        settleLoopSide(instance, 0, body.input, instance.join->weights[0], "join");
        settleLoopSide(instance, 1, body.output, instance.split->weights[0], "split");
        convertEnqueued(instance, loop.output);
    }

    bool checkRole(Instance& instance, ir::CreateRole role, const char* word) {
        std::vector<InstanceId> found;
        for (InstanceId childId : instance.children)
            if (tree.instances[childId].role == role) found.push_back(childId);
        if (found.size() == 1) return true;
        report(found.empty() ? Diag::MissingPart : Diag::RepeatedPart,
               found.empty() ? header(instance) : tree.instances[found[1]].range)
            << kindName(instance.kind()) << displayName(instance) << word;
        instance.failed = true;
        return false;
    }

    void matchLoop(Instance& instance, const Type* found, const Type* needed, const char* part) {
        if (fit(found, needed) && hasItems(found)) return;
        report(Diag::LoopTypes, header(instance))
            << part << displayName(instance) << types::toString(found) << types::toString(needed);
        instance.failed = true;
    }

    void checkBackEdge(Instance& instance) {
        bool dead = instance.join->weights[1] == 0 ||
                    (!instance.split->duplicate && instance.split->weights[1] == 0);
        if (!dead) return;
        report(Diag::DeadBackEdge, header(instance)) << displayName(instance);
        instance.failed = true;
    }

    /// An outer side is void iff its weight is 0.
    void settleLoopSide(Instance& instance, int side, const Type* inner, std::int64_t weight,
                        const char* word) {
        const Type*& type = side == 0 ? instance.input : instance.output;
        if (!type || (instance.code->name.empty() && isVoid(type) != (weight == 0)))
            type = weight == 0 ? types.voidType() : inner;
        if (isVoid(type) != (weight == 0)) {
            const char* has = side == 0 ? (isVoid(type) ? "no input" : "an input")
                                        : (isVoid(type) ? "no output" : "an output");
            const SplitSpec& spec = side == 0 ? *instance.join : *instance.split;
            report(Diag::LoopExternalWeight, spec.range)
                << displayName(instance) << has << word << weight;
            instance.failed = true;
            return;
        }
        if (!isVoid(type)) settle(instance, side, inner, displayName(child(instance, 0)));
    }

    /// What an array or a number is as a tensor, in the same memory.
    const Type* tensorOf(const Type* type) {
        if (!types::isTensorElement(types::innermost(type))) return type;
        std::vector<std::int64_t> dims;
        for (; type->is(TypeKind::Array); type = type->element) dims.push_back(type->extent);
        return types.tensor(type, std::move(dims));
    }

    void convertEnqueued(Instance& instance, const Type* type) {
        for (EnqueuedItem& item : instance.enqueued) {
            if (item.value.type == type) continue;
            if (type->is(TypeKind::Tensor)) {
                item.value.type = tensorOf(item.value.type);
                if (types::compatible(item.value.type, type)) continue;
            }
            std::optional<Value> converted = types::convertImplicitly(item.value, type);
            if (converted) {
                item.value = *converted;
                continue;
            }
            report(Diag::NotConvertible, item.range)
                << types::toString(item.value.type) << types::toString(type) << "'enqueue'";
            instance.failed = true;
        }
        if (instance.enqueued.empty())
            report(Diag::LoopWithoutEnqueue, header(instance)) << displayName(instance);
    }

    base::Context& context;
    types::TypeTable& types;
    Tree& tree;
    InstanceId id = 0;
};

}  // namespace

void checkTypes(base::Context& context, types::TypeTable& types, Tree& tree) {
    TypeChecker(context, types, tree).check();
}

}  // namespace strc::elab
