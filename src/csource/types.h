#pragma once
/// The types of values as C has them: with the same layout (types/type.h). A header of a library (executable/library.h) and
/// a printed file name them alike.

#include <map>
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "types/type.h"

namespace strc::csource {

using types::Type;

class Types {
public:
    /// `stream`: names of types begin with it.
    explicit Types(std::string stream) : prefix(std::move(stream)) {}

    /// Of a value that is no array; what it needs is declared in `text` first.
    std::string name(const Type*);
    /// "float x[4]" of any type; `called` may be a declarator in parentheses. An array has at least one element.
    std::string variable(const Type*, std::string_view called);
    /// NAME_in or NAME_out. An item that is an array lies in a struct, so that it can be assigned.
    void declareItem(const graph::Edge&, std::string_view side);

    std::string text;  ///< definitions of types, in order

private:
    void declareTensors(const graph::Edge&, std::string_view side);
    std::string structure(const Type*);
    std::string declared(const Type*, std::string_view called, const std::string& body);

    std::string prefix;
    std::map<const Type*, std::string> known;
};

/// As a field of a struct is called in C.
std::string fieldName(std::string_view);

}  // namespace strc::csource
