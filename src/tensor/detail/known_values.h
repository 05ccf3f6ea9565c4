#pragma once
/// Follows values that are known when the graph is built through a body: those of registers, of local variables, and of
/// fields while they get their first values. Private to tensor.

#include <map>
#include <optional>
#include <vector>

#include "tensor/detail/body_context.h"
#include "tensor/detail/known_variables.h"

namespace strc::tensor {

/// Item `k` of an array of ints.
std::int32_t listItem(const Value& list, std::int64_t k);

class KnownValues {
public:
    KnownValues(const BodyContext&, KnownVariables before);

    /// The value that a register of the body has; of a ref, what is there.
    const std::optional<Value>& operator[](ir::Reg reg) const { return registers[reg]; }
    void set(ir::Reg reg, std::optional<Value> value) { registers[reg] = std::move(value); }
    /// Takes in what an instruction does. `made`: the body so far that is made of this one, whose local arrays have
    /// their extents.
    void note(const ir::Instr&, const ir::Body& made);
    std::optional<Value> valueOf(const ir::Instr&, const ir::Body& made) const;
    /// Variables that a branch or an iteration may change are unknown behind it, and at the beginning of the next iteration.
    void forget(const ir::Instr& control);
    /// Is it the address of an array whose values are followed?
    bool isFollowedArray(const ir::Instr& addr) const;
    /// For the bodies that come after this one.
    KnownVariables ofFields() const;

private:
    using Key = KnownVariables::Key;
    /// Where a ref to an item of a small array points.
    struct ElementRef {
        Key variable;
        std::int64_t item = 0;
    };

    static Key key(ir::VarRef);
    bool isFollowed(ir::VarRef) const;
    void noteStore(const ir::Instr&);
    void noteArray(const ir::Instr&, const ir::Body& made);
    void declareArray(const ir::Instr&, const ir::Body& made);
    void copyArray(const ElementRef&, const std::optional<Value>&);
    void setItem(const ElementRef&, const std::optional<Value>&);
    std::optional<ElementRef> elementRefOf(const ir::Instr&, std::size_t k) const;
    void forgetStored(ir::BlockId);
    std::optional<Value> atAddress(const ir::Instr&) const;
    std::optional<Value> extent(const ir::Instr&, const ir::Body& made) const;
    std::optional<Value> elementValue(const ir::Instr&) const;
    /// A static array of ints, if its values are known and the static item at hand cannot change them.
    std::optional<Value> staticArray(std::uint32_t global) const;
    std::optional<Value> folded(const ir::Instr&) const;

    BodyContext context;
    KnownVariables variables;
    std::vector<std::optional<Value>> registers;
    std::map<ir::Reg, ElementRef> elementRefs;
};

}  // namespace strc::tensor
