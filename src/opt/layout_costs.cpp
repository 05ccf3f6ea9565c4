#include "opt/detail/layout_costs.h"

#include <algorithm>
#include <optional>

#include "opt/detail/tensor_body.h"
#include "target/model.h"
#include "tensor/expand.h"

namespace strc::opt {
namespace {

using ir::Instr;
using types::TensorFn;
using types::Type;
using types::TypeKind;

/// Cycles for a product of vectors that are in registers, for one that waits for its vector, for reading one that lies across
/// lines, and for packing one.
constexpr double kProduct = 0.5, kLoad = 0.55, kUnaligned = 1, kPack = 2.5;
/// A product with weights that are packed each time: of groups of channels.
constexpr double kPacked = 1;
constexpr std::int64_t kMostTileRows = 14;
constexpr std::int64_t kTileVectors = 2;  ///< of a high tile

/// A convolution over rows and columns.
struct Shape {
    double images, groups;
    std::int64_t channels;  ///< of the result, of a group
    std::int64_t rows, columns;  ///< of the result
    std::int64_t sums;  ///< products for each element
    bool isDense;  ///< places of the image follow each other as those of the result do
    bool hasSteps;  ///< neighbours of the result are of places apart

    double perGroup() const { return images * groups * static_cast<double>(sums); }
    std::int64_t places() const { return rows * columns; }
};

std::optional<Shape> shapeOf(const Instr& instr, const TensorFacts& facts) {
    const Type* result = facts.types[instr.result];
    const Type* weights = facts.types[instr.operands[1]];
    const bool isReal =
        result && (result->element->is(TypeKind::Float) || result->element->is(TypeKind::Double));
    if (!isReal || !weights || weights->dims.size() != 4 || result->dims.size() != 4)
        return std::nullopt;
    auto number = [&](std::size_t k) { return facts.constants[instr.operands[k]]->toInt(); };
    Shape shape{};
    const std::int64_t groups = number(instr.operands.size() - 1);
    shape.images = static_cast<double>(result->dims[0]);
    shape.groups = static_cast<double>(groups);
    shape.channels = result->dims[1] / groups;
    shape.rows = result->dims[2];
    shape.columns = result->dims[3];
    shape.sums = weights->dims[1] * weights->dims[2] * weights->dims[3];
    shape.hasSteps = number(3) > 1;
    shape.isDense = shape.sums == weights->dims[1] && number(2) == 1 && !shape.hasSteps;
    return shape;
}

/// What convolutions cost on a processor.
class ConvolutionCosts {
public:
    explicit ConvolutionCosts(const target::Model& target)
        : lanes(target.lanes(sizeof(float))),
          rows(std::min(kMostTileRows,
                        (target.vectorRegisters - 2 - kTileVectors) / kTileVectors)) {}

    /// Vectors along the places; what lies in short lines, or apart, is packed or read in pieces.
    double rowByRow(const Shape& shape) const {
        const auto channels = static_cast<double>(shape.channels);
        const double inLines = static_cast<double>(shape.rows) * vectors(shape.columns);
        if (shape.channels == 1)
            return shape.perGroup() * inLines * (shape.hasSteps ? 2 : 1) * kUnaligned;
        if (shape.isDense) return shape.perGroup() * channels * vectors(shape.places()) * kProduct;
        const double perVector =
            std::max(kProduct, kProduct / 2 + 1.5 * kUnaligned / 2 /
                                                  std::min(channels, static_cast<double>(rows)));
        const double direct = channels * inLines * perVector * (shape.hasSteps ? 2 : 1);
        const double pack = shape.hasSteps ? 2 * kPack : kPack;
        return shape.perGroup() *
               std::min(direct, vectors(shape.places()) * (channels * kProduct + pack));
    }

    /// Vectors along the channels of the result, whose weights were packed beforehand.
    double channelsLast(const Shape& shape) const {
        const auto places = static_cast<double>(shape.places());
        if (shape.channels == 1) {
            const double across = vectors(static_cast<std::int64_t>(shape.groups));
            return shape.images * static_cast<double>(shape.sums) * places * across * kLoad;
        }
        const bool isNarrow = shape.channels <= lanes;
        const double each = shape.groups > 1 ? kPacked : isNarrow ? kLoad : kProduct;
        return shape.perGroup() * places * vectors(shape.channels) * each;
    }

private:
    double vectors(std::int64_t count) const {
        return static_cast<double>((count + lanes - 1) / lanes);
    }

    const std::int64_t lanes, rows;  ///< elements of a vector; rows of a tile of registers
};

}  // namespace

std::int64_t countImageElements(const std::vector<const Type*>& items) {
    std::int64_t count = 0;
    for (const Type* item : items)
        if (tensor::isImage(item)) count += types::countElements(item);
    return count;
}

LayoutCosts layoutCosts(const elab::Kernel& kernel, types::TypeTable& types) {
    // The costs above were measured with vectors of 16 floats, and hold for no others.
    const ConvolutionCosts costsOn{target::Model{}};
    const TensorFacts facts = factsOf(kernel, types);
    const ir::Body& body = *kernel.code.work;
    LayoutCosts costs;
    for (const Instr& instr : body.blocks[body.entry].instrs) {
        if (instr.op != ir::Op::Tensor) continue;
        if (instr.tensor == TensorFn::Conv) {
            const std::optional<Shape> shape = shapeOf(instr, facts);
            if (!shape) continue;
            costs.rowByRow += costsOn.rowByRow(*shape);
            costs.channelsLast += costsOn.channelsLast(*shape);
        } else if (types::readsInOrder(instr.tensor)) {
            const Type* operand = facts.types[instr.operands[0]];
            if (operand) costs.channelsLast += static_cast<double>(countImageElements({operand}));
        }
    }
    return costs;
}

}  // namespace strc::opt
