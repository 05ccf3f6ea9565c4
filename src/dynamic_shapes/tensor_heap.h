#pragma once
/// The tensors of a program whose shapes only the run knows. Operations are computed by the code that they have for known
/// shapes (tensor/operation.h), made when such shapes come for the first time, but for those that only copy (moves.h). Tensors
/// that nobody can name any more are found by marking, from what whoever runs the filters knows.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/context.h"
#include "eval/eval.h"
#include "tensor/operation.h"

namespace strc::dynamic_shapes {

using eval::TensorHandle;
using types::Type;

class TensorHeap final : public eval::Tensors {
public:
    using Mark = std::function<void(TensorHandle)>;

    /// `mostBytes`: of all tensors together. `forEachRoot` calls what it is given with all that may be names of tensors that
    /// are wanted; other numbers do no harm.
    TensorHeap(const ir::Module&, types::TypeTable&, eval::Machine&, std::uint64_t mostBytes,
               std::function<void(const Mark&)> forEachRoot);

    // ---- Tensors
    const Type* typeOf(TensorHandle) const override;
    std::byte* elementsOf(TensorHandle) override;
    std::optional<eval::Trap> add(const Type* concrete, TensorHandle&) override;
    eval::Outcome compute(const ir::Instr&, std::span<const eval::TensorOperand>, std::byte* result,
                          std::optional<eval::Trap>&) override;

    /// The bytes of memory that the tensor takes, with its bookkeeping.
    std::uint64_t bytesOf(TensorHandle) const;
    /// A new one of these elements. Throws std::bad_alloc.
    TensorHandle copyOf(const Type* concrete, const std::byte* elements);

private:
    struct Entry {
        const Type* type = nullptr;  ///< null: free
        std::unique_ptr<std::byte[]> elements;
        std::uint64_t bytes = 0;
        bool isMarked = false;
    };
    /// Code for operands of these types, of which those that are a part of it have these values.
    struct Code {
        tensor::Operation operation;
        std::vector<std::int64_t> offsets;  ///< of the fields
        std::int64_t size = 0;  ///< of all fields
        eval::CodePtr work;
    };
    struct Key {
        const ir::Instr* instr;
        std::vector<const Type*> types;
        std::vector<std::int64_t> values;
        auto operator<=>(const Key&) const = default;
    };

    std::size_t indexOf(TensorHandle) const;
    bool makeRoom(std::uint64_t bytes);
    void collect();
    /// As tensor/shape.h has them, and where they lie.
    struct Operands {
        std::vector<tensor::Operand> all;
        std::vector<const std::byte*> places;
    };
    Operands operandsOf(const ir::Instr&, std::span<const eval::TensorOperand>);
    static Key keyOf(const ir::Instr&, std::span<const tensor::Operand>);
    eval::Outcome move(types::TensorFn, const Operands&, const Type*, std::byte* result,
                       std::optional<eval::Trap>&);
    const Code& codeFor(const ir::Instr&, std::span<const tensor::Operand>, const Type* result);
    void makeCode(Code&, const ir::Instr&, std::span<const tensor::Operand>, const Type* result);
    eval::Outcome run(const Code&, const Operands&, const Type* type, std::byte* result,
                      std::optional<eval::Trap>&);

    const ir::Module& module;
    types::TypeTable& types;
    eval::Machine& machine;
    std::uint64_t mostBytes;
    std::function<void(const Mark&)> forEachRoot;
    std::vector<Entry> entries;
    std::vector<std::size_t> free;
    std::uint64_t bytes = 0;  ///< of all entries
    std::uint64_t collectAt = 0;  ///< when there are so many
    std::map<Key, std::unique_ptr<Code>> codes;
};

}  // namespace strc::dynamic_shapes
