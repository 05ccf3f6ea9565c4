#pragma once
/// A firing as work for a device. In: the body of a filter whose tensors have been expanded to loops over arrays.
/// Out: kernels, each of them a body for one thread of many, and the order in which they are launched. Nests whose
/// iterations are proved to be independent are spread over threads, products (ir/contraction.h) and attention (ir/attention.h) are left to kernels
/// of the library, loops around such parts go on between launches, and whatever is left is done by one thread.

#include <string>
#include <variant>
#include <vector>

#include "base/passes.h"
#include "base/result.h"
#include "elab/elaborate.h"
#include "ir/attention.h"
#include "ir/contraction.h"
#include "ir/ir.h"

namespace strc::device {

using types::Type;

/// The threads of a warp, which wait for each other at little cost, and of a block (STRC_DEVICE_THREADS).
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kBlock = 256;

/// What attention of the library can have: numbers of a query or a value, and loops around (STRC_ATTENTION_WIDTH, STRC_ATTENTION_OUTER).
constexpr std::int32_t kMostWidth = 128;
constexpr std::size_t kMostAttentionLoops = 6;

/// The memory in which an array lies.
enum class Home : std::uint8_t {
    Scratch,  ///< of the firing: `index` into Firing::scratch
    Own,  ///< of each thread: likewise, so often as there are threads
    Field,
    Stored,  ///< StreamCode::stored
    Input,  ///< item `index` of the window
    Output,
};

struct Array {
    Home home = Home::Scratch;
    std::uint32_t index = 0;
    std::int64_t offset = 0;  ///< bytes
    bool operator==(const Array&) const = default;
};

/// Code for one thread: parameters are its number, how many there are, the iterations of the loops around, and refs.
struct Kernel {
    std::string name;
    ir::Body body;
    std::vector<Array> arrays;  ///< by ref
    std::vector<bool> isWritten;  ///< by ref
    /// By ref: iteration i touches the bytes from stride * i to before stride * (i + 1) alone; 0: others, or nobody knows.
    std::vector<std::int64_t> stride;
    std::uint32_t firstIteration = 0;  ///< depth of the outermost loop whose round it gets
    std::uint32_t iterationCount = 0;
    std::int64_t threads = 1;
    std::int64_t team = 1;  ///< so many neighbouring threads do an iteration: 1, kWarp or kBlock
    bool isThreadEach = false;  ///< one thread does it, and neighbours those of other firings
};

struct Action;
using Actions = std::vector<Action>;

struct Launch {
    std::uint32_t kernel = 0;  ///< into Firing::kernels
};
struct Contract {
    ir::Contraction how;
    const Type* element = nullptr;  ///< of the result and of addends
    const Type* factor = nullptr;  ///< element of a and b
    Array out, a, b;
    std::vector<Array> added;  ///< how.addends
    bool isForTensorCores = false;  ///< the runtime chooses them if its sizes are worth it
};
struct Attend {
    ir::Attention how;
    std::vector<Array> arrays;  ///< in the order of the instruction's operands
};
struct Copy {
    Array to, from;
    std::int64_t bytes = 0;
    std::int64_t align = 1;  ///< of both, in bytes
};
struct Zero {
    Array to;
    std::int64_t bytes = 0;
    std::int64_t align = 1;
};
struct Repeat {
    std::int64_t count = 0;
    Actions body;
};
/// A part of the iterations of a persistent kernel.
struct Stage {
    Kernel kernel;
    std::vector<std::uint32_t> arrays;  ///< by ref of the kernel: into Persist::arrays
    std::vector<bool> isConstant;  ///< by ref: no stage writes it
    bool waits = true;  ///< all threads for each other, behind it
};
/// A loop as one launch, whose threads wait for each other.
struct Persist {
    std::int64_t count = 0;  ///< iterations
    std::vector<Stage> stages;  ///< of each, in order
    std::vector<Array> arrays;
    std::uint32_t outer = 0;  ///< loops around whose iterations the stages get
    std::int64_t blocks = 1;
    Actions otherwise;  ///< the same, where so many blocks are not at work at once
};

struct Action {
    std::variant<Launch, Contract, Attend, Copy, Zero, Repeat, Persist> what;
};

struct Firing {
    Actions actions;
    std::vector<Kernel> kernels;
    std::vector<std::int64_t> scratch;  ///< offsets, bytes
    std::int64_t scratchSize = 0;  ///< of one firing
    bool isStateful = false;  ///< it changes fields: firings one after the other
};

/// An error is no fault of the program: it is the sentence why the filter stays on the processor.
/// The passes `device-attention`, `device-distribution`, `device-teams` and `device-persistent` are decided here.
base::Result<Firing> split(base::Passes&, const ir::Module&, const elab::Kernel&,
                           types::TypeTable&);

/// The same of a filter of single numbers without state, whose firings become threads (the trial `device-streams`).
base::Result<Firing> splitNumbers(base::Passes&, const ir::Module&, const elab::Kernel&,
                                  types::TypeTable&);

/// Kernels and actions as a text.
std::string print(const Firing&, const std::string& name);

}  // namespace strc::device
