#pragma once
/// A compiler of libstrc that serves a call. Private to driver.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "driver/detail/commands.h"
#include "strc/strc.h"

namespace strc::driver {

/// What a program prints.
using Print = std::function<void(std::string_view)>;

/// Has the options of the call. What it finds is shown when a function returns; memory that runs out is std::bad_alloc.
class Compiler {
public:
    explicit Compiler(const Call&);
    /// With --time-passes: prints what was measured since the last time.
    ~Compiler();
    Compiler(const Compiler&) = delete;
    Compiler& operator=(const Compiler&) = delete;

    strc_compiler* handle() const { return compiler; }

    void set(const char* option, const char* value = nullptr);
    /// "-" is standard input.
    void addSource(const std::string& file);
    void addSources();
    /// Files of --in that say which tensors arrive.
    void addInputs();
    /// False: something is wrong, or it was interrupted.
    bool compile(strc_stage last, const Print& print);
    bool build(const std::string& output);
    /// Empty: something is wrong, or it was interrupted. The text lives as long as the compiler.
    std::optional<std::string_view> text(strc_product);
    struct Formatted {
        std::string_view text;
        bool changes;
    };
    /// Of its one source.
    std::optional<Formatted> format();
    /// Its one source, a text of the IR, after the passes of the call.
    std::optional<std::string_view> optimise();

    /// What was found since the last time.
    void show();
    void showTimes();

private:
    bool isFine(strc_status);

    const Call& call;
    strc_compiler* compiler;
    Seen seen;
};

}  // namespace strc::driver
