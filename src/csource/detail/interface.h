#pragma once
/// The functions of the header: parts of their text, and what these share. Private to csource.

#include <string>
#include <string_view>
#include <vector>

#include "csource/detail/source.h"

namespace strc::csource {

/// What of the interface a program has.
struct Shape {
    Shape(const Source&, const Functions&);

    Counts counts;
    bool hasInput, hasOutput, hasPrework;
    bool startsLate;  ///< setup and init run before the first firing
    bool follows;  ///< something is computed again when a parameter has been set
    bool begins;  ///< something is done once before the others
    bool takesItems, givesItems;
    bool asksIteration;
    bool recurses = false;
    bool fails = false;  ///< there are checks
};

/// Items that a window has room for, in which the last ones of one piece and the first ones of the next are put together.
std::int64_t windowItems(const Counts&);
/// Items that a firing gives at most.
std::int64_t pendingItems(const Counts&);

/// The text with the prefix of all names in the place of each @.
std::string named(const Source&, std::string_view text);
std::string replaced(std::string text, std::string_view word, const std::string& by);
/// "3u"
std::string number(std::int64_t);

/// A call of a body, which looks at `in` and writes to `out`.
std::string firing(const Function&, std::string_view in, std::string_view out);
/// The bodies that initialise a filter which starts late.
std::vector<const Function*> starters(const Source&, const Functions&);

/// A call of a function of the filter that is no firing, with more arguments behind those of every function.
std::string callOf(const Function&, std::string_view in, std::string_view out,
                   std::string_view more);

/// What `NAME_drain` begins with.
std::string printDrainEntry(const Shape&);

/// What drains a program that was lowered, and its `NAME_drain`.
std::string printLoweredDrain(Source&, const Functions&, const Shape&);

/// `NAME_fire` and what it needs; `NAME_process`, `NAME_drain`.
std::string printFiring(const Source&, const Functions&, const Shape&);
std::string printProcess(const Source&, const Shape&);
std::string printDrain(const Source&, const Shape&);
/// `NAME_reset`, `NAME_make`, `NAME_create`, `NAME_destroy`.
std::string printLife(Source&);
/// `NAME_save` and what belongs to it; `NAME_process_many`. `handle`: printHandle, by which states know their layout.
std::string printState(const Source&, const Shape&, std::string_view handle);
/// Of a program with several inputs or outputs: `NAME_process` and `NAME_drain` around the static ones that printProcess and
/// printDrain are then, and `NAME_process_ends`, `NAME_drain_ends`.
std::string printEnds(const Source&, const Shape&);
/// Are there such?
bool hasEnds(const Source&);
/// What is done again when a parameter has been set.
std::string printAgain(Source&, const Functions&, const Shape&);
/// `NAME_set` and the setters.
std::string printSetters(Source&, const Shape&);

}  // namespace strc::csource
