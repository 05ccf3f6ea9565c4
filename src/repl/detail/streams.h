#pragma once
/// The streams that stay between lines: those with names, and the present one, which commands are about. Private to
/// repl.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "repl/detail/output.h"
#include "repl/detail/running.h"

namespace strc::repl {

class Streams {
public:
    explicit Streams(Output& to) : output(to) {}

    using Named = std::map<std::string, std::shared_ptr<Running>, std::less<>>;
    const Named& named() const { return instances; }
    bool contains(std::string_view name) const { return instances.contains(name); }
    const std::shared_ptr<Running>& current() const { return now; }

    /// The present stream; fails if there is none, or it waits for its shapes.
    Running& present(const Input&);
    /// The same; fails if it runs as machine code, too.
    Running& interpreted(const Input&);
    void checkShaped(const Running&, const Input&);

    /// It is the present stream now, with a name if that is not empty. Files of streams that no name refers to any
    /// more are completed.
    void hold(const std::shared_ptr<Running>&, const std::string& name);
    /// Streams that write a file that this one writes anew are gone.
    void dropWritersOf(const Running&);

private:
    void letGo(const std::shared_ptr<Running>&);

    Output& output;
    Named instances;
    std::shared_ptr<Running> now;
};

}  // namespace strc::repl
