#pragma once
/// The stages and passes of the compiler (passes.def): which passes run, how long everything takes, what
/// is printed after what. Passes ask before they change something:
///
///     base::PassRun run(context.passes, base::Pass::VectoriseFirings, "filter 'Scale'");
///     if (run) { …; run.show([&] { return ir::print(body); }); }

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strc::base {

/// Its values stand in pass.h, which those include who name one: a new pass compiles few files.
enum class Pass : std::uint8_t;
enum class PassKind : std::uint8_t { Stage, Pass };
enum class PassProduct : std::uint8_t {
    None,
    Ast,
    Ir,
    Kernels,
    Graph,
    Schedule,
    Plan,
    Code,
    Device,
    Asm
};

struct PassInfo {
    Pass id;
    PassKind kind;
    PassProduct product;
    std::string_view name;
    std::string_view what;
};
const PassInfo& info(Pass);
/// The name that a pass has today, of a name that it had before (former_passes.def); else the name itself.
std::string_view currentPassName(std::string_view name);
/// By a name of today or of before; empty if there is none of that name.
std::optional<Pass> findPass(std::string_view name);
/// "a, b or c", in order: those that `wanted` holds for.
std::string passNames(const std::function<bool(const PassInfo&)>& wanted);

class Passes {
public:
    // ---- which passes run
    void disable(Pass pass) { disabled.insert(pass); }
    bool isEnabled(Pass pass) const { return !disabled.contains(pass); }
    /// From now on applications of passes are numbered from 1, and `say` is told of each. Those beyond
    /// `limit` are left out; -1: none is.
    void bisect(std::int64_t limit, std::function<void(std::string_view)> say);
    bool isBisecting() const { return static_cast<bool>(tell); }
    /// The number of an application, and whether it is to be done. Of passes that PassRun does not
    /// know (LLVM's).
    bool countApplication(std::string_view pass, std::string_view subject);

    // ---- what is printed
    void emitAfter(Pass pass) { shown = pass; }
    bool emitsAfter(Pass pass) const { return shown == pass; }
    /// Keeps text() under a line of its own, if it is that pass that is to be shown.
    template <typename Text>
    void show(Pass pass, std::string_view subject, Text&& text) {
        if (!emitsAfter(pass)) return;
        texts += "; " + std::string(info(pass).name) + ": " + std::string(subject) + "\n";
        texts += text();
        if (!texts.ends_with('\n')) texts += '\n';
    }
    /// All that was shown.
    const std::string& emitted() const { return texts; }

    // ---- how long it takes
    void measure() { measures = true; }
    bool isMeasuring() const { return measures; }
    /// What is between belongs to `what`, inside of what has begun before.
    void begin(std::string_view what);
    void end();
    /// A table, with sums; what takes next to nothing is put together. Empty if nothing was measured.
    std::string times() const;
    void forgetTimes() { rows.clear(); }

private:
    using Clock = std::chrono::steady_clock;
    struct Row {
        std::string name;
        std::size_t parent = 0;
        double seconds = 0;  ///< without those of rows inside
        std::int64_t runs = 0;
    };
    void takeTime();

    std::set<Pass> disabled;
    std::function<void(std::string_view)> tell;
    std::int64_t last = -1;
    std::int64_t applications = 0;
    std::optional<Pass> shown;
    std::string texts;
    bool measures = false;
    std::vector<Row> rows;  ///< the first one is everything
    std::size_t current = 0;
    Clock::time_point since;
};

/// Measures until it goes out of scope.
class Timing {
public:
    Timing(Passes& passes, Pass pass) : passes(passes) { passes.begin(info(pass).name); }
    ~Timing() { passes.end(); }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

private:
    Passes& passes;
};

/// One application of a pass to `subject`, measured until it goes out of scope. True: it is to be done.
class PassRun {
public:
    PassRun(Passes& passes, Pass pass, std::string_view subject)
        : passes(passes), pass(pass), subject(subject), timing(passes, pass) {
        runs = passes.isEnabled(pass) && passes.countApplication(info(pass).name, subject);
    }
    explicit operator bool() const { return runs; }

    template <typename Text>
    void show(Text&& text) {
        passes.show(pass, subject, std::forward<Text>(text));
    }

private:
    Passes& passes;
    Pass pass;
    std::string subject;
    Timing timing;
    bool runs = false;
};

}  // namespace strc::base
