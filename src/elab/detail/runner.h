#pragma once
/// What running bodies during elaboration needs, whether of instances or of static items.

#include <optional>
#include <unordered_map>

#include "elab/detail/files.h"
#include "elab/elaborate.h"
#include "eval/eval.h"

namespace strc::elab {

class Runner : public eval::Host {
public:
    Runner(base::Context&, const ir::Module&, types::TypeTable&, const Environment&,
           types::Random&);

    // ---- Host
    void print(std::string_view text) override;
    types::Random& random() override { return generator; }
    base::Result<std::string> readFile(const std::string& name, base::SourceRange range) override;
    base::Result<std::int32_t> fileNumber(const ir::FileQuestion&, const std::string& name,
                                          std::int32_t other, base::SourceRange range) override;
    base::Result<std::string> readItems(const ir::FileQuestion&, const std::string& name,
                                        std::int32_t channel, base::SourceRange range) override;
    std::optional<eval::Trap> callNative(const ir::Native&, std::span<std::uint64_t> args,
                                         std::uint64_t& result) override;
    void warn(const eval::Trap&) override;

protected:
    /// Runs a body to its end; false after reporting its trap.
    bool runBody(const ir::Body&, eval::Instance&);
    /// The value of a default; empty after reporting a trap.
    std::optional<Value> evaluate(const ir::Body&, eval::Instance&);
    /// The program takes the rate, or the channels, of a sound to be so: of a file, or of its input (an empty name).
    virtual void takeSound(const std::string& /*file*/, bool /*isRate*/, int /*value*/) {}
    /// Path of the instance that runs, for messages; empty outside of any.
    virtual std::string where() const { return {}; }
    /// Adds notes to what is reported of a trap.
    virtual void explain(base::Diagnostic&, const eval::Trap&) const {}

    base::Context& context;
    const ir::Module& module;
    types::TypeTable& types;
    const Environment& environment;

private:
    std::optional<eval::RunResult> run(const ir::Body&, eval::Instance&);

    types::Random& generator;
    eval::Machine machine;
    FilesRead files;
    std::unordered_map<const ir::Body*, eval::CodePtr> codes;  ///< each body is compiled once
};

}  // namespace strc::elab
