#pragma once
/// A session for tools: one request a line, one answer a line (docs/repl-json.md).

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session.h"

namespace strc::repl {

class JsonSession {
public:
    /// `withEvents`: what a program prints is written as it comes, before the answer. `write` takes whole
    /// lines. `callbacks.show` is set here.
    JsonSession(Callbacks, bool withEvents, std::function<void(const std::string& line)> write);
    ~JsonSession();

    /// Before any request. What is wrong with them is written as an event without an id.
    void load(const std::vector<std::string>& files);
    /// False: the session is over.
    bool request(std::string_view line);

private:
    struct Inside;
    std::unique_ptr<Inside> inside;
};

}  // namespace strc::repl
