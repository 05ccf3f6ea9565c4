#include "elab/detail/dynamic_shapes.h"

#include "eval/tensors.h"
#include "ir/specialize.h"

namespace strc::elab {
namespace {

void layOut(Kernel& kernel) {
    kernel.initialOffsets = std::move(kernel.fieldOffsets);
    kernel.fieldOffsets.clear();
    kernel.stateSize = 0;
    for (const Type* field : kernel.fieldTypes) {
        const std::int64_t size =
            isTensor(field) ? sizeof(eval::TensorHandle) : types::sizeOf(field);
        const std::int64_t align =
            isTensor(field) ? alignof(eval::TensorHandle) : types::alignOf(field);
        kernel.stateSize = (kernel.stateSize + align - 1) / align * align;
        kernel.fieldOffsets.push_back(kernel.stateSize);
        kernel.stateSize += size;
    }
}

void leave(const ir::Module& module, types::TypeTable& types, Kernel& kernel) {
    const ir::StreamCode& source = module.streams[kernel.stream];
    for (std::size_t k = 0; k < kernel.tensors.size(); ++k) {
        const Type* declared = kernel.declaredTensors[k];
        if (isTensor(source.fields[k].type))
            kernel.fieldTypes[k] = declared ? declared : source.fields[k].type;
    }
    ir::StreamCode code = ir::specialize(
        module, source, {kernel.constants, kernel.fieldTypes, {}, kernel.input, kernel.output},
        types);
    code.stored = std::move(kernel.code.stored);
    kernel.code = std::move(code);
    layOut(kernel);
}

}  // namespace

std::string whyDynamicShape(const Elaboration& program) {
    const DynamicShape& dynamicShape = *program.dynamicShape;
    return "only the run can tell a shape in '" + program.graph.nodes[dynamicShape.node].name +
           "': " + dynamicShape.operation + ": " + dynamicShape.why;
}

void leaveTensors(const ir::Module& module, types::TypeTable& types, Elaboration& program) {
    for (Kernel& kernel : program.kernels)
        if (!kernel.tensors.empty()) leave(module, types, kernel);
}

}  // namespace strc::elab
