#pragma once
/// Compiled programs as object files, position independent, for a linker.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// A constant that C code knows by its name (strc/executable.h): bytes as they lie in memory, and pointers
/// in them to other constants, also to those that are defined elsewhere.
struct Data {
    struct Pointer {
        std::size_t at = 0;
        std::string to;
    };
    std::string name;
    std::string bytes;
    std::vector<Pointer> pointers;  ///< in ascending order
};

struct Object {
    std::string file;  ///< its contents
    std::uint64_t stackBytes = 0;  ///< that its functions take at most, but for recursion
};

/// The module is used up. The object defines `strc_program` and all of `data`, of which only
/// `exported` is seen outside. A sentence why not.
base::Result<Object> emitObject(Module, const Options&, const std::vector<Data>& data,
                                const std::string& exported);

/// Is there such a processor of the options' target (`--march=NAME`)?
bool knowsProcessor(const Options&, const std::string& name);
/// The features of the processor that code made with these options may use: bits by the rows of
/// strc/processor_features.def.
std::uint64_t processorFeatures(const Options&);
/// The first feature that code for these options may use and the processor at hand does not have, as LLVM calls it;
/// empty: it runs here. The options name no other kind of machine.
std::string featureMissingHere(const Options&);

}  // namespace strc::codegen
