#include "elab/detail/derive.h"

#include <algorithm>
#include <tuple>

#include "ir/demands.h"
#include "ir/specialize.h"

namespace strc::elab {
namespace {

using base::Diag;
using ir::Instr;
using ir::kNone;
using ir::Marks;
using ir::Op;
using ir::Space;

constexpr const char* kNothing = "nothing that happens while the graph is built can depend on it";

constexpr const char* kOnlyAsItIs =
    "it can only be handed on as it is, not be put together with other texts";

bool isDerived(const Instance& instance, std::uint32_t constant) {
    return constant < instance.marks.size() && instance.marks[constant] != 0 &&
           instance.code->openSlot(constant) == kNone;
}

bool isNative(const Instr& instr) {
    return instr.op == Op::Call && instr.callee.kind == ir::CalleeKind::Native;
}

bool draws(const Instr& instr) {
    return instr.op == Op::Random || ir::readsFile(instr.op) || isNative(instr);
}

/// May it not be different for other values? Arguments of streams are looked at one by one.
bool isBuilding(const Instr& instr) {
    switch (instr.op) {
        case Op::Declare:
        case Op::CheckExtent:
        case Op::Rate:
        case Op::ItemType:
        case Op::Split:
        case Op::Join:
        case Op::Enqueue:
        case Op::NewPortal:
        case Op::Print:
        case Op::NewLine: return true;
        default: return false;
    }
}

class Report {
public:
    Report(base::Context& context, const ir::Module& module, const Tree& tree, InstanceId id)
        : context(context), module(module), tree(tree), id(id) {}

    void operator()(Marks marks, base::SourceRange range, const std::string& consequence) {
        const base::SourceRange added = addedAt(context.sources, tree, id);
        const bool isElsewhere = !range.valid() || context.sources.isLibrary(range.buffer);
        base::Diagnostic& fault =
            context.diags.add(Diag::OpenParameter, isElsewhere ? added : range).in(path(tree, id))
            << module.open[ir::slotOf(marks & ~ir::kDrawn)].name << consequence;
        if (isElsewhere && range.valid())
            fault.note(Diag::InBodyHere, range) << displayName(tree.instances[id]);
        fine = false;
    }

    bool fine = true;

private:
    base::Context& context;
    const ir::Module& module;
    const Tree& tree;
    InstanceId id;
};

/// In the order of the source.
std::vector<std::pair<const Instr*, const ir::Visit*>> inOrder(const ir::Dependence& found) {
    std::vector<std::pair<const Instr*, const ir::Visit*>> visits;
    for (const auto& [instr, visit] : found.visits) visits.emplace_back(instr, &visit);
    std::sort(visits.begin(), visits.end(), [](const auto& a, const auto& b) {
        const base::SourceRange &x = a.first->range, &y = b.first->range;
        return std::tuple(x.buffer.index, x.begin, x.end, a.second->order) <
               std::tuple(y.buffer.index, y.begin, y.end, b.second->order);
    });
    return visits;
}

Marks allOf(std::span<const ir::Origin> origins) {
    Marks marks = 0;
    for (const ir::Origin& origin : origins) marks |= origin.marks;
    return marks;
}

class Marker {
public:
    Marker(base::Context& context, const ir::Module& module, Tree& tree, InstanceId id)
        : module(module), tree(tree), id(id), report(context, module, tree, id) {}

    bool run() {
        const Instance& self = tree.instances[id];
        const ir::StreamCode& code = *self.ran;
        const std::vector<ir::Origin> origins = ir::originsOf(code, self.constants, self.marks);
        const Marks given = allOf(origins);
        if (given == 0) return true;
        const ir::Body* bodies[] = {&code.setup, &*code.body};
        const ir::Dependence found = ir::dependenceOf(module, code, origins, bodies);
        if (found.gaveUp) {
            report(given, self.code->header, "this must not call functions that call themselves");
            return false;
        }
        const auto visits = inOrder(found);
        for (const auto& [instr, visit] : visits) look(*instr, *visit);
        if (derives) checkBody(visits, given);
        return report.fine;
    }

private:
    void look(const Instr& instr, const ir::Visit& visit) {
        if (instr.op == Op::Create) return create(instr, visit);
        if (instr.op == Op::Require && (visit.all() & ~ir::kDrawn) != 0)
            tree.instances[id].demands = derives = true;
        if (isBuilding(instr) && (visit.all() & ~ir::kDrawn) != 0)
            report(visit.all(), instr.range, kNothing);
    }

    void create(const Instr& instr, const ir::Visit& visit) {
        const ir::Create& create = tree.instances[id].ran->body->creates[instr.index];
        std::vector<Marks> args(create.args.size());
        Marks others = visit.control;
        for (std::uint32_t at = 0; at < visit.operands.size(); ++at) {
            const auto arg = std::find(create.args.begin(), create.args.end(), at);
            if (create.stream == kNone && visit.operands[at] != 0 && isFileName(create, at)) {
                nameFile(instr, create, at, visit.operands[at]);
                continue;
            }
            if (arg != create.args.end() && create.stream != kNone)
                args[static_cast<std::size_t>(arg - create.args.begin())] = visit.operands[at];
            else
                others |= visit.operands[at];
        }
        if ((others & ~ir::kDrawn) != 0) return report(others, instr.range, kNothing);
        if (create.stream == kNone) return;
        for (Marks& marks : args)
            if ((marks & ~ir::kDrawn) == 0) marks = 0;
        if (std::all_of(args.begin(), args.end(), [](Marks marks) { return marks == 0; })) return;
        for (InstanceId child : tree.instances[id].children) {
            Instance& of = tree.instances[child];
            if (of.create != instr.index || of.stream != create.stream) continue;
            of.marks = args;
            for (std::uint32_t k = 0; k < args.size(); ++k)
                if (isDerived(of, k) && of.constants[k].type->is(types::TypeKind::String))
                    return report(args[k], instr.range, kOnlyAsItIs);
            checkDefaults(of);
            derives = derives || hasDerived(of);
        }
    }

    static bool isFileName(const ir::Create& create, std::uint32_t operand) {
        return types::info(create.builtin).isFile() && !create.args.empty() &&
               create.args[0] == operand;
    }

    /// A reader or writer whose file the executable is told.
    void nameFile(const Instr& instr, const ir::Create& create, std::uint32_t operand,
                  Marks marks) {
        const std::uint32_t slot = loadedSlot(instr.operands[operand]);
        if (slot == kNone) return report(marks, instr.range, kOnlyAsItIs);
        const bool isTensor =
            create.typeArgument && create.typeArgument->is(types::TypeKind::Tensor);
        const bool isImage = create.builtin == ir::BuiltinStream::ImageReader ||
                             create.builtin == ir::BuiltinStream::ImageWriter;
        if (isTensor || isImage)
            return report(marks, instr.range,
                          isTensor
                              ? "the shapes in the file cannot be told"
                              : "the format of the picture, which its name says, cannot be told");
        for (InstanceId child : tree.instances[id].children)
            if (tree.instances[child].create == instr.index) tree.instances[child].fileSlot = slot;
    }

    /// The open parameter that a register holds as it is, or kNone.
    std::uint32_t loadedSlot(ir::Reg reg) const {
        const ir::StreamCode& code = *tree.instances[id].ran;
        for (const ir::Block& block : code.body->blocks)
            for (const Instr& instr : block.instrs)
                if (instr.result == reg && instr.op == Op::Load &&
                    instr.var.space == Space::Constant)
                    return code.openSlot(instr.var.index);
        return kNone;
    }

    /// Where a parameter is not given, its value is that of the build.
    void checkDefaults(const Instance& child) {
        for (const std::uint32_t constant : child.defaulted)
            for (const ir::Block& block : child.code->defaults[constant]->blocks)
                for (const Instr& instr : block.instrs)
                    if (instr.var.space == Space::Constant && child.marks[instr.var.index] != 0)
                        report(child.marks[instr.var.index], child.range,
                               "'" + child.code->constants[constant].name +
                                   "', whose default value is computed from it, has to be given");
    }

    /// The body is done again when the program runs, for what depends on parameters.
    void checkBody(const std::vector<std::pair<const Instr*, const ir::Visit*>>& visits,
                   Marks given) {
        const Instance& self = tree.instances[id];
        for (const auto& [instr, visit] : visits)
            if (draws(*instr))
                return report(given, instr->range,
                              "random numbers, files and native functions cannot stand where "
                              "arguments are computed from it");
        if (self.ran != self.code && (self.demands || hasDerived(self)))
            report(given, self.code->header, "a composite with tensors can only pass it on");
    }

    const ir::Module& module;
    Tree& tree;
    InstanceId id;
    Report report;
    bool derives = false;
};

/// Puts what the composites around compute into a filter.
class Writer {
public:
    Writer(const base::SourceManager& sources, const ir::Module& module, types::TypeTable& types,
           const Tree& tree, InstanceId id, std::vector<Value>& constants)
        : sources(sources),
          module(module),
          types(types),
          tree(tree),
          constants(constants),
          code(*tree.instances[id].code) {
        for (InstanceId at = id; at != kNone; at = tree.instances[at].parent) way.push_back(at);
        std::reverse(way.begin(), way.end());
        if (code.open.empty()) code.open.assign(code.constants.size(), kNone);
    }

    ir::StreamCode write() {
        fields.resize(way.size());
        for (std::size_t level = 1; level < way.size(); ++level) declareFields(level);
        replaceConstants(code, fields.back());
        demand(code, way.size() - 1);
        for (std::size_t level = 0; level + 1 < way.size(); ++level)
            if (!fields[level + 1].empty() || tree.instances[way[level]].demands) addStage(level);
        std::vector<Instr>& setup = code.setup.blocks[code.setup.entry].instrs;
        setup.insert(setup.begin(), first.begin(), first.end());
        code.startsLate = true;
        return std::move(code);
    }

private:
    using FieldOf = std::map<std::uint32_t, std::uint32_t>;  ///< by constant

    void declareFields(std::size_t level) {
        const Instance& instance = tree.instances[way[level]];
        for (std::uint32_t k = 0; k < instance.constants.size(); ++k) {
            if (!isDerived(instance, k)) continue;
            const Type* type = instance.constants[k].type;
            const ir::Variable& constant = instance.code->constants[k];
            const auto field = static_cast<std::uint32_t>(code.fields.size());
            code.fields.push_back({constant.name, type, constant.range});
            fields[level][k] = field;
            Instr declare;
            declare.op = Op::Declare;
            declare.var = {Space::Field, field};
            declare.type = type;
            declare.range = constant.range;
            first.push_back(std::move(declare));
        }
    }

    template <typename Visit>
    static void forEachInstr(ir::StreamCode& of, Visit visit) {
        auto each = [&](ir::Body& body) {
            for (ir::Block& block : body.blocks)
                for (Instr& instr : block.instrs) visit(instr);
        };
        each(of.setup);
        for (std::optional<ir::Body>* body : {&of.init, &of.prework, &of.work, &of.body})
            if (*body) each(**body);
        for (ir::Body& function : of.functions) each(function);
    }

    /// What a stream requires is said of it, or of the stream of the library that it is a part of, where that is added.
    void demand(ir::StreamCode& of, std::size_t level) const {
        const InstanceId at = way[level];
        const std::string name = displayName(tree.instances[addedFrom(sources, tree, at)]);
        const base::SourceRange added = addedAt(sources, tree, at);
        forEachInstr(of, [&](Instr& instr) {
            if (instr.op == Op::Require) instr.range = added;
        });
        ir::demandLate(of, "'" + name + "'", static_cast<std::uint32_t>(way.size() - 1 - level));
    }

    static void replaceConstants(ir::StreamCode& of, const FieldOf& by) {
        forEachInstr(of, [&](Instr& instr) {
            if (instr.var.space != Space::Constant) return;
            if (const auto field = by.find(instr.var.index); field != by.end())
                instr.var = {Space::Field, field->second};
        });
    }

    /// A composite's body as a function, which leaves the arguments of one child in fields.
    void addStage(std::size_t level) {
        const Instance& instance = tree.instances[way[level]];
        ir::StreamCode stage = *instance.ran;
        leaveArguments(*stage.body, instance, level);
        stage.functions.push_back(std::move(*stage.body));  // as one of them it is looked at, too
        demand(stage, level);
        stage.body = std::move(stage.functions.back());
        stage.functions.pop_back();
        replaceConstants(stage, fields[level]);
        stage = ir::specializeSetup(stage, instance.constants, types);
        std::map<std::uint32_t, std::uint32_t> taken;
        const auto functions = static_cast<std::uint32_t>(code.functions.size());
        forEachInstr(stage, [&](Instr& instr) {
            if (instr.op == Op::Call && instr.callee.kind == ir::CalleeKind::Stream)
                instr.callee.index += functions;
            if (instr.var.space != Space::Constant) return;
            const auto [at, isNew] = taken.try_emplace(instr.var.index, 0);
            if (isNew) at->second = take(instance, instr.var.index);
            instr.var.index = at->second;
        });
        for (ir::Body& function : stage.functions) code.functions.push_back(std::move(function));
        stage.body->name = "arguments";
        stage.body->kind = ir::BodyKind::Function;
        stage.body->result = types.voidType();
        stage.body->creates.clear();
        Instr call;
        call.op = Op::Call;
        call.callee = {ir::CalleeKind::Stream, static_cast<std::uint32_t>(code.functions.size())};
        call.range = tree.instances[way[level + 1]].range;
        first.push_back(std::move(call));
        code.functions.push_back(std::move(*stage.body));
    }

    std::uint32_t take(const Instance& from, std::uint32_t constant) {
        code.constants.push_back(from.code->constants[constant]);
        code.constants.back().type = from.constants[constant].type;
        code.open.push_back(from.code->openSlot(constant));
        constants.push_back(from.constants[constant]);
        return static_cast<std::uint32_t>(code.constants.size() - 1);
    }

    // ---- in the place of what builds

    void leaveArguments(ir::Body& body, const Instance& instance, std::size_t level) {
        const Instance& child = tree.instances[way[level + 1]];
        const auto same = std::count_if(
            instance.children.begin(), instance.children.end(),
            [&](InstanceId each) { return tree.instances[each].create == child.create; });
        const auto counter = static_cast<std::uint32_t>(body.locals.size());
        if (same > 1) body.locals.push_back({"count", types.intType(), child.range});
        const std::size_t blocks = body.blocks.size();
        for (ir::BlockId id = 0; id < blocks; ++id) {
            std::vector<Instr> old = std::move(body.blocks[id].instrs), fresh;
            for (Instr& instr : old) {
                if (instr.op == Op::Create && instr.index == child.create) {
                    if (same > 1)
                        storeOne(body, instr, level, counter, child.ordinal, fresh);
                    else
                        store(body, instr, level, fresh);
                } else if (instr.op == Op::NewPortal) {
                    instr.op = Op::Const;
                    instr.value = Value::zero(instr.type);
                    fresh.push_back(std::move(instr));
                } else if (instr.op != Op::NewLine && instr.op != Op::Print &&
                           ir::info(instr.op).effects != ir::Effects::Build) {
                    fresh.push_back(std::move(instr));
                }
            }
            body.blocks[id].instrs = std::move(fresh);
        }
        if (same <= 1) return;
        std::vector<Instr> begin;
        const ir::Reg zero = number(body, 0, begin);
        begin.push_back(stored({Space::Local, counter}, types.intType(), zero));
        std::vector<Instr>& entry = body.blocks[body.entry].instrs;
        entry.insert(entry.begin(), begin.begin(), begin.end());
    }

    static ir::Reg addReg(ir::Body& body, const Type* type, bool isRef = false) {
        body.regs.push_back({type, isRef});
        return static_cast<ir::Reg>(body.regs.size() - 1);
    }

    static Instr made(ir::Body& body, Op op, const Type* type, std::vector<ir::Reg> operands,
                      const Type* result) {
        Instr instr;
        instr.op = op;
        instr.type = type;
        instr.operands = std::move(operands);
        instr.result = addReg(body, result);
        return instr;
    }

    ir::Reg number(ir::Body& body, std::int32_t value, std::vector<Instr>& to) {
        Instr instr = made(body, Op::Const, types.intType(), {}, types.intType());
        instr.value = Value::of(types.intType(), value);
        to.push_back(std::move(instr));
        return to.back().result;
    }

    static Instr stored(ir::VarRef var, const Type* type, ir::Reg value) {
        Instr instr;
        instr.op = Op::Store;
        instr.var = var;
        instr.type = type;
        instr.operands = {value};
        return instr;
    }

    /// In the round in which that child was made.
    void storeOne(ir::Body& body, const Instr& create, std::size_t level, std::uint32_t counter,
                  std::uint32_t ordinal, std::vector<Instr>& to) {
        const Type* type = types.intType();
        Instr load = made(body, Op::Load, type, {}, type);
        load.var = {Space::Local, counter};
        const ir::Reg count = load.result;
        to.push_back(std::move(load));
        const ir::Reg wanted = number(body, static_cast<std::int32_t>(ordinal), to);
        Instr equal = made(body, Op::Eq, type, {count, wanted}, types.boolean());
        Instr branch;
        branch.op = Op::If;
        branch.operands = {equal.result};
        branch.range = create.range;
        to.push_back(std::move(equal));
        std::vector<Instr> inside;
        store(body, create, level, inside);
        branch.blocks[0] = static_cast<ir::BlockId>(body.blocks.size());
        body.blocks.push_back({std::move(inside)});
        to.push_back(std::move(branch));
        const ir::Reg one = number(body, 1, to);
        Instr next = made(body, Op::Add, type, {count, one}, type);
        const ir::Reg sum = next.result;
        to.push_back(std::move(next));
        to.push_back(stored({Space::Local, counter}, type, sum));
    }

    void store(ir::Body& body, const Instr& create, std::size_t level, std::vector<Instr>& to) {
        const ir::Create& how = body.creates[create.index];
        for (const auto& [constant, field] : fields[level + 1]) {
            const Type* type = code.fields[field].type;
            const ir::Reg value = create.operands[how.args[constant]];
            if (!type->isAggregate()) {
                to.push_back(stored({Space::Field, field}, type, value));
                continue;
            }
            Instr address = made(body, Op::Addr, type, {}, type);
            body.regs[address.result].ref = true;
            address.var = {Space::Field, field};
            Instr copy;
            copy.op = Op::Copy;
            copy.type = type;
            copy.operands = {address.result, value};
            copy.range = create.range;
            to.push_back(std::move(address));
            to.push_back(std::move(copy));
        }
    }

    const base::SourceManager& sources;
    const ir::Module& module;
    types::TypeTable& types;
    const Tree& tree;
    std::vector<Value>& constants;
    ir::StreamCode code;
    std::vector<InstanceId> way;  ///< from the main stream to the filter
    std::vector<FieldOf> fields;  ///< by level
    std::vector<Instr> first;  ///< of the setup
};

}  // namespace

bool markChildren(base::Context& context, const ir::Module& module, Tree& tree, InstanceId id) {
    return module.open.empty() || Marker(context, module, tree, id).run();
}

bool hasDerived(const Instance& instance) {
    for (std::uint32_t k = 0; k < instance.marks.size(); ++k)
        if (isDerived(instance, k)) return true;
    return false;
}

bool mustCheck(const Tree& tree, InstanceId id) {
    while ((id = tree.instances[id].parent) != kNone)
        if (tree.instances[id].demands) return true;
    return false;
}

ir::StreamCode withDerivation(const base::SourceManager& sources, const ir::Module& module,
                              types::TypeTable& types, const Tree& tree, InstanceId id,
                              std::vector<Value>& constants) {
    return Writer(sources, module, types, tree, id, constants).write();
}

bool checkDerived(base::Context& context, const ir::Module& module, const Tree& tree, InstanceId id,
                  const ir::StreamCode& code, std::span<const Value> constants) {
    Report report(context, module, tree, id);
    std::vector<const ir::Body*> bodies{&code.setup};
    for (const std::optional<ir::Body>* body : {&code.init, &code.prework, &code.work, &code.work})
        if (*body) bodies.push_back(&**body);
    const std::vector<ir::Origin> origins = ir::originsOf(code, constants, {});
    const ir::Dependence found = ir::dependenceOf(module, code, origins, bodies);
    if (found.gaveUp) {
        report(allOf(origins), code.header, "this must not call functions that call themselves");
        return false;
    }
    for (const auto& [instr, visit] : inOrder(found)) {
        const bool isShape = instr->op == Op::Declare || instr->op == Op::CheckExtent ||
                             instr->op == Op::Rate || instr->op == Op::ItemType;
        Marks marks = 0;
        for (Marks operand : visit->operands) marks |= operand;
        if (isShape && (marks & ~ir::kDrawn) != 0) report(marks, instr->range, kNothing);
    }
    return report.fine;
}

std::vector<Marks> derivedFields(const ir::Module& module, const ir::StreamCode& code,
                                 std::span<const Value> constants) {
    std::vector<const ir::Body*> bodies{&code.setup};
    if (code.init) bodies.push_back(&*code.init);
    const std::vector<ir::Origin> origins = ir::originsOf(code, constants, {});
    const ir::Dependence found = ir::dependenceOf(module, code, origins, bodies);
    std::vector<Marks> marks;
    for (const ir::Origin& field : found.fields)
        marks.push_back(found.gaveUp ? allOf(origins) : field.marks);
    for (Marks& each : marks)
        if ((each & ~ir::kDrawn) == 0) each = 0;
    ir::Marks demanded = 0;
    for (const auto& [instr, visit] : found.visits)
        if (instr->op == Op::Require) demanded |= visit.all();
    if (found.gaveUp) demanded = allOf(origins);
    if ((demanded &= ~ir::kDrawn) != 0) marks.push_back(demanded);
    return marks;
}

}  // namespace strc::elab
