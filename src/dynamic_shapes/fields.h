#pragma once
/// The fields of a filter whose tensors are names (eval/tensors.h).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dynamic_shapes/tensor_heap.h"

namespace strc::dynamic_shapes {

/// By field, as the kernels of elab and of symbolic::Program have it.
struct Fields {
    std::span<const Type* const> types;  ///< concrete, or tensors, of which the state has the names
    std::span<const std::int64_t> offsets;  ///< into the state
    std::int64_t size = 0;  ///< bytes of the state
    std::span<const Type* const> tensors;  ///< that are there at the start; null: no value yet
    std::span<const std::uint32_t> stored;  ///< where these are: StreamCode::stored, or kNone
    std::span<const std::int64_t> initialOffsets;  ///< else in the state that elaboration has left
};

template <typename Kernel>
Fields fieldsOf(const Kernel& kernel) {
    return {kernel.fieldTypes, kernel.fieldOffsets,  kernel.stateSize,
            kernel.tensors,    kernel.storedTensors, kernel.initialOffsets};
}

/// Makes `state` the one that elaboration has left, with tensors, as one with their names. Whatever marks what is in use has to
/// see it meanwhile, since each new tensor may make the heap collect. Throws std::bad_alloc.
void nameFields(const Fields&, const std::string& before, std::span<const ir::StoredArray>,
                TensorHeap&, std::vector<std::byte>& state);

/// All names in such a state, which is empty before `nameFields`.
void markFields(const Fields&, const std::vector<std::byte>& state, const TensorHeap::Mark&);

/// Why a tensor is not what streams around a channel declare, and what is known to come there (empty: nothing is), as
/// the end of a sentence; empty: it is.
std::string whyUnfit(const Type* declared, std::span<const Type* const> known, const Type*);

}  // namespace strc::dynamic_shapes
