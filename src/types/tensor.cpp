#include "types/tensor.h"

#include <iterator>

namespace strc::types {
namespace {

constexpr TensorFnInfo kFunctions[] = {
#define FN(Id, name, signature, form, kind, reads, shape, dimensions) \
    {name, signature, TensorForm::form, TensorKind::kind, TensorReads::reads},
#include "types/tensor_functions.def"
};
static_assert(std::size(kFunctions) == static_cast<std::size_t>(TensorFn::Count));

bool isMark(char c) { return c == '?' || c == '*'; }

/// Operands that stand behind the repeated one.
std::size_t countAfterStar(std::string_view signature) {
    std::size_t star = signature.find('*');
    std::size_t count = 0;
    for (std::size_t k = star + 1; k < signature.size(); ++k) count += isMark(signature[k]) ? 0 : 1;
    return count;
}

}  // namespace

const TensorFnInfo& info(TensorFn fn) { return kFunctions[static_cast<std::size_t>(fn)]; }

bool readsOften(TensorFn fn) {
    const TensorReads reads = info(fn).reads;
    return reads == TensorReads::Often || reads == TensorReads::OftenInOrder;
}

bool readsInOrder(TensorFn fn) {
    const TensorReads reads = info(fn).reads;
    return reads == TensorReads::InOrder || reads == TensorReads::OftenInOrder;
}

bool placesElements(TensorFn fn) { return info(fn).reads == TensorReads::Placed; }

TensorFn findTensorFn(std::string_view name) {
    for (std::size_t k = 0; k < std::size(kFunctions); ++k)
        if (kFunctions[k].name == name) return static_cast<TensorFn>(k);
    return TensorFn::Count;
}

namespace {

/// As it stands in the table.
char letterAt(std::string_view signature, std::size_t k, std::size_t count) {
    bool repeats = signature.find('*') != std::string_view::npos;
    std::size_t after = repeats ? countAfterStar(signature) : 0;
    if (repeats && k < count && count - k <= after) {  // counted from the end
        std::size_t back = count - k;
        for (std::size_t at = signature.size(); at-- > 0;)
            if (!isMark(signature[at]) && --back == 0) return signature[at];
    }
    std::size_t place = 0;
    for (std::size_t at = 0; at < signature.size(); ++at) {
        if (isMark(signature[at])) continue;
        char mark = at + 1 < signature.size() ? signature[at + 1] : '\0';
        if (mark == '*' || place == k) return signature[at];
        ++place;
    }
    return 0;
}

}  // namespace

char operandAt(std::string_view signature, std::size_t k, std::size_t count) {
    const char letter = letterAt(signature, k, count);
    return letter == 'd' || letter == 'n' ? 'i' : letter;
}

bool isDimension(std::string_view signature, std::size_t k, std::size_t count) {
    return letterAt(signature, k, count) == 'd';
}

bool isValueOfRun(TensorFn fn, std::size_t k, std::size_t count) {
    const char letter = letterAt(info(fn).signature, k, count);
    return letter == 'n' || letter == 'r';
}

bool takesList(std::string_view signature) {
    return signature.find("i*") != std::string_view::npos ||
           signature.find("d*") != std::string_view::npos;
}

OperandCount operandCount(std::string_view signature) {
    OperandCount count;
    bool repeats = false;
    for (std::size_t at = 0; at < signature.size(); ++at) {
        if (isMark(signature[at])) continue;
        char mark = at + 1 < signature.size() ? signature[at + 1] : '\0';
        repeats |= mark == '*';
        if (mark == '*') continue;
        ++count.most;
        if (mark != '?') ++count.least;
    }
    if (repeats) count.most = SIZE_MAX;
    return count;
}

}  // namespace strc::types
