#include "tensor/detail/first_fault.h"

#include "tensor/operation.h"

namespace strc::tensor {

using ir::Instr;

void FirstFault::note(Fault fault) {
    if (!first) first = std::move(fault);
}

void FirstFault::note(const Instr& instr, std::string subject, std::string why) {
    note(Fault{false, std::move(subject), std::move(why), instr.range});
}

void FirstFault::noteOfRun(const Instr& instr, std::string subject, std::string why) {
    Fault fault{false, std::move(subject), std::move(why), instr.range};
    fault.isOfRun = true;
    note(std::move(fault));
}

void FirstFault::noteUnknown(const Instr& instr, std::string what) {
    note(Fault{true, std::move(what), {}, instr.range});
}

bool FirstFault::checkComputable(const Instr& instr, const Type* type) {
    if (isComputable(type->element)) return true;
    note(instr, describe(instr),
         "elements of type " + types::toString(type->element) + " cannot be computed with yet");
    return false;
}

}  // namespace strc::tensor
