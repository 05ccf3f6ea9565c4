#pragma once
/// DWARF for debuggers (`-g`): functions, variables and types as the text of the program has them. Facts
/// beside the code, which stays what it is. docs/debugging.md says what a user sees of it.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "codegen/detail/llvm.h"
#include "codegen/lower.h"

namespace strc::codegen {

class DebugInfo {
public:
    /// The sources and the plan outlive it.
    DebugInfo(const base::SourceManager&, const plan::Plan&, const Options&, llvm::Module&);
    /// To be called when all bodies and phases are emitted.
    void finish();

    /// A function of the program. The name is the one that users know; several functions may share it.
    llvm::DISubprogram* function(llvm::Function&, const std::string& name, base::SourceRange);
    /// A phase or a piece of one; `state` is its second argument. The location for its calls.
    llvm::DebugLoc phase(llvm::Function&);
    /// Where a firing in a phase comes from: the statement that added the node.
    llvm::DebugLoc firing(llvm::Function& phase, const graph::Node&);

    llvm::DILexicalBlock* block(llvm::DIScope*, base::SourceRange);
    llvm::DILocation* location(base::SourceRange, llvm::DIScope*);
    llvm::DIType* type(const types::Type*);
    /// `count` items.
    llvm::DIType* items(const types::Type*, std::int64_t count);
    /// A constant of that type.
    llvm::DIType* fixed(const types::Type* of) {
        return build.createQualifiedType(llvm::dwarf::DW_TAG_const_type, type(of));
    }
    /// The numbers of nodes as their paths.
    llvm::DIType* instance();
    llvm::DIType* counter() { return scalar("long", 64, llvm::dwarf::DW_ATE_signed); }

    /// A variable that lies at `at`.
    void declare(llvm::DILocalVariable*, llvm::Value* at, llvm::DIExpression*, llvm::DILocation*,
                 llvm::BasicBlock*);
    /// A variable with that value, from the end of the block on.
    void value(llvm::DILocalVariable*, llvm::Value*, llvm::DIExpression*, llvm::DILocation*,
               llvm::BasicBlock*);
    llvm::DILocalVariable* variable(llvm::DIScope*, const std::string& name, base::SourceRange,
                                    llvm::DIType*);
    llvm::DILocalVariable* argument(llvm::DISubprogram*, const std::string& name, unsigned number,
                                    base::SourceRange, llvm::DIType*);
    /// A constant that lies in memory, seen within the function.
    void memory(llvm::DISubprogram*, const std::string& name, base::SourceRange, llvm::DIType*,
                llvm::GlobalVariable*);
    llvm::DIExpression* expression(llvm::ArrayRef<std::uint64_t> operations = {}) {
        return build.createExpression(operations);
    }
    /// Variables have homes in memory, where they can be seen at any time.
    bool keepsAll() const { return level == 0; }

private:
    llvm::DIFile* file(base::BufferId);
    base::LineColumn position(base::SourceRange) const;
    llvm::DIType* scalar(const char* name, unsigned bits, unsigned encoding) {
        return build.createBasicType(name, bits, encoding);
    }
    llvm::DIType* makeType(const types::Type*);
    llvm::DIType* makeArray(const types::Type*);
    llvm::DIType* makeStruct(const types::Type*);
    llvm::DIType* vector(const char* name, int parts);
    llvm::DIType* string();
    /// The memory of a run: the fields of each filter and the channels, named by their paths.
    llvm::DIType* state();
    llvm::DIType* fieldsOf(const elab::Kernel&);
    llvm::DIType* channel(const plan::Channel&);
    llvm::DIType* ring();
    /// What led to each instance (elab::Elaboration::stages), as the array `strc_stages` of texts by number of the instance.
    void addStages();
    llvm::DIType* member(llvm::DIScope*, const std::string& name, llvm::DIType*,
                         std::int64_t bytes);
    llvm::DIType* record(const std::string& name, std::int64_t bytes,
                         llvm::ArrayRef<llvm::Metadata*> members);

    const base::SourceManager& sources;
    const plan::Plan& plan;
    int level;
    llvm::Module& module;
    llvm::DIBuilder build;
    llvm::DICompileUnit* unit = nullptr;
    base::BufferId mainFile;
    std::map<std::uint32_t, llvm::DIFile*> files;
    std::map<const types::Type*, llvm::DIType*> types;
    std::map<const elab::Kernel*, llvm::DIType*> kernels;
    llvm::DIType* instances = nullptr;
    llvm::DIType* stateType = nullptr;
    llvm::DIType* ringType = nullptr;
};

}  // namespace strc::codegen
