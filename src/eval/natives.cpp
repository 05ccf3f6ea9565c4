#include "eval/natives.h"

#include <cstring>
#include <dlfcn.h>
#include <ffi.h>
#include <map>

namespace strc::eval {
namespace {

using types::TypeKind;

/// Null: values of that type cannot be passed.
ffi_type* ffiType(const Type* type) {
    switch (type->kind) {
        case TypeKind::Void: return &ffi_type_void;
        case TypeKind::Boolean:
        case TypeKind::Bit: return &ffi_type_uint8;
        case TypeKind::Int: return &ffi_type_sint32;
        case TypeKind::Float: return &ffi_type_float;
        case TypeKind::Double: return &ffi_type_double;
        case TypeKind::String:
        case TypeKind::Array:
        case TypeKind::Struct:
        case TypeKind::Tensor: return &ffi_type_pointer;
        default: return nullptr;
    }
}

std::optional<Trap> unavailable(const ir::Native& native) {
    return Trap{Diag::NativeUnavailable, {}, {native.package, native.name}};
}

}  // namespace

/// A function that has been found, prepared to be called.
struct Natives::Function {
    void (*entry)() = nullptr;
    ffi_cif interface;
    std::vector<ffi_type*> params;
};

struct Natives::Libraries {
    std::vector<void*> handles;
    std::map<std::string, void (*)()> given;
    std::map<std::string, std::unique_ptr<Function>> functions;  ///< null: looked for in vain
};

Natives::Natives() : libraries(std::make_unique<Libraries>()) {}

Natives::~Natives() {
    for (void* handle : libraries->handles) dlclose(handle);
}

base::Status Natives::open(const std::string& file) {
    // Without a slash dlopen would look in the system's folders.
    std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return base::failure(Diag::CannotOpenFile, {file, dlerror()});
    libraries->handles.push_back(handle);
    return base::ok();
}

void Natives::add(const std::string& symbol, void (*function)()) {
    libraries->given[symbol] = function;
}

const Natives::Function* Natives::find(const ir::Native& native) {
    std::string symbol = native.package + '_' + native.name;
    auto [known, fresh] = libraries->functions.try_emplace(symbol);
    if (!fresh) return known->second.get();
    void* entry = nullptr;
    if (const auto given = libraries->given.find(symbol); given != libraries->given.end())
        std::memcpy(&entry, &given->second, sizeof entry);
    for (void* handle : libraries->handles)
        if (!entry) entry = dlsym(handle, symbol.c_str());
    if (!entry) return nullptr;
    auto function = std::make_unique<Function>();
    std::memcpy(&function->entry, &entry, sizeof entry);
    for (const Type* type : native.params) function->params.push_back(ffiType(type));
    const bool fills = native.result && native.result->is(TypeKind::Tensor);
    if (fills) function->params.push_back(&ffi_type_pointer);
    ffi_type* result = native.result && !fills ? ffiType(native.result) : &ffi_type_void;
    bool passable = result && !(native.result && native.result->isAggregate());
    for (ffi_type* type : function->params) passable = passable && type != nullptr;
    if (!passable) return nullptr;
    if (ffi_prep_cif(&function->interface, FFI_DEFAULT_ABI,
                     static_cast<unsigned>(function->params.size()), result,
                     function->params.data()) != FFI_OK)
        return nullptr;
    known->second = std::move(function);
    return known->second.get();
}

void* Natives::address(const ir::Native& native) {
    const Function* function = find(native);
    void* entry = nullptr;
    if (function) std::memcpy(&entry, &function->entry, sizeof entry);
    return entry;
}

std::optional<Trap> Natives::call(const ir::Native& native, std::span<std::uint64_t> args,
                                  std::uint64_t& result) {
    const Function* function = find(native);
    if (!function) return unavailable(native);
    std::vector<void*> pointers;
    for (std::uint64_t& arg : args) pointers.push_back(&arg);
    static_assert(sizeof(ffi_arg) <= sizeof(std::uint64_t), "a result fits into a register");
    result = 0;
    ffi_call(const_cast<ffi_cif*>(&function->interface), function->entry, &result, pointers.data());
    return std::nullopt;
}

}  // namespace strc::eval
