#pragma once
/// Where the items of a run go: to a file, into a variable, or to be shown. Private to repl.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/items.h"
#include "repl/detail/values.h"
#include "types/type.h"

namespace strc::repl {

class Sink {
public:
    /// `show`: takes rows of items as they come, of which any number may come; without it they are kept.
    explicit Sink(std::function<void(std::string_view)> show) : show(std::move(show)) {}

    /// False: no more can be taken, as `failure` says.
    bool take(const std::vector<types::Value>& items);
    /// Items are shown as they come.
    bool showsRows() const { return show && !writer && variable.empty(); }
    /// The last row is shown, too.
    void end();

    std::unique_ptr<io::ItemWriter> writer;
    std::string variable;
    /// Converts an item that does not go to a file to the value that is shown: the tensor whose memory it is.
    std::function<types::Value(const types::Value&)> meaning;
    Items kept;  ///< all, or none if they were too many
    std::uint64_t count = 0;
    std::optional<base::Failure> failure;

private:
    types::TypeTable
        memories;  ///< of tensors whose shapes only the run knows: a writer keeps what it is told
    bool write(const types::Value&);
    bool keep(const types::Value&);

    std::function<void(std::string_view)> show;
    Rows rows;
    bool isCut = false;
};

}  // namespace strc::repl
