#pragma once
/// Debug information of one body while it is emitted: the source range of each instruction, and the addresses of
/// variables.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "codegen/detail/debug.h"
#include "ir/ir.h"

namespace strc::codegen {

class BodyDebug {
public:
    /// `entry` makes variables' homes, where the function begins.
    BodyDebug(DebugInfo&, llvm::Function&, const std::string& name, const ir::Body&,
              llvm::IRBuilder<>& entry);

    llvm::DISubprogram* subprogram() const { return function; }
    llvm::DILocation* begin() const { return start; }
    /// The number of the node that fires.
    void instance(llvm::Argument* node);
    void parameter(const ir::Variable&, llvm::Value* at);
    /// What lies some bytes behind the pointer, which is an argument; with several offsets, another pointer
    /// lies there, and so on.
    void behind(llvm::Argument* pointer, std::initializer_list<std::uint64_t> offsets,
                const std::string& name, base::SourceRange, llvm::DIType*);
    /// A constant of the stream, which lies there; scalars as what they are if `is` is given.
    void constant(const ir::Variable&, const types::Type*, llvm::Constant* is,
                  llvm::GlobalVariable* at);
    void counter(const char* name, llvm::Value* at);

    // ---- scopes: blocks and what is declared in them
    std::size_t depth() const { return scopes.size(); }
    void enter(base::SourceRange);
    void leave(std::size_t depth) { scopes.resize(depth); }
    /// The location of an instruction; `rest`: those that follow in its block.
    llvm::DebugLoc at(const ir::Instr&);
    /// Is the local seen here for the first time?
    bool isNew(std::uint32_t local) { return born.insert(local).second; }
    /// A local whose life begins with the first of `rest`. `isPointer`: `memory` holds its address. `width`:
    /// lanes that each have one of their own, or 0.
    void local(std::uint32_t index, llvm::Value* memory, bool isPointer,
               std::vector<ir::Instr>::const_iterator next,
               std::vector<ir::Instr>::const_iterator end, llvm::BasicBlock*);
    /// To be called behind each instruction: the scope of a `for` ends with it.
    void after(const ir::Instr&);

private:
    struct Scope {
        llvm::DIScope* scope;
        std::set<std::string> names;
        const ir::Instr* last = nullptr;  ///< with which it ends; null: with the block
    };
    llvm::DILocation* placeOf(base::SourceRange range) {
        return debug.location(range, scopes.back().scope);
    }
    void home(llvm::DILocalVariable*, llvm::Argument*);

    DebugInfo& debug;
    const ir::Body& body;
    llvm::IRBuilder<>& entry;
    llvm::DISubprogram* function;
    llvm::DILocation* start;
    unsigned arguments = 0;
    std::vector<Scope> scopes;
    std::set<std::uint32_t> born;
    std::map<llvm::Argument*, llvm::Value*> homes;
};

}  // namespace strc::codegen
