#pragma once
/// What the bodies of a filter become: functions of C, and what these need. Private to csource.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "csource/detail/liveness.h"
#include "csource/detail/names.h"
#include "csource/print.h"
#include "elab/elaborate.h"

namespace strc::csource {

struct Function {
    const ir::Body* body = nullptr;
    std::string name;
    bool isFiring = false;  ///< work or prework: it has the whole of the tapes
    bool isRecursive = false;
    bool fails = false;  ///< it, or what it calls, has checks
    bool usesSelf = false;
    bool usesInput = false, usesOutput = false;  ///< the items
    bool countsPops = false, countsPushes = false;
    bool checksPops = false, checksPushes = false;
    graph::Rates rates;  ///< of the firing, of which it may be a part
    std::vector<bool> writes;  ///< by parameter: to what a ref leads to
    std::shared_ptr<Liveness> liveness;
    /// All pops, or pushes, are on the only way through the body: their number is known at each place.
    bool isInputStraight = false, isOutputStraight = false;
};

class Functions {
public:
    /// Those that fire, and those that initialise a filter which starts late, each with all that it calls.
    Functions(const Program&, const elab::Kernel&, const ir::Proofs&, Names& names);

    const Function& of(const ir::Body& body) const { return *byBody.at(&body); }
    const Function& of(const ir::Callee&) const;
    /// Each behind what it calls, as far as they do not call each other.
    const std::vector<std::unique_ptr<Function>>& all() const { return functions; }

private:
    void add(const ir::Body&);
    void describe(Function&, const ir::Proofs&);
    void findRates(Function&);
    void findTapes(Function&);
    bool spread(Function&);
    bool spreadWrites(Function&);

    const Program& program;
    const elab::Kernel& kernel;
    Names& names;
    std::vector<std::unique_ptr<Function>> functions;
    std::map<const ir::Body*, Function*> byBody;
};

}  // namespace strc::csource
