#pragma once
/// Types of items and variables. Interned: two types are equal iff their pointers are.
///
/// Meaning of the scalar types (language.md 4.1): `int` is 32-bit two's complement and wraps;
/// shift counts are modulo 32; division truncates; `float` is binary32, every operation rounded,
/// never contracted; `double` is binary64; `bit` is one bit; `complex` is a pair of floats.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/names.h"
#include "base/source.h"

namespace strc::types {

enum class TypeKind : std::uint8_t {
    Error,  ///< absorbs follow-on errors
    Void,
    Boolean,
    Bit,
    Int,
    Float,
    Double,
    Complex,
    Float2,
    Float3,
    Float4,
    Char,
    String,
    Portal,
    Array,
    Struct,
    Tensor,
    Vector,  ///< of the IR alone, made by passes: so many scalars of one type in a register
    // Elements of tensors only.
    Int8,
    Long,
    Half,
    BFloat16,
};

/// Extent of an array whose bound depends on the stream instance (a parameter, a field), or of a
/// tensor's dimension that is not known yet.
constexpr std::int64_t kDynamic = -1;

struct Type;

struct StructField {
    base::Name name;
    const Type* type = nullptr;
    std::int64_t offset = 0;  ///< bytes; set by TypeTable::complete
    base::SourceRange range;
};

/// One struct declaration. Bounds of its arrays may use globals, whose values are known only when
/// the static block has run: until `complete` the types of such fields have dynamic extents.
struct StructInfo {
    base::Name name;
    std::vector<StructField> fields;
    std::int64_t size = 0;
    std::int64_t align = 1;
    bool isComplete = false;
    base::SourceRange range;

    /// Index of a field, or -1.
    int find(base::Name field) const;
};

struct Type {
    TypeKind kind = TypeKind::Error;
    const Type* element = nullptr;     ///< Array, Vector; Tensor: null until it is inferred
    std::int64_t extent = 0;           ///< Array: items, or kDynamic; Vector: lanes
    StructInfo* structure = nullptr;   ///< Struct
    base::Name portalClass;            ///< Portal: the receiver's stream
    bool isRanked = false;             ///< Tensor: the number of dimensions is known
    std::vector<std::int64_t> dims;    ///< Tensor: extents, outermost first, or kDynamic

    bool is(TypeKind k) const { return kind == k; }
    bool isError() const { return kind == TypeKind::Error; }
    bool isAggregate() const { return kind == TypeKind::Array || kind == TypeKind::Struct; }
    bool isFloatN() const { return kind >= TypeKind::Float2 && kind <= TypeKind::Float4; }
    bool isReal() const { return kind >= TypeKind::Bit && kind <= TypeKind::Double; }
    bool isNumeric() const { return kind >= TypeKind::Bit && kind <= TypeKind::Complex; }
    /// One that a register holds. Also a tensor, until `tensor::expand` has made arrays of them.
    bool isScalar() const { return !isAggregate() && kind != TypeKind::Void && !isError(); }
    /// Components of float2, float3, float4.
    int components() const {
        return 2 + static_cast<int>(kind) - static_cast<int>(TypeKind::Float2);
    }
};

/// Lanes of a vector; 0: it is none.
inline std::int64_t lanesOf(const Type* type) {
    return type->is(TypeKind::Vector) ? type->extent : 0;
}
/// What each lane of a vector has; any other type is its own.
inline const Type* laneType(const Type* type) {
    return type->is(TypeKind::Vector) ? type->element : type;
}

/// A null pointer is no tensor.
inline bool isTensor(const Type* type) { return type && type->is(TypeKind::Tensor); }

/// Bytes of one value as it lies in memory, on channels and in Value: boolean, bit, char 1 (0 or 1
/// for the first two); int, float, portal 4; double 8; complex 8 (real, imag); floatN 4N. A vector is
/// lane after lane; of complex numbers all real parts, then all imaginary ones. Arrays
/// and tensors are packed, row-major; structs are packed in declaration order with every field
/// aligned to alignOf(field) and the size rounded up. kDynamic if an extent is.
std::int64_t sizeOf(const Type*);
std::int64_t alignOf(const Type*);
/// True if no extent inside is dynamic and all structs are complete.
bool isConcrete(const Type*);
/// What an array of arrays is made of: float for float[3][4].
const Type* innermost(const Type*);
/// Number of array dimensions; those of a tensor, if they are known, else 0.
int rank(const Type*);

/// "int", "float[4][2]", "P", "portal<Rx>", "tensor<float>[1, _]", "vector<float, 8>"; a dynamic extent of an array prints
/// as "?", of a tensor as "_".
std::string toString(const Type*);

/// Same shape of type when dynamic extents match anything: what can be said before extents are
/// known (sema); after elaboration compare pointers. Tensors: what is not known matches anything.
bool compatible(const Type*, const Type*);

/// May be the element type of a tensor.
bool isTensorElement(const Type*);
/// Scalars in a concrete tensor; INT64_MAX if there are more than that.
std::int64_t countElements(const Type* tensor);

class TypeTable {
public:
    TypeTable();
    TypeTable(const TypeTable&) = delete;
    TypeTable& operator=(const TypeTable&) = delete;

    const Type* scalar(TypeKind kind) const { return scalars[static_cast<int>(kind)]; }
    const Type* error() const { return scalar(TypeKind::Error); }
    const Type* voidType() const { return scalar(TypeKind::Void); }
    const Type* boolean() const { return scalar(TypeKind::Boolean); }
    const Type* bit() const { return scalar(TypeKind::Bit); }
    const Type* intType() const { return scalar(TypeKind::Int); }
    const Type* floatType() const { return scalar(TypeKind::Float); }
    const Type* doubleType() const { return scalar(TypeKind::Double); }
    const Type* complex() const { return scalar(TypeKind::Complex); }
    const Type* string() const { return scalar(TypeKind::String); }
    const Type* array(const Type* element, std::int64_t extent);
    const Type* vector(const Type* element, std::int64_t lanes);
    /// The same with a vector of so many lanes in the place of each scalar.
    const Type* inLanes(const Type*, std::int64_t lanes);
    /// The same with an array of its lanes in the place of each vector; of complex numbers an array of two. Bytes stay where
    /// they are.
    const Type* withoutVectors(const Type*);
    const Type* portal(base::Name receiverClass);
    /// A tensor of any element type (null) and any shape.
    const Type* tensor(const Type* element = nullptr);
    /// The tensor type of that shape; single extents may be kDynamic.

    const Type* tensor(const Type* element, std::vector<std::int64_t> dims);
    /// A fresh struct type; its fields are filled in by the caller, then `complete` lays it out.
    const Type* structure(base::Name name, base::SourceRange range);
    /// Computes offsets and size; every field must be concrete by now.
    void complete(StructInfo&);

private:
    const Type* add(Type);
    template <typename Change>
    const Type* changedStructure(const Type*, std::int64_t lanes, Change);
    const Type* several(TypeKind, const Type* element, std::int64_t extent);
    std::vector<std::unique_ptr<Type>> types;
    std::vector<std::unique_ptr<StructInfo>> structs;
    std::map<std::pair<const Type*, std::int64_t>, const Type*>
        structsInLanes;  ///< 0: without vectors
    std::vector<const Type*> scalars;  ///< by kind; those between are null
    std::unordered_map<std::string, const Type*> derived;
};

}  // namespace strc::types
