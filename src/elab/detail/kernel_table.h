#pragma once
/// Numbers the kernels of a tree: filters that differ in nothing share one.

#include <string>
#include <unordered_map>
#include <utility>

#include "elab/detail/tree.h"
#include "eval/eval.h"

namespace strc::elab {

class KernelTable {
public:
    explicit KernelTable(std::vector<Kernel>& kernels) : kernels(kernels) {}

    /// The stream with its constants; `addRun` adds what an init that draws random numbers or calls natives may
    /// have made different.
    static std::string keyOf(const Instance&);
    static void addRun(std::string& key, const eval::Instance& run, const graph::Rates& work,
                       const std::optional<graph::Rates>& prework);

    /// The number of the kernel with the key; true if it is new: then the caller appends it.
    std::pair<graph::KernelId, bool> number(const std::string& key);
    graph::KernelId addBuiltin(Kernel);

    /// A pure filter stands for others with the same key.
    void noteFirst(graph::KernelId kernel, InstanceId first) { firsts.emplace(kernel, first); }
    /// That filter, or kNone.
    InstanceId firstOf(const std::string& key) const;

private:
    std::vector<Kernel>& kernels;
    std::unordered_map<std::string, graph::KernelId> byKey;
    std::unordered_map<graph::KernelId, InstanceId> firsts;
};

}  // namespace strc::elab
