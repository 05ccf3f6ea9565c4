#pragma once
/// Outcome of something the world can refuse (files, tools): a value, or a sentence why not.

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace strc::base {

/// The sentence that explains a refusal ("cannot open 'x': No such file or directory").
struct Failure {
    std::string text;
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
    Result(Failure failure) : state(std::in_place_index<1>, std::move(failure)) {}

    explicit operator bool() const { return state.index() == 0; }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const std::string& error() const {
        STRC_ASSERT(state.index() == 1, "Result::error of a success");
        return std::get<1>(state).text;
    }

private:
    T& value() {
        STRC_ASSERT(state.index() == 0, "value of a failed Result");
        return std::get<0>(state);
    }
    const T& value() const { return const_cast<Result*>(this)->value(); }

    std::variant<T, Failure> state;
};

/// Result of an action without a value.
using Status = Result<std::monostate>;
inline Status ok() { return std::monostate{}; }

}  // namespace strc::base
