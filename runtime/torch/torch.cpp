// Operators by libtorch, as a shared library of its own that a program loads when it needs one: nothing else of strc knows
// PyTorch's headers. Operands are views of the program's memory.
#include "strc/torch.h"

#include <ATen/Parallel.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <optional>
#include <string>
#include <torch/headeronly/version.h>
#include <vector>

namespace {

using at::Tensor;

/// While it lives everything is done by the thread that calls; others may use the library, too.
class OneThread {
public:
    OneThread() : before(at::get_num_threads()) {
        if (before != 1) at::set_num_threads(1);
    }
    ~OneThread() {
        if (before != 1) at::set_num_threads(before);
    }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

private:
    int before;
};

Tensor viewOf(const strc_kernel_view &view, const float *place) {
    const auto rank = static_cast<std::size_t>(view.rank);
    return at::from_blob(const_cast<float *>(place), at::IntArrayRef(view.extents, rank),
                         at::IntArrayRef(view.steps, rank), at::TensorOptions(at::kFloat));
}

struct Kernel {
    strc_kernel what;
    std::optional<Tensor> weights;  ///< that never change, as the operator takes them

    /// Groups and outputs as one dimension.
    Tensor weightsOf(const float *place) const {
        Tensor all = viewOf(what.weights, place);
        if (!hasGroups()) return all;
        return all.flatten(0, 1).contiguous();
    }

    bool hasGroups() const { return what.weights.rank > what.source.rank; }

    void run(float *to, const float *from, const float *changing) const {
        Tensor result = viewOf(what.result, to);
        const Tensor source = viewOf(what.source, from);
        const Tensor used = weights ? *weights : weightsOf(changing);
        if (what.kind == STRC_CONVOLUTION) {
            const auto space = static_cast<std::size_t>(what.source.rank - 2);
            const std::vector<std::int64_t> none(space, 0);
            // It insists on a result of its own.
            result.copy_(at::convolution(source, used, {}, at::IntArrayRef(what.strides, space),
                                         none, at::IntArrayRef(what.dilations, space), false, none,
                                         hasGroups() ? what.weights.extents[0] : 1));
        } else if (what.result.rank == 2) {
            at::mm_out(result, source, used);
        } else if (what.result.rank == 3 && source.size(0) == used.size(0)) {
            at::bmm_out(result, source, used);
        } else {
            at::matmul_out(result, source, used);
        }
    }
};

/// "2.11.0", as the file beside the library that was loaded says; empty: there is none, as in a bundle.
std::string versionFound() {
    Dl_info about{};
    if (dladdr(reinterpret_cast<const void *>(&at::get_num_threads), &about) == 0) return {};
    std::string path = about.dli_fname;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    std::ifstream file(path + "/../version.py");
    const std::string begin = "__version__ = '";
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(begin)) {
            line = line.substr(begin.size());
            return line.substr(0, line.find_first_of("+'"));
        }
    return {};
}

bool isOther(char *why, std::size_t size) {
    const std::string found = versionFound();
    if (found.empty() || found == TORCH_VERSION) return false;
    std::snprintf(why, size, "it was built with torch %s, and what is there is torch %s",
                  TORCH_VERSION, found.c_str());
    return true;
}

template <typename Body>
bool guarded(char *why, std::size_t size, Body body) {
    try {
        const c10::InferenceMode inference;
        const OneThread alone;
        body();
        return true;
    } catch (const std::exception &error) {
        std::snprintf(why, size, "%s", error.what());
        return false;
    }
}

struct Kernels {
    std::vector<Kernel> all;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void *strc_torch_open(
    const strc_kernel_program *program, strc_torch_weights *weightsOf, char *why, size_t size) {
    if (isOther(why, size)) return nullptr;
    auto made = std::make_unique<Kernels>();
    const bool fine = guarded(why, size, [&] {
        for (std::uint64_t k = 0; k < program->kernel_count; ++k) {
            Kernel kernel{program->kernels[k], {}};
            if (const float *place = weightsOf(program, k))
                kernel.weights = kernel.weightsOf(place);
            made->all.push_back(std::move(kernel));
        }
    });
    return fine ? made.release() : nullptr;
}

extern "C" __attribute__((visibility("default"))) int strc_torch_run(void *self, uint64_t kernel,
                                                                     float *result,
                                                                     const float *source,
                                                                     const float *weights) {
    char why[200];
    return guarded(why, sizeof why,
                   [&] { static_cast<Kernels *>(self)->all[kernel].run(result, source, weights); })
               ? 0
               : -1;
}

extern "C" __attribute__((visibility("default"))) void strc_torch_close(void *self) {
    delete static_cast<Kernels *>(self);
}
