#pragma once
/// Constants of a module about messages (language.md 14): who gets them, when they are due, and the functions that hand them to
/// their handlers.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "codegen/detail/llvm.h"
#include "codegen/detail/state_pieces.h"
#include "graph/graph.h"
#include "ir/ir.h"
#include "plan/handler.h"

namespace strc::codegen {

class ModuleBuilder;
struct KernelFunctions;

class MessageTables {
public:
    explicit MessageTables(ModuleBuilder& builder) : m(builder) {}

    /// A `strc_route`, or null.
    llvm::Constant* route(graph::NodeId sender, graph::NodeId receiver);
    /// The table for a send of a kernel: a `strc_dispatch`. `bytes`: of the arguments.
    llvm::Constant* dispatch(const KernelFunctions& from, std::int32_t portal, const ir::Send&,
                             std::uint64_t bytes, base::SourceRange);
    /// strc_program::message_bytes, once all bodies have been emitted.
    llvm::Constant* bytes();
    /// strc_program::handlers, likewise.
    Rows handlers() const;
    /// Whose they are.
    std::vector<plan::Handler> handlerRows() const;

private:
    llvm::Function* handlerEntry(graph::NodeId, const std::string& name);
    std::uint64_t crowdedSite(graph::NodeId receiver, base::SourceRange);
    void noteMessage(graph::NodeId receiver, std::uint64_t bytes);
    llvm::Constant* recipient(graph::NodeId sender, graph::NodeId receiver, const ir::Send&,
                              base::SourceRange);

    ModuleBuilder& m;
    std::map<std::pair<graph::NodeId, std::string>, llvm::Function*> handlerEntries;
    std::map<std::size_t, llvm::Constant*> routes;  ///< by Plan::routes
    std::vector<std::uint64_t> longestMessages;  ///< bytes, by mailbox; UINT64_MAX: it gets none
};

}  // namespace strc::codegen
