#pragma once
/// What the comment in front of a stream says of its parameters, for those who move them: `/// @range cutoff 20 20000 Hz log`.
/// Other tools see a comment. docs/plug-ins.md describes the words.

#include <string>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"

namespace strc::plugins {

/// A parameter with a range.
struct Range {
    std::string parameter;
    std::string label;  ///< as people read it
    std::string unit;  ///< "Hz", "dB", ...; empty: none
    double low = 0, high = 1;
    double smooth = 0;  ///< seconds in which a new value is reached
    bool isLogarithmic = false;
    bool isInteger = false, isToggle = false;  ///< by the parameter's type
    base::SourceRange place;  ///< of the annotation
};

struct Annotations {
    std::string title;  ///< of the stream; empty: its name
    std::string uri;  ///< empty: none is given
    std::vector<Range> ranges;  ///< in the order of the parameters
    std::vector<std::string> rateParameters;  ///< whose defaults are `sampleRate(...)`

    bool has(std::string_view parameter) const;
};

/// Of the comment right before the declaration, which stands in `unit`. Reports annotations that are none; what is right counts.
Annotations annotationsOf(base::Context&, const ast::Unit& unit, const ast::StreamDecl&);

}  // namespace strc::plugins
