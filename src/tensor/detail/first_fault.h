#pragma once
/// The first fault of a walk over a body, which ends it: what is noted after it does not count. Private to tensor.

#include <optional>
#include <string>

#include "tensor/expand.h"

namespace strc::tensor {

class FirstFault {
public:
    explicit operator bool() const { return first.has_value(); }
    std::optional<Fault> take() { return std::move(first); }

    void note(Fault);
    void note(const ir::Instr&, std::string subject, std::string why);
    /// Where the program may be right, and only the run can tell.
    void noteOfRun(const ir::Instr&, std::string subject, std::string why);
    void noteUnknown(const ir::Instr&, std::string what);
    /// False, after a fault, if elements of that type cannot be computed with.
    bool checkComputable(const ir::Instr&, const Type*);

private:
    std::optional<Fault> first;
};

}  // namespace strc::tensor
