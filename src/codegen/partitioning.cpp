// What the runtime needs to know when threads share a call of a library, as constants.

#include "codegen/detail/partitioning.h"

#include <algorithm>

namespace strc::codegen {
namespace {

llvm::Constant* global(ModuleBuilder& m, llvm::Constant* contents, const char* name) {
    return new llvm::GlobalVariable(m.module, contents->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, contents, name);
}

/// The partitions that partition `to` waits for, in ascending order.
std::vector<std::uint32_t> needsOf(const plan::Partitioning& all, std::size_t to) {
    std::vector<std::uint32_t> needs;
    for (const plan::PartitionChannel& channel : all.channels)
        if (channel.to == to && channel.from != to)
            needs.push_back(static_cast<std::uint32_t>(channel.from));
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    return needs;
}

/// Who stands for a partition when there is something to say about it: a filter, if there is one, of the program as it was.
std::uint32_t nameOf(ModuleBuilder& m, std::size_t k) {
    const plan::Plan& plan = m.plan.before ? *m.plan.before : m.plan;
    const std::vector<graph::NodeId>& nodes = plan.partitioning->partitions[k].nodes;
    for (const graph::NodeId node : nodes)
        if (plan.program->graph.nodes[node].kind == graph::NodeKind::Filter) return node;
    return nodes.empty() ? STRC_NOBODY : nodes.front();
}

llvm::Constant* none(ModuleBuilder& m) { return llvm::ConstantPointerNull::get(m.ptr()); }

/// Of each mailbox the partition in which its filter fires.
llvm::Constant* ownersOf(ModuleBuilder& m, const plan::Partitioning& all) {
    if (m.plan.mailboxes.empty()) return none(m);
    std::vector<std::uint32_t> owners(m.plan.mailboxes.size());
    for (std::uint32_t k = 0; k < all.partitions.size(); ++k)
        for (const graph::NodeId node : all.partitions[k].nodes)
            if (const std::uint32_t box = m.plan.mailboxOf(node); box != graph::kNone)
                owners[box] = k;
    return global(m, llvm::ConstantDataArray::get(m.context, owners), "owners");
}

/// Rows of strc_post.
std::vector<std::uint32_t> postsOf(ModuleBuilder& m, const plan::Partitioning& all) {
    std::vector<std::uint32_t> posts;
    for (const plan::PartitionChannel& channel : all.channels)
        if (channel.receiver != graph::kNone && channel.from != channel.to)
            posts.insert(posts.end(), {static_cast<std::uint32_t>(channel.from),
                                       static_cast<std::uint32_t>(channel.to),
                                       m.plan.mailboxOf(channel.receiver)});
    return posts;
}

}  // namespace

llvm::Constant* emitPartitioning(ModuleBuilder& m, const plan::Partitioning& partitioning,
                                 const std::vector<llvm::Function*>& functions) {
    auto wide = [&](std::int64_t value) {
        return llvm::ConstantInt::get(m.i64(), static_cast<std::uint64_t>(value));
    };
    auto narrow = [&](std::size_t value) { return llvm::ConstantInt::get(m.i32(), value); };
    const std::size_t count = partitioning.partitions.size();
    std::vector<llvm::Constant*> rows;
    for (std::size_t k = 0; k < count; ++k) {
        const plan::Partition& each = partitioning.partitions[k];
        const std::vector<std::uint32_t> needs = needsOf(partitioning, k);
        llvm::Constant* list =
            needs.empty() ? none(m)
                          : global(m, llvm::ConstantDataArray::get(m.context, needs), "needs");
        rows.push_back(llvm::ConstantStruct::getAnon(
            {functions[k], list, narrow(needs.size()),
             narrow(static_cast<std::size_t>(each.slices)), narrow(each.isInOrder ? 1 : 0),
             narrow(each.drawsRandom ? 1 : 0), narrow(each.home), narrow(nameOf(m, k))}));
    }
    auto* table = llvm::ArrayType::get(rows.front()->getType(), rows.size());
    const std::vector<std::uint32_t> posts = postsOf(m, partitioning);
    const std::vector<std::uint64_t> reads(partitioning.reads.begin(), partitioning.reads.end());
    return global(
        m,
        llvm::ConstantStruct::getAnon(
            {global(m, llvm::ConstantDataArray::get(m.context, reads), "shared.reads"),
             wide(partitioning.iterations), functions[count], functions[count + 1],
             global(m, llvm::ConstantArray::get(table, rows), "partitions"), narrow(count),
             narrow(static_cast<std::size_t>(partitioning.slices)),
             wide(static_cast<std::int64_t>(partitioning.work)), ownersOf(m, partitioning),
             posts.empty() ? none(m)
                           : global(m, llvm::ConstantDataArray::get(m.context, posts), "posts"),
             wide(static_cast<std::int64_t>(posts.size() / 3))}),
        "partitioning");
}

}  // namespace strc::codegen
