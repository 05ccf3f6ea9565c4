/// StreamIt in C++: streams are C++ values, bodies of filters are C++ functions over staged values. What is an ordinary
/// C++ value is known when the graph is built; `Var`, `Value` and `Array` belong to the stream, and what is done with them is
/// recorded. C++ loops, branches and recursion over ordinary values unroll and specialise; `If`, `For`, `While` and
/// assignments of staged variables are part of the recorded body. (Multi-stage programming by operators and
/// lambdas, as in BuildIt: Brahmakshatriya and Amarasinghe, CGO 2021.)
///
/// What is recorded goes to libstrc as a tree (strc/tree.h): the compiler is the same, its messages name the lines
/// of C++, and `str(stream)` is the program as text. docs/dsl.md tells how every construct of the language is written.
#ifndef STRC_DSL_H
#define STRC_DSL_H

#include <strc/dsl/control.h>
#include <strc/dsl/filter.h>
#include <strc/dsl/functions.h>
#include <strc/dsl/program.h>
#include <strc/dsl/stream.h>
#include <strc/dsl/structure.h>
#include <strc/dsl/value.h>

#endif
