#pragma once
/// Calls of strc_lap behind the steps of a phase, if the program is to be profiled (Options::profile). Each looks first whether the phase is
/// timed at all. Private to codegen.

#include <span>

#include "codegen/detail/phase_context.h"
#include "plan/timed.h"

namespace strc::codegen {

/// Steps of loops that are longer on average are timed each: some 400 ns, in units of plan/work.h.
constexpr double kLongStep = 4000;

/// The end of such steps.
void emitLap(ModuleBuilder&, llvm::IRBuilder<>&, llvm::Value* env, const plan::TimedSteps&);

class Laps {
public:
    /// `isWanted`: false of phases that are never timed.
    Laps(PhaseContext&, bool isWanted);

    /// Behind the code of these steps, which are timed as one. A loop whose steps are timed needs nothing more.
    void after(std::span<const plan::Step>);

    /// While the body of a loop is emitted.
    class Inside {
    public:
        Inside(Laps&, const plan::Step& loop);
        ~Inside();
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        Laps& laps;
        bool isWhole;
    };

private:
    bool isTimedAsWhole(const plan::Step& loop) const;
    void afterFile(const plan::Step&);

    PhaseContext& c;
    bool isOn;
    int wholes = 0;  ///< loops around that are timed as a whole
};

}  // namespace strc::codegen
