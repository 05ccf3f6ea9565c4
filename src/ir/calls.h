#pragma once
/// Which bodies call which.

#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// The functions that a body calls, without natives; and the body of such a callee.
std::vector<Callee> calleesOf(const Body&);
const Body& calleeBody(const Module&, const StreamCode& from, const Callee&);

/// The bodies of a filter that run once the graph is built, and all that they call, each once.
std::vector<const Body*> bodiesThatRun(const Module&, const StreamCode&);

/// Its work and prework, and all that they call, each once.
std::vector<const Body*> bodiesOfWork(const Module&, const StreamCode&);

/// The bodies that fire or handle messages, and all that they call, each once.
std::vector<const Body*> bodiesThatFire(const Module&, const StreamCode&);

/// Its setup and init, and all that they call, each once.
std::vector<const Body*> bodiesOfSetup(const Module&, const StreamCode&);

/// Bodies of a filter of which two calls may be under way at a time: those that are recursive, those that handle messages, which
/// somebody else's firing may have delivered, and all that these call.
std::vector<const Body*> bodiesThatNest(const Module&, const StreamCode&);

/// Can a call of it lead to another call of it?
bool isRecursive(const Module&, const StreamCode& from, const Body&);

/// Can what it prints while it fires, or handles messages, end a line? True where that is not known.
bool mayEndLine(const Module&, const StreamCode&);

/// Does it, or the native function that is called, make a string, which lives until the firing is over?
bool makesString(const Module&, const Instr&);
bool makesString(const Module&, const Callee&);

}  // namespace strc::ir
