#include "lowered/detail/items.h"

#include <algorithm>

#include "lowered/detail/places.h"
#include "lowered/detail/vector_items.h"
#include "plan/tape_variables.h"

namespace strc::lowered {
namespace {

using ir::Op;
using plan::Position;
using plan::Step;
using plan::StepKind;

constexpr std::int64_t kMostBytes =
    256;  ///< of the fields of a filter, or of a tape, that are kept in variables

}  // namespace

Index Index::plus(Reg counter, std::int64_t factor) const {
    Index sum = *this;
    if (counter != ir::kNone && factor != 0) sum.terms.emplace_back(counter, factor);
    return sum;
}

Index Index::plus(std::int64_t items) const {
    Index sum = *this;
    sum.base += items;
    return sum;
}

Index Index::plus(const Index& other, std::int64_t factor) const {
    Index sum = plus(other.base * factor);
    for (const auto& [counter, times] : other.terms) sum = sum.plus(counter, times * factor);
    return sum;
}

// ---- places

const Items::OwnTape* Items::ownTape(EdgeId edge) const {
    const auto found = ownTapes.find(plan.channels[edge].tape);
    return found == ownTapes.end() ? nullptr : &found->second;
}

const Items::OwnArray* Items::arrayOf(EdgeId edge) const {
    const auto found = ownArrays.find(plan.channels[edge].tape);
    return found == ownArrays.end() ? nullptr : &found->second;
}

Index Items::index(EdgeId edge, const Position& position) const {
    if (const OwnTape* own = ownTape(edge)) return {position.base - own->first, {}};
    const OwnArray* array = arrayOf(edge);
    return place(position).plus(array ? -array->first : 0);
}

Index Items::place(const Position& position) const {
    Index at{position.base, {}};
    for (std::size_t d = 0; d < position.perIteration.size(); ++d)
        at = at.plus(counters[d], position.perIteration[d]);
    return at;
}

Reg Items::valueOf(const Index& at) {
    Reg all = ir::kNone;
    auto add = [&](Reg term) { all = all == ir::kNone ? term : sum(w, all, term); };
    for (const auto& [counter, factor] : at.terms) add(times(w, counter, factor));
    if (at.base != 0 || all == ir::kNone) add(w.integer(at.base));
    return all;
}

Reg Items::item(EdgeId edge, const Index& at) { return w.reference(tape(edge), valueOf(at)); }

Reg Items::tape(EdgeId edge) {
    if (const OwnTape* own = ownTape(edge)) return w.address(own->local);
    if (const OwnArray* own = arrayOf(edge)) return own->array;
    return fieldRef(state.tapeOf(edge), state.tapeType(edge));
}

const Type* Items::tapeType(EdgeId edge) const {
    if (const OwnTape* own = ownTape(edge)) return w.body.locals[own->local].type;
    const OwnArray* array = arrayOf(edge);
    return array ? w.body.regs[array->array].type : state.tapeType(edge);
}

Reg Items::fieldRef(std::uint32_t field, const Type* type) {
    return w.address({ir::Space::Field, field}, type);
}

Reg Items::fieldsOf(NodeId node) {
    if (auto own = ownFields.find(node); own != ownFields.end()) return w.address(own->second);
    if (state.fieldOf(node) == ir::kNone) return ir::kNone;
    return fieldRef(state.fieldOf(node), state.recordOf(node).type);
}

Reg Items::member(Reg fields, const Record& record, std::uint32_t k) {
    const Type* type = record.type->structure->fields[k].type;
    w.emit(Op::Member, type, {fields}).index = k;
    return w.result(type, true);
}

// ---- items

void Items::copy(Reg to, Reg from) {
    const Type* type = w.body.regs[to].type;
    if (type->isAggregate()) {
        w.emit(Op::Copy, type, {to, from});
        return;
    }
    w.emit(Op::StoreAt, type, {to, w.operation(Op::LoadAt, type, {from})});
}

void Items::copyItems(EdgeId toEdge, const Index& to, EdgeId fromEdge, const Index& from,
                      std::int64_t count) {
    const bool areApart = plan.channels[toEdge].tape != plan.channels[fromEdge].tape;
    const Reg target = tape(toEdge);
    copyBetween({target, to}, {tape(fromEdge), from}, count, areApart);
}

void Items::copyBetween(const Place& to, const Place& from, std::int64_t count, bool areApart) {
    if (together && areApart && count > 1 && w.body.regs[to.array].type->element->isScalar()) {
        const Window target{to.array, valueOf(to.at)}, source{from.array, valueOf(from.at)};
        return moveItems(w, target, source, count);
    }
    loop(count, [&](Reg k) {
        const Reg target = w.reference(to.array, valueOf(to.at.plus(k)));
        copy(target, w.reference(from.array, valueOf(from.at.plus(k))));
    });
}

Items::Place Items::atPort(EdgeId edge, const Index& at) {
    return {fieldRef(state.portOf(edge), state.portType(edge)), at};
}

void Items::takeFromPort(EdgeId edge, const Index& to, const Index& port, std::int64_t count) {
    const Reg target = tape(edge);
    copyBetween({target, to}, atPort(edge, port), count, true);
}

void Items::giveToPort(EdgeId edge, const Index& from, const Index& port, std::int64_t count) {
    const Place target = atPort(edge, port);
    copyBetween(target, {tape(edge), from}, count, true);
}

void Items::zeroItems(EdgeId edge, const Index& first, std::int64_t count) {
    loop(count, [&](Reg k) {
        const Reg to = item(edge, first.plus(k));
        const Type* type = w.body.regs[to].type;
        if (type->isAggregate()) {
            w.emit(Op::Zero, type, {to});
            return;
        }
        w.emit(Op::StoreAt, type, {to, w.constant(types::Value::zero(type))});
    });
}

// ---- loops

void Items::loop(std::int64_t count, const std::function<void(Reg)>& inside) {
    if (count == 1) return inside(ir::kNone);
    w.loop(count, inside);
}

void Items::planLoop(std::int64_t count, const std::function<void()>& inside) {
    loop(count, [&](Reg counter) {
        counters.push_back(counter);
        inside();
        counters.pop_back();
    });
}

std::vector<Reg> Items::loopCounters() {
    std::vector<Reg> all;
    for (Reg counter : counters) all.push_back(counter == ir::kNone ? w.integer(0) : counter);
    return all;
}

void Items::keeping(const plan::Phase& phase, const Step& loop,
                    const std::function<void()>& inside) {
    const std::map<NodeId, std::uint32_t> around = ownFields;
    keepFields(loop.body);
    keepTapes(phase, loop.body);
    std::map<NodeId, std::uint32_t> kept;
    std::set_difference(ownFields.begin(), ownFields.end(), around.begin(), around.end(),
                        std::inserter(kept, kept.end()));
    auto fieldOf = [&](NodeId node) {
        return fieldRef(state.fieldOf(node), state.recordOf(node).type);
    };
    for (const auto& [node, local] : kept) copy(w.address(local), fieldOf(node));
    inside();
    for (const auto& [node, local] : kept) copy(fieldOf(node), w.address(local));
    ownFields = around;
    ownTapes.clear();
}

void Items::keepFields(const std::vector<Step>& body) {
    for (const Step& step : body) {
        if (step.kind != StepKind::Fire || state.fieldOf(step.node) == ir::kNone ||
            ownFields.contains(step.node))
            continue;
        const Type* type = state.recordOf(step.node).type;
        if (types::sizeOf(type) > kMostBytes) continue;
        ownFields[step.node] = w.local("own_" + std::to_string(step.node), type);
    }
}

void Items::keepTapes(const plan::Phase& phase, const std::vector<Step>& body) {
    for (const auto& [tape, found] : plan::findTapeVariables(plan, phase, body, kMostBytes)) {
        const Type* type = w.types.array(state.tapeType(tape)->element, found.items);
        ownTapes[tape] = {w.local("own_tape_" + std::to_string(tape), type), found.first.base};
    }
}

}  // namespace strc::lowered
