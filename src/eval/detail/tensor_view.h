#pragma once
/// A tensor in memory as native functions see it.

#include "strc/dlpack.h"
#include "types/tensor_layout.h"

namespace strc::eval {

class TensorView {
public:
    TensorView(const types::Type* tensor, void* data)
        : layout(types::layoutOf(tensor)),
          view{data,
               {kDLCPU, 0},
               static_cast<std::int32_t>(layout.shape.size()),
               {layout.code, layout.bits, 1},
               layout.shape.data(),
               layout.strides.data(),
               0} {}
    TensorView(const TensorView&) = delete;
    TensorView& operator=(const TensorView&) = delete;

    const DLTensor* get() const { return &view; }

private:
    types::TensorLayout layout;
    DLTensor view;
};

}  // namespace strc::eval
