#pragma once
/// What the functions of a printed file share. Private to csource.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "csource/detail/functions.h"
#include "csource/detail/helpers.h"
#include "csource/detail/names.h"
#include "csource/print.h"
#include "csource/types.h"

namespace strc::csource {

/// A check that can fail: what its message says, with the words of the diagnostic before the numbers that the fault brings.
struct Site {
    base::Diag id = base::Diag::Count;
    base::SourceRange range;
    std::vector<std::string> words;
    int numbers = 0;
};

class Source {
public:
    explicit Source(const Program&);

    const Program& program;
    const elab::Kernel& kernel;
    ir::Proofs proofs;
    Names names;  ///< of the file
    Types types;
    Helpers helpers;
    std::vector<std::string> fieldNames;  ///< by field; empty: it takes no memory
    std::vector<std::string> fields;  ///< how they are reached from the handle; empty as well
    std::vector<std::string> parameters;  ///< names, by open parameter

    /// The number of a site.
    std::size_t site(const Site&);
    /// A constant array or struct of that contents: its name.
    std::string table(const Type*, const char* bytes, std::string_view wanted);
    /// The name of a native function.
    std::string native(const ir::Native&);
    /// "NAME_word"
    std::string own(std::string_view word) const;

    /// The number of what messages say of a node of Program::instances.
    std::size_t instance(graph::NodeId);

    const std::vector<std::string>& siteTexts() const { return texts; }
    const std::vector<std::string>& instanceTexts() const { return instances; }
    const std::vector<std::string>& instancePlaces() const { return places; }
    const std::string& tables() const { return tableText; }
    const std::set<std::string>& prototypes() const { return nativePrototypes; }

private:
    void nameFields();

    std::map<std::string, std::size_t> siteNumbers;
    std::vector<std::string> texts;
    std::map<graph::NodeId, std::size_t> instanceNumbers;
    std::vector<std::string> instances, places;
    std::map<std::pair<const Type*, std::string>, std::string> tableNames;
    std::string tableText;
    std::set<std::string> nativePrototypes;
};

/// A definition of C: a function with what stands before it.
struct Definition {
    std::string prototype, text;
};
/// A body as a function.
Definition printFunction(Source&, const Functions&, const Function&);

/// The handle, and the functions of the header: all but what the bodies have become.
std::string printHandle(Source&, const Functions&);
std::string printInterface(Source&, const Functions&);
/// Those of them that treat the handle, as it was printed, as data.
std::string printStates(const Source&, const Functions&, std::string_view handle);
/// The messages of checks that fail, and what makes them.
std::string printFaults(const Source&);
/// What refuses a call.
std::string printRefusal(const Source&);

}  // namespace strc::csource
