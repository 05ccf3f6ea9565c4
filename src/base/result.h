#pragma once
/// Outcome of something the world can refuse (files, tools): a value, or a sentence why not.

#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/diagnostics.h"

namespace strc::base {

/// The sentence that explains a refusal ("cannot open 'x': No such file or directory"), and the row
/// of the table of diagnostics it comes from, so that whoever has a Diagnostics can report it.
struct Failure {
    std::string text;
    Diag id = Diag::Count;  ///< Count: a sentence that stands in no table
    std::vector<std::string> args = {};  // NOLINT(readability-redundant-member-init): for gcc
    std::string hint = {};  // NOLINT(readability-redundant-member-init): what to do; or empty
};

/// The failure whose sentence is that row's text.
Failure failure(Diag id, std::vector<std::string> args);
/// Adds it as a diagnostic; it has to come from `failure`.
Diagnostic& report(Diagnostics&, const Failure&, SourceRange = {});

template <typename T>
class [[nodiscard]] Result {
public:
    /// Whatever converts to the value, so that a function can return a unique_ptr to a derived class.
    template <std::convertible_to<T> U = T>
        requires(!std::same_as<std::remove_cvref_t<U>, Result> &&
                 !std::same_as<std::remove_cvref_t<U>, Failure>)
    Result(U&& value) : state(std::in_place_index<0>, std::forward<U>(value)) {}
    Result(Failure failure) : state(std::in_place_index<1>, std::move(failure)) {}

    explicit operator bool() const { return state.index() == 0; }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const std::string& error() const { return failure().text; }
    const Failure& failure() const {
        STRC_ASSERT(state.index() == 1, "Result::failure of a success");
        return std::get<1>(state);
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
