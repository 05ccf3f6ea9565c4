#pragma once
/// What a user may ask for when a program is compiled, whoever asks: the command line, the C API.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/passes.h"
#include "codegen/lower.h"
#include "plan/ranks.h"
#include "sched/schedule.h"
#include "types/tensor_split.h"

namespace strc::session {

/// --device
struct Device {
    enum Kind : std::uint8_t { Cpu, Cuda, Auto };
    Kind kind = Cpu;
    int ordinal = 0;
};

/// --kernels
enum class Kernels : std::uint8_t { Generated, OneDnn, Torch, Auto };

/// --plugin, --gnuradio: what a library is for.
enum class Host : std::uint8_t { None, Lv2, GnuRadio };

struct Settings {
    std::string top;
    std::map<std::string, std::string> defines;
    std::vector<std::string> keptParameters;  ///< --keep-param
    std::vector<std::string> inputs;  ///< --input: shapes and types of tensors that arrive
    std::vector<std::string> inputFiles;  ///< --in: .npy files, which say the same
    std::string
        inputSound;  ///< --in: a file of sound, whose header says what sampleRate() and channels() are
    std::vector<std::string> natives;  ///< shared libraries with native functions
    std::string stdlib;  ///< folder, or empty: the one inside
    std::string weights;  ///< --weights; empty: the file beside the program
    std::optional<std::uint64_t> stepLimit;
    std::optional<std::uint64_t> seed;  ///< of `random()`
    /// Items of an open end that are done at once at the most: what is given comes in small portions.
    std::optional<std::int64_t> atOnce;
    /// --bound: items that a queue of a library holds, and messages that wait for a filter; none: it has neither.
    std::optional<std::int64_t> bound;
    /// Streams: another program may take its place, or it that of another; so each instance keeps a state of its own.
    bool replaceable = false;
    bool openRanges = false;  ///< parameters with a range stay open (plugins/annotations.h)
    bool lenient = false;
    sched::Order order = sched::Order::Buffers;
    plan::Tapes tapes = plan::Tapes::Linear;
    bool lowers = false;  ///< the program runs in its lower form (lowered/lower.h)

    std::vector<std::string> warnings;  ///< what stands after -W, in order
    bool silenceWarnings = false;

    bool interpret = false;
    bool noInterpret = false;  ///< what cannot be compiled is an error
    int level = 2;  ///< -O0 to -O3
    std::vector<base::Pass> passes;  ///< of `strc opt`, in the order in which they run
    std::vector<base::Pass> disabledPasses;
    std::optional<base::Pass> emitAfter;  ///< what it makes is kept as a text
    std::optional<std::int64_t> bisectLimit;  ///< --opt-bisect-limit
    bool timePasses = false;
    unsigned threads = 0;  ///< -j: that may run the program; 0: one for each processor
    unsigned callThreads = 1;  ///< --threads: that share a call of a library or a stream
    std::int64_t chunkStates = 0;  ///< --chunk; 0: not given
    bool checks = true;  ///< --check=all
    bool debug = false;  ///< -g
    bool fastMath = false;
    Device device;
    Kernels kernels = Kernels::Generated;
    std::optional<types::TensorSplit> split;  ///< --split
    std::optional<codegen::Mesh> mesh;  ///< processes that share what `split` has parted

    std::string target;  ///< --target; empty: this machine
    std::string processor;  ///< --march=NAME; empty: the one at hand
    std::string linker;  ///< --linker; empty: cc, or the target's
    bool isStatic = false;
    bool isShared = false;  ///< a library instead of an executable
    Host host = Host::None;  ///< of a library that is a plug-in
    bool lanes = false;  ///< a library that does several instances at once
    bool isSource = false;  ///< C source: kernels that are for vectors alone are not made
    bool externalWeights = false;  ///< an executable reads them when it starts
    bool noTorch = false;  ///< nothing of libtorch may be needed
    bool profile = false;  ///< code that can be timed step by step
    std::string profileUse;  ///< --profile-use: a profile that says what filters take; empty: none
    std::string header;  ///< of the library; empty: beside it
    std::string bundle;  ///< --bundle: the folder for an executable and all it needs; empty: none

    unsigned ranks =
        0;  ///< --ranks: of build, 1: executables can be several processes; of graph, how many; 0: not given
    plan::Network network;  ///< --network
    bool partitions = false;  ///< graphs and schedules show how threads share the program
    bool fold = true;  ///< large graphs when they are drawn
};

/// What of them matters to code generation.
codegen::Options codegenOptions(const Settings&);

}  // namespace strc::session
