#pragma once
/// Small functions that the printed code calls, each of which is printed if something calls it. Private to csource.

#include <set>
#include <string>
#include <string_view>

#include "csource/types.h"

namespace strc::csource {

enum class Helper : std::uint8_t {
    Divide,  ///< ints, whose least one is divided by -1, too
    Remainder,
    DivideLong,
    RemainderLong,
    ToInt,
    ToLong,
    OfHalf,
    OfBFloat16,
    NearestShort,
    ToHalf,
    ToBFloat16,
    Minimum,
    Maximum,
    Round,
    Random,
    ComplexAdd,
    ComplexSubtract,
    ComplexMultiply,
    ComplexDivide,
    ComplexEqual,
    ComplexNegate,
    ComplexAbs,
    ComplexArg,
    ComplexExp,
    ComplexSin,
    ComplexCos,
    ComplexLog,
    ComplexSqrt,
    ComplexPow,
    Count
};

class Helpers {
public:
    explicit Helpers(std::string stream) : prefix(std::move(stream)) {}

    /// Its name; what it calls itself is needed, too.
    std::string name(Helper);
    /// An operation ("add", "equal", "of" of a float, ...) on vectors of a type that has been declared with this name.
    std::string onVectors(std::string_view operation, const Type*, const std::string& typeName);
    /// All that have been asked for. `complexName`: the type of complex numbers.
    std::string text(const std::string& complexName) const;
    bool needsComplex() const;
    bool needsRandom() const { return needed.contains(Helper::Random); }

private:
    std::string prefix;
    std::set<Helper> needed;
    std::set<std::string> vectorFunctions;  ///< their names
    std::string vectorText;
};

}  // namespace strc::csource
