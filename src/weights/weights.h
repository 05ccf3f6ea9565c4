#pragma once
/// Learned values by name: those of a weights file (safetensors), each of which is read once, when it is asked
/// for, or such that are made up to try a program without a file. Nothing in a file is trusted.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "types/type.h"

namespace strc::weights {

using types::Type;

/// Constant memory, freed with its last reference.
using Bytes = std::shared_ptr<const std::byte>;

/// The values of a tensor row by row.
struct Values {
    const Type* type = nullptr;  ///< concrete
    Bytes bytes;
};

/// A tensor that the program has asked for.
struct Use {
    std::string name;
    Values values;
    bool isComputedWith = false;  ///< something else has been made of them already
    base::SourceRange added = {};  ///< where the first filter was added that has asked
    std::string instance = {};  // NOLINT(readability-redundant-member-init): for gcc
};

class Source {
public:
    virtual ~Source() = default;
    /// `wanted`: a tensor; what it leaves open is as it is found. The same values have the same memory. A
    /// failure has a row of the table of diagnostics.
    base::Result<Values> find(const std::string& name, const Type* wanted, types::TypeTable&);
    /// The tensors that have been used, each name once.
    const std::vector<Use>& uses() const { return used; }
    void noteComputation(const Bytes&);
    /// Notes the filter for tensors that were asked for the first time since the last call; `path` is called if there are any.
    void noteFilter(base::SourceRange added, const std::function<std::string()>& path);
    /// The name that `name` may have been meant to be; empty: none is like it.
    virtual std::string similarTo(const std::string& name) const = 0;
    /// The path of the weights file, as it was given; empty: there is none.
    virtual std::string path() const = 0;

private:
    virtual base::Result<Values> look(const std::string& name, const Type* wanted,
                                      types::TypeTable&) = 0;
    std::vector<Use> used;
    std::size_t placed = 0;  ///< of these, those whose filter is known
};

/// A file that is not one of weights is a failure.
base::Result<std::unique_ptr<Source>> open(const std::string& path);

/// A file that may be there: one that is opened, once something is asked of it.
std::unique_ptr<Source> openLater(const std::string& path);

/// Values that depend on the seed and the name alone: reals around 0, less than 1 / sqrt(fan-in) away from it,
/// those that scale (`weight` of one dimension, `running_var`) between 0.5 and 1.5, integers 0 or 1. The type
/// that is wanted has to be concrete.
std::unique_ptr<Source> random(std::uint64_t seed, const base::Limits&);

/// Values in memory of the caller, in the types that files have (types/tensor_elements.h).

struct GivenValues {
    std::string name;
    types::TypeKind element = types::TypeKind::Float;
    std::vector<std::int64_t> dims;
    const std::byte* bytes = nullptr;  ///< stays as long as whatever uses the values
};

/// Makes a source of values in memory; if a name is given twice, the last one counts.
std::unique_ptr<Source> fromMemory(std::vector<GivenValues>);

/// The strc_safe_type of such elements in a file.
std::uint32_t fileType(const Type* element);

/// For who opens it again and again: a file is opened once it is needed, and what is wrong is told then.
std::unique_ptr<Source> fromOptionLater(const std::string& text, const base::Limits&);

/// Does the argument of --weights ask for made-up values, as "random:SEED" does?
bool areMadeUp(const std::string& text);
base::Result<std::unique_ptr<Source>> fromOption(const std::string& text, const base::Limits&);

}  // namespace strc::weights
