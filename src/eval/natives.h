#pragma once
/// Calls of functions outside of the language (language.md 15.3): C functions `package_name` in
/// shared libraries that the user names, or in the process itself.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "eval/eval.h"

namespace strc::eval {

class Natives {
public:
    Natives();
    ~Natives();
    Natives(const Natives&) = delete;
    Natives& operator=(const Natives&) = delete;

    /// Loads a shared library; a CannotOpenFile failure if that is not possible.
    base::Status open(const std::string& file);

    /// A function of this process, which comes before those of libraries.
    void add(const std::string& symbol, void (*function)());

    /// Where the function lies; null where `call` would trap.
    void* address(const ir::Native&);

    /// int as int32_t, float, double, boolean and bit as uint8_t, String as const char*; arrays and
    /// structs as pointers to their memory; tensors as pointers to a DLTensor, of which one for a result comes last.
    /// `args` are registers as they stand, but for tensors, which are such pointers; so is `result`. A
    /// NativeUnavailable trap if there is no such function, or one of its types cannot be passed.
    std::optional<Trap> call(const ir::Native&, std::span<std::uint64_t> args,
                             std::uint64_t& result);

private:
    struct Function;
    struct Libraries;
    const Function* find(const ir::Native&);
    std::unique_ptr<Libraries> libraries;
};

}  // namespace strc::eval
