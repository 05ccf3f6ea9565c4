#include "dynamic_shapes/tensor_heap.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "dynamic_shapes/detail/moves.h"
#include "tensor/storage.h"
#include "types/tensor_text.h"

namespace strc::dynamic_shapes {

using base::Diag;
using eval::Outcome;
using eval::TensorOperand;
using eval::Trap;
using tensor::Operand;
using types::TensorFn;
using types::TypeKind;
using types::Value;

namespace {

/// Names are numbers that programs seldom have, so that few of theirs are taken for names.
constexpr TensorHandle kFirst = 0x5a000000;
constexpr std::uint64_t kFewBytes = 32 << 20;
constexpr std::uint64_t kOwnBytes = 96;  ///< that a tensor needs beside its elements
/// Pieces of code; a program whose shapes never come again does not keep them all.
constexpr std::size_t kMostCodes = 4096;

Value scalarAt(const Type* type, const std::byte* at) {
    Value value = Value::zero(type);
    std::memcpy(value.bytes.data(), at, value.bytes.size());
    return value;
}

std::uint64_t elementBytes(const Type* tensor) {
    return static_cast<std::uint64_t>(types::sizeOf(tensor));
}

}  // namespace

TensorHeap::TensorHeap(const ir::Module& program, types::TypeTable& table, eval::Machine& evaluator,
                       std::uint64_t most, std::function<void(const Mark&)> roots)
    : module(program),
      types(table),
      machine(evaluator),
      mostBytes(most),
      forEachRoot(std::move(roots)),
      collectAt(std::min(kFewBytes, most)) {}

// ---------------------------------------------------------------- tensors

std::size_t TensorHeap::indexOf(TensorHandle tensor) const {
    const auto index = static_cast<std::size_t>(tensor - kFirst);
    STRC_ASSERT(tensor >= kFirst && index < entries.size() && entries[index].type,
                "the name of no tensor");
    return index;
}

const Type* TensorHeap::typeOf(TensorHandle tensor) const { return entries[indexOf(tensor)].type; }

std::byte* TensorHeap::elementsOf(TensorHandle tensor) {
    return entries[indexOf(tensor)].elements.get();
}

std::uint64_t TensorHeap::bytesOf(TensorHandle tensor) const {
    return entries[indexOf(tensor)].bytes;
}

std::optional<Trap> TensorHeap::add(const Type* type, TensorHandle& made) {
    const std::uint64_t count = elementBytes(type), size = count + kOwnBytes;
    std::unique_ptr<std::byte[]> elements;
    if (makeRoom(size))
        elements.reset(new (std::nothrow) std::byte[std::max<std::uint64_t>(count, 1)]());
    if (!elements)
        return Trap{Diag::OutOfMemory, {}, {"a " + types::toString(type), std::to_string(size)}};
    if (free.empty()) {
        free.push_back(entries.size());
        entries.emplace_back();
    }
    const std::size_t index = free.back();
    free.pop_back();
    entries[index] = {type, std::move(elements), size, false};
    bytes += size;
    made = kFirst + static_cast<TensorHandle>(index);
    return std::nullopt;
}

TensorHandle TensorHeap::copyOf(const Type* type, const std::byte* elements) {
    TensorHandle made = 0;
    if (add(type, made)) throw std::bad_alloc();
    std::memcpy(elementsOf(made), elements, elementBytes(type));
    return made;
}

bool TensorHeap::makeRoom(std::uint64_t size) {
    if (bytes + size <= collectAt) return true;
    collect();
    collectAt = std::min(std::max(kFewBytes, 2 * (bytes + size)), mostBytes);
    return bytes + size <= mostBytes;
}

void TensorHeap::collect() {
    for (Entry& entry : entries) entry.isMarked = false;
    forEachRoot([this](TensorHandle name) {
        const auto index = static_cast<std::int64_t>(name) - kFirst;
        if (index >= 0 && static_cast<std::size_t>(index) < entries.size())
            entries[static_cast<std::size_t>(index)].isMarked = true;
    });
    for (std::size_t k = 0; k < entries.size(); ++k) {
        if (entries[k].isMarked || !entries[k].type) continue;
        bytes -= entries[k].bytes;
        entries[k] = {};
        free.push_back(k);
    }
}

// ---------------------------------------------------------------- operations

TensorHeap::Operands TensorHeap::operandsOf(const ir::Instr& instr,
                                            std::span<const TensorOperand> given) {
    Operands operands;
    auto add = [&](Operand operand, const std::byte* at) {
        operands.all.push_back(std::move(operand));
        operands.places.push_back(at);
    };
    for (const TensorOperand& each : given) {
        const bool isArray = each.type->is(TypeKind::Array);
        if (isTensor(each.type)) {
            add({typeOf(each.tensor), std::nullopt}, elementsOf(each.tensor));
        } else if (isArray && instr.tensor == TensorFn::FromArray) {
            add({each.type, std::nullopt}, each.at);
        } else if (!isArray) {
            add({each.type, scalarAt(each.type, each.at)}, each.at);
        } else {
            const Type* element = each.type->element;
            for (std::int64_t k = 0; k < each.type->extent; ++k) {
                const std::byte* at = each.at + k * types::sizeOf(element);
                add({element, scalarAt(element, at)}, at);
            }
        }
    }
    return operands;
}

TensorHeap::Key TensorHeap::keyOf(const ir::Instr& instr, std::span<const Operand> operands) {
    Key key{&instr, {}, {}};
    for (std::size_t k = 0; k < operands.size(); ++k) {
        key.types.push_back(operands[k].type);
        if (operands[k].constant && !types::isValueOfRun(instr.tensor, k, operands.size()))
            key.values.push_back(operands[k].constant->toInt());
    }
    return key;
}

Outcome TensorHeap::compute(const ir::Instr& instr, std::span<const TensorOperand> given,
                            std::byte* result, std::optional<Trap>& trap) {
    const Operands operands = operandsOf(instr, given);
    const tensor::Shaped shaped = tensor::resultOf(instr, operands.all, types);
    if (!shaped.type) {
        trap = Trap{Diag::TensorShape, instr.range, {tensor::describe(instr), shaped.why}};
        return Outcome::Trapped;
    }
    auto give = [result](std::int64_t count) {
        const auto number = static_cast<std::int32_t>(count);
        std::memcpy(result, &number, sizeof number);
        return Outcome::Done;
    };
    if (instr.tensor == TensorFn::Rank) return give(types::rank(operands.all[0].type));
    if (instr.tensor == TensorFn::Size) {
        const auto& dims = operands.all[0].type->dims;
        return give(dims[*tensor::dimension(operands.all[1].constant->toInt(), dims.size())]);
    }
    const Type* type = isTensor(shaped.type) ? shaped.type : instr.type;
    if (canMove(instr.tensor, operands.all, type))
        return move(instr.tensor, operands, type, result, trap);
    const Code& code = codeFor(instr, operands.all, type);
    if (!code.operation.fault) return run(code, operands, type, result, trap);
    const tensor::Fault& fault = *code.operation.fault;
    trap = Trap{Diag::TensorShape, fault.range, {fault.subject, fault.why}};
    return Outcome::Trapped;
}

/// Executes an operation that only moves elements in runs.
Outcome TensorHeap::move(types::TensorFn fn, const Operands& operands, const Type* type,
                         std::byte* result, std::optional<Trap>& trap) {
    TensorHandle name = 0;
    trap = add(type, name);
    if (trap) return Outcome::Trapped;
    moveRuns(fn, operands.all, operands.places, type, elementsOf(name));
    std::memcpy(result, &name, sizeof name);
    return Outcome::Done;
}

const TensorHeap::Code& TensorHeap::codeFor(const ir::Instr& instr,
                                            std::span<const Operand> operands, const Type* result) {
    Key key = keyOf(instr, operands);
    const auto found = codes.find(key);
    if (found != codes.end()) return *found->second;
    if (codes.size() >= kMostCodes) codes.clear();
    auto made = std::make_unique<Code>();
    makeCode(*made, instr, operands, result);
    return *codes.emplace(std::move(key), std::move(made)).first->second;
}

void TensorHeap::makeCode(Code& code, const ir::Instr& instr, std::span<const Operand> operands,
                          const Type* result) {
    code.operation = tensor::assemble(instr, operands, result, types);
    if (code.operation.fault) return;
    for (const ir::Variable& field : code.operation.code.fields) {
        const std::int64_t align = types::alignOf(field.type);
        code.size = (code.size + align - 1) / align * align;
        code.offsets.push_back(code.size);
        code.size += types::sizeOf(field.type);
    }
    const ir::StreamCode& stream = code.operation.code;
    code.work = eval::compile(module, &stream, *stream.work, types, code.offsets);
}

Outcome TensorHeap::run(const Code& code, const Operands& operands, const Type* type,
                        std::byte* result, std::optional<Trap>& trap) {
    if (!makeRoom(static_cast<std::uint64_t>(code.size))) {
        trap = Trap{Diag::OutOfMemory, {}, {"an operation", std::to_string(code.size)}};
        return Outcome::Trapped;
    }
    eval::Instance instance;
    instance.module = &module;
    instance.code = &code.operation.code;
    instance.fieldOffsets = code.offsets;
    instance.state.resize(static_cast<std::size_t>(code.size));
    auto placeOf = [&](std::uint32_t field) { return instance.state.data() + code.offsets[field]; };
    for (std::size_t k = 0; k < operands.all.size(); ++k) {
        const std::uint32_t field = code.operation.operands[k];
        if (field == ir::kNone) continue;
        const auto size = types::sizeOf(code.operation.code.fields[field].type);
        std::memcpy(placeOf(field), operands.places[k], static_cast<std::size_t>(size));
    }
    eval::Firing firing;
    const Outcome end = machine.fire(*code.work, instance, firing);
    if (end == Outcome::Trapped) trap = machine.trap;
    if (end != Outcome::Done) return end;
    const std::byte* made = placeOf(code.operation.result);
    if (!isTensor(type)) {
        std::memcpy(result, made, static_cast<std::size_t>(types::sizeOf(type)));
        return end;
    }
    TensorHandle name = 0;
    trap = add(type, name);
    if (trap) return Outcome::Trapped;
    std::memcpy(elementsOf(name), made, elementBytes(type));
    std::memcpy(result, &name, sizeof name);
    return end;
}

}  // namespace strc::dynamic_shapes
