#include "codegen/object.h"

#include <bit>
#include <cstring>
#include <iterator>

#include "base/pass.h"
#include "codegen/detail/machine_code.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/target.h"

namespace strc::codegen {
namespace {

llvm::GlobalVariable* declare(llvm::Module& module, const std::string& name, llvm::Type* type) {
    auto* made = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, name);
    made->setAlignment(llvm::Align(8));
    return made;
}

/// Bytes and pointers in turns, packed: the layout is the caller's.
llvm::StructType* typeOf(llvm::LLVMContext& context, const Data& data) {
    std::vector<llvm::Type*> parts;
    std::size_t at = 0;
    auto skipTo = [&](std::size_t to) {
        if (to > at) parts.push_back(llvm::ArrayType::get(llvm::Type::getInt8Ty(context), to - at));
        at = to;
    };
    for (const Data::Pointer& pointer : data.pointers) {
        skipTo(pointer.at);
        parts.push_back(llvm::PointerType::getUnqual(context));
        at += sizeof(void*);
    }
    skipTo(data.bytes.size());
    return llvm::StructType::get(context, parts, true);
}

llvm::Constant* contents(llvm::Module& module, const Data& data, llvm::StructType* type) {
    std::vector<llvm::Constant*> parts;
    std::size_t at = 0;
    std::size_t next = 0;
    for (llvm::Type* part : type->elements()) {
        if (part->isPointerTy()) {
            const std::string& to = data.pointers[next++].to;
            llvm::GlobalVariable* target = module.getNamedGlobal(to);
            if (!target) target = declare(module, to, llvm::Type::getInt8Ty(module.getContext()));
            parts.push_back(target);
            at += sizeof(void*);
        } else {
            std::size_t size = part->getArrayNumElements();
            parts.push_back(llvm::ConstantDataArray::getString(
                module.getContext(), llvm::StringRef(data.bytes).substr(at, size), false));
            at += size;
        }
    }
    return llvm::ConstantStruct::get(type, parts);
}

void define(llvm::Module& module, const std::vector<Data>& data, const std::string& exported) {
    std::vector<llvm::StructType*> types;
    for (const Data& each : data) {
        types.push_back(typeOf(module.getContext(), each));
        declare(module, each.name, types.back());
    }
    for (std::size_t k = 0; k < data.size(); ++k) {
        llvm::GlobalVariable* variable = module.getNamedGlobal(data[k].name);
        variable->setInitializer(contents(module, data[k], types[k]));
        if (data[k].name != exported) variable->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
}

bool areZeros(const std::byte* bytes, std::size_t size) {
    return size == 0 || (bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

/// As one text of bytes: whatever else LLVM has for arrays is looked at element by element. Zeros take no room in the
/// file if they are no constant, which is where nobody writes all the same.
void define(llvm::Module& module, const std::string& symbol, const std::byte* bytes,
            std::int64_t size) {
    llvm::GlobalVariable* variable = module.getNamedGlobal(symbol);
    if (!variable) return;  // nothing has used it
    const auto count = static_cast<std::size_t>(size);
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes), count);
    const bool isZero = areZeros(bytes, count);
    variable->setConstant(!isZero);
    variable->setInitializer(
        isZero ? llvm::Constant::getNullValue(variable->getValueType())
               : llvm::ConstantDataArray::getString(module.getContext(), text, false));
    variable->setLinkage(llvm::GlobalValue::InternalLinkage);
    variable->setAlignment(llvm::Align(64));
}

void defineArrays(const Module::Impl& made) {
    for (const StoredSymbol& each : made.stored)
        if (!each.isPointer)
            define(*made.module, each.symbol, each.array.bytes.get(),
                   types::sizeOf(each.array.type));
    for (const PackedArray& each : made.packed)
        define(*made.module, each.symbol, each.bytes.get(), each.size);
}

}  // namespace

base::Result<Object> emitObject(Module made, const Options& wanted, const std::vector<Data>& data,
                                const std::string& exported) {
    base::Timing timing(*made.impl->passes, base::Pass::MachineCode);
    Options options = affordable(*made.impl, wanted);
    define(*made.impl->module, data, exported);
    defineArrays(*made.impl);
    auto machine = targetMachine(options);
    Object result;
    auto object = makeObject(*made.impl->module, *machine, options, result.stackBytes);
    if (object) {
        result.file = (*object)->getBuffer().str();
        return result;
    }
    return base::Failure{llvm::toString(object.takeError())};
}

bool knowsProcessor(const Options& options, const std::string& name) {
    Options any = options;
    any.processor.clear();
    auto machine = targetMachine(any);
    if (!machine->getMCSubtargetInfo()->isCPUStringValid(name)) return false;
    if (machine->getTargetTriple().getArch() != llvm::Triple::x86_64) return true;
    any.processor = name;  // LLVM ends the process when it is to make code for one of 32 bits
    return targetMachine(any)->getMCSubtargetInfo()->checkFeatures("+64bit");
}

namespace {

constexpr const char* kFeatures[] = {
#define STRC_FEATURE(name, leaf, part, bit, state) name,
#include "strc/processor_features.def"
#undef STRC_FEATURE
};

}  // namespace

std::uint64_t processorFeatures(const Options& options) {
    auto machine = targetMachine(options);
    if (!machine->getTargetTriple().isX86()) return 0;
    std::uint64_t features = 0;
    for (std::size_t row = 0; row < std::size(kFeatures); ++row) {
        if (machine->getMCSubtargetInfo()->checkFeatures(std::string("+") + kFeatures[row]))
            features |= std::uint64_t{1} << row;
    }
    return features;
}

std::string featureMissingHere(const Options& options) {
    const std::uint64_t missing = processorFeatures(options) & ~processorFeatures(Options{});
    return missing == 0 ? std::string()
                        : kFeatures[static_cast<std::size_t>(std::countr_zero(missing))];
}

}  // namespace strc::codegen
