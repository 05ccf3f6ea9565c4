#pragma once
/// Which steps of a plan a CUDA device does. In: a plan, and the IR of its kernels. Out: a plan in which runs of steps have
/// given way to segments for a device, and what these segments are: kernels, and operations with the places of their
/// arrays. The state lies on the device as it does in the plan, so a place is an offset; a tape belongs to whoever
/// writes it, and is copied where the other side reads it. docs/design/cuda.md tells why.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "device/split.h"
#include "plan/plan.h"

namespace strc::device {

using plan::Position;

/// Loops around an operation, those of the plan and those of a body (STRC_DEVICE_DEPTH).
constexpr std::size_t kDepth = 6;

enum class Memory : std::uint8_t { State, Scratch, Weights };

/// at + firing * perFiring + sum of iteration(d) * perIteration[d], bytes.
struct Address {
    Memory memory = Memory::State;
    std::int64_t at = 0;
    std::int64_t perFiring = 0;
    std::vector<std::int64_t> perIteration;
};

enum class OperationKind : std::uint8_t {
    Launch,
    Contract,
    Attend,
    Copy,
    Zero,
    Upload,
    Download,
    Repeat,
    Persist
};

struct Operation {
    OperationKind kind = OperationKind::Launch;
    std::uint32_t what =
        0;  ///< Launch: kernel; Contract: contraction; Attend: attention; Persist: persistent kernel; Repeat: how many operations follow that it repeats
    graph::NodeId node = graph::kNone;
    std::vector<Address> addresses;
    std::size_t firstIteration = 0;  ///< Launch: the depth of the first loop of the body
    std::int64_t count = 1;  ///< firings, rows or iterations
    std::int64_t bytes = 0;
    std::uint32_t skips = 0;  ///< Persist: how many operations follow that do the same in its place
};

struct Contraction {
    ir::Contraction how;
    const Type* element = nullptr;  ///< of the result and of addends
    const Type* factor = nullptr;  ///< element of a and b
    bool isForTensorCores = false;
};

struct Segment {
    std::vector<Operation> operations;  ///< of each part: copies from the host, work, copies to it
    std::size_t depth = 0;  ///< loops of the plan around it
    std::size_t parts = 1;  ///< if several: copies of one may go on while another one is computed
};

struct Weight {
    ir::StoredArray array;
    std::int64_t at = 0;
};

/// The filter that needs the most of a kind of memory, for messages.
struct Need {
    graph::NodeId node = graph::kNone;
    std::int64_t bytes = 0;
};

/// Bytes of the state.
struct Range {
    std::int64_t at = 0, size = 0;
};

/// A filter of tensors that the host does, and why.
struct Stay {
    graph::NodeId node = graph::kNone;
    std::string why;
};

/// A kernel, and the filters whose it is.
struct FilterKernel {
    Kernel kernel;
    graph::KernelId of = graph::kNone;
};

/// Likewise a persistent kernel.
struct FilterPersist {
    Persist kernel;
    graph::KernelId of = graph::kNone;
};

struct Offloaded {
    plan::Plan plan;  ///< with StepKind::Device
    std::vector<FilterKernel> kernels;
    std::vector<FilterPersist> persists;
    std::vector<Contraction> contractions;
    std::vector<ir::Attention> attentions;
    std::vector<Segment> segments;
    std::vector<Weight> weights;
    std::vector<Range> kept;  ///< what the device alone knows between two phases
    std::vector<Range> shared;  ///< what is copied to and fro, ascending and apart
    std::int64_t scratchSize = 0, weightsSize = 0;
    std::array<Need, 3> most;  ///< by Memory
    std::vector<Stay> stays;
    std::string why;  ///< nothing is moved; a sentence why
};

/// The pass `device-overlap` cuts segments into parts. `isFast`: products of floats may be rounded (--fast-math).
Offloaded offload(base::Context&, const ir::Module&, const plan::Plan&, types::TypeTable&,
                  bool isFast);

/// Kernels, then the segments with their operations, then what stays.
std::string print(const Offloaded&);

}  // namespace strc::device
