#include "ir/contraction.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace strc::ir {
namespace {

using Row = std::vector<std::int32_t>;

constexpr std::int32_t kHasBounds = 1, kHasParts = 2, kOneWindow = 4;
constexpr std::size_t kPlain = 4;  ///< columns without addends

Row rowOf(std::int32_t first, std::int32_t out, std::int32_t a, std::int32_t b,
          std::span<const std::int32_t> added) {
    Row row{first, out, a, b};
    row.insert(row.end(), added.begin(), added.end());
    return row;
}

constexpr std::int32_t kNoLoop = -1;

std::int32_t toNumber(const std::optional<std::size_t>& loop) {
    return loop ? static_cast<std::int32_t>(*loop) : kNoLoop;
}

std::optional<std::size_t> toLoop(std::int32_t number) {
    return number == kNoLoop ? std::nullopt : std::optional(static_cast<std::size_t>(number));
}

/// Takes the windows from the end.
std::vector<Window> takeWindows(std::vector<Row>& rows, std::int32_t count) {
    // A table that was read may say anything; verify() finds that it does not fit.
    const auto known = std::min(static_cast<std::size_t>(std::max(count, 0)), rows.size() - 1);
    std::vector<Window> windows;
    for (std::size_t k = rows.size() - known; k < rows.size(); ++k)
        windows.push_back({toLoop(rows[k][0]), toLoop(rows[k][1]), rows[k][2]});
    rows.resize(rows.size() - known);
    return windows;
}

std::vector<Row> tableOf(const Instr& instr) {
    const auto columns = static_cast<std::size_t>(instr.value.type->element->extent);
    std::vector<Row> rows(static_cast<std::size_t>(instr.value.type->extent), Row(columns));
    for (std::size_t k = 0; k < rows.size(); ++k)
        std::memcpy(rows[k].data(), instr.value.bytes.data() + k * columns * sizeof(std::int32_t),
                    columns * sizeof(std::int32_t));
    return rows;
}

}  // namespace

Contraction contractionOf(const Instr& instr) {
    std::vector<Row> rows = tableOf(instr);
    Contraction result;
    result.addends = rows[0].size() - kPlain;
    result.out = rows[0][1];
    result.a = rows[0][2];
    result.b = rows[0][3];
    std::copy(rows[0].begin() + kPlain, rows[0].end(), result.added.begin());
    if ((rows[0][0] & kHasParts) != 0) {
        result.parts = {static_cast<std::size_t>(rows.back()[0]), rows.back()[1],
                        rows.back()[2] != 0};
        rows.pop_back();
    }
    if ((rows[0][0] & kHasBounds) != 0) {
        result.bounds = {std::bit_cast<float>(rows.back()[0]),
                         std::bit_cast<float>(rows.back()[1])};
        rows.pop_back();
    }
    result.windows = takeWindows(rows, rows[0][0] / kOneWindow);
    for (std::size_t k = 1; k < rows.size(); ++k) {
        ContractionLoop& loop = result.loops.emplace_back(
            ContractionLoop{rows[k][0], rows[k][1], rows[k][2], rows[k][3]});
        std::copy(rows[k].begin() + kPlain, rows[k].end(), loop.added.begin());
    }
    return result;
}

bool contracts(const Body& body, bool (*how)(const Contraction&)) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), [&](const Instr& instr) {
            return instr.op == Op::Contract && how(contractionOf(instr));
        });
    });
}

Value toValue(const Contraction& contraction, types::TypeTable& types) {
    auto first = [&](const std::array<std::int32_t, kMostAddends>& all) {
        return std::span(all).first(contraction.addends);
    };
    const std::int32_t flags = (contraction.bounds.areAny() ? kHasBounds : 0) +
                               (contraction.parts ? kHasParts : 0) +
                               static_cast<std::int32_t>(contraction.windows.size()) * kOneWindow;
    std::vector<Row> rows{
        rowOf(flags, contraction.out, contraction.a, contraction.b, first(contraction.added))};
    for (const ContractionLoop& loop : contraction.loops)
        rows.push_back(rowOf(loop.trips, loop.out, loop.a, loop.b, first(loop.added)));
    for (const Window& window : contraction.windows) {
        Row row = rowOf(toNumber(window.place), toNumber(window.tap), window.step, 0, {});
        row.resize(rows[0].size());
        rows.push_back(std::move(row));
    }
    if (contraction.bounds.areAny()) {
        Row bounds(rows[0].size());
        bounds[0] = std::bit_cast<std::int32_t>(contraction.bounds.low);
        bounds[1] = std::bit_cast<std::int32_t>(contraction.bounds.high);
        rows.push_back(std::move(bounds));
    }
    if (contraction.parts) {
        Row parts(rows[0].size());
        parts[0] = static_cast<std::int32_t>(contraction.parts->loop);
        parts[1] = contraction.parts->trips;
        parts[2] = contraction.parts->isPaired;
        rows.push_back(std::move(parts));
    }
    std::string bytes;
    for (const Row& row : rows)
        bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof row[0]);
    const Type* row = types.array(types.intType(), static_cast<std::int64_t>(rows[0].size()));
    return {types.array(row, static_cast<std::int64_t>(rows.size())), std::move(bytes)};
}

void dropSingleLoops(Contraction& contraction) {
    std::vector<std::optional<std::size_t>> now;
    std::vector<ContractionLoop> kept;
    for (const ContractionLoop& loop : contraction.loops) {
        now.push_back(loop.trips == 1 ? std::nullopt : std::optional(kept.size()));
        if (loop.trips != 1) kept.push_back(loop);
    }
    contraction.loops = std::move(kept);
    auto rename = [&](std::optional<std::size_t>& loop) {
        if (loop) loop = now[*loop];
    };
    for (Window& window : contraction.windows) {
        rename(window.place);
        rename(window.tap);
    }
    if (!contraction.parts) return;
    if (const std::optional<std::size_t> loop = now[contraction.parts->loop])
        contraction.parts->loop = *loop;
    else
        contraction.parts.reset();
}

Contraction swapped(Contraction contraction) {
    contraction.windows.clear();
    std::swap(contraction.a, contraction.b);
    for (ContractionLoop& loop : contraction.loops) std::swap(loop.a, loop.b);
    return contraction;
}

bool follows(const ContractionLoop& before, const ContractionLoop& loop) {
    bool does = before.out == loop.out * loop.trips && before.a == loop.a * loop.trips &&
                before.b == loop.b * loop.trips;
    for (std::size_t k = 0; k < kMostAddends; ++k)
        does = does && before.added[k] == loop.added[k] * loop.trips;
    return does;
}

std::int64_t countProducts(const Contraction& contraction) {
    std::int64_t count = 1;
    for (const ContractionLoop& loop : contraction.loops) count *= loop.trips;
    return count;
}

bool fits(const Contraction& contraction, std::int64_t out, std::int64_t a, std::int64_t b,
          std::span<const std::int64_t> addends) {
    using Step = std::function<std::int32_t(const ContractionLoop&)>;
    auto reaches = [&](std::int64_t first, const Step& step, std::int64_t length) {
        std::int64_t least = first, most = first;
        for (const ContractionLoop& loop : contraction.loops) {
            const std::int64_t way = static_cast<std::int64_t>(loop.trips - 1) * step(loop);
            (way < 0 ? least : most) += way;
        }
        return least >= 0 && most < length;
    };
    for (std::size_t k = 0; k < contraction.addends; ++k)
        if (!reaches(
                contraction.added[k], [k](const ContractionLoop& loop) { return loop.added[k]; },
                addends[k]))
            return false;
    const bool isEmpty = std::any_of(contraction.loops.begin(), contraction.loops.end(),
                                     [](const ContractionLoop& loop) { return loop.trips < 1; });
    return !isEmpty && reaches(contraction.out, &ContractionLoop::out, out) &&
           reaches(contraction.a, &ContractionLoop::a, a) &&
           reaches(contraction.b, &ContractionLoop::b, b);
}

}  // namespace strc::ir
