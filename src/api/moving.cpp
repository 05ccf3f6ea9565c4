// Parameters that move to a new value.
#include "api/detail/moving.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "api/detail/stream.h"

namespace strc::api {
namespace {

using types::Type;
using types::TypeKind;

std::optional<double> numberOf(const Type* type, const void* at) {
    switch (type->kind) {
        case TypeKind::Int: {
            std::int32_t value;
            std::memcpy(&value, at, sizeof value);
            return value;
        }
        case TypeKind::Float: {
            float value;
            std::memcpy(&value, at, sizeof value);
            return value;
        }
        case TypeKind::Double: {
            double value;
            std::memcpy(&value, at, sizeof value);
            return value;
        }
        default: return std::nullopt;
    }
}

types::Value valueOf(const Type* type, double number) {
    if (type->is(TypeKind::Int))
        return types::Value::of(type, static_cast<std::int32_t>(std::lround(number)));
    if (type->is(TypeKind::Float)) return types::Value::of(type, static_cast<float>(number));
    return types::Value::of(type, number);
}

/// Seconds; 0: it jumps.
double smoothOf(const strc_stream& stream, const std::string& parameter) {
    for (const plugins::Range& range : stream.compiler->program.annotations.ranges)
        if (range.parameter == parameter) return range.smooth;
    return 0;
}

const void* whereIs(const strc_stream& stream, std::uint32_t number) {
    return stream.flow->parameters + std::size_t{number} * STRC_PARAMETER_BYTES;
}

}  // namespace

bool MovingParameters::begin(strc_stream& stream, const std::string& parameter,
                             std::uint32_t number, const types::Value& value) {
    forget(parameter);
    const double seconds = takesTime ? smoothOf(stream, parameter) : 0;
    const auto from = numberOf(value.type, whereIs(stream, number)),
               to = numberOf(value.type, value.bytes.data());
    if (seconds <= 0 || !from || !to || !std::isfinite(*from) || !std::isfinite(*to)) return false;
    ways.push_back({parameter, *from, *to, Clock::now(), seconds});
    return true;
}

void MovingParameters::forget(const std::string& parameter) {
    std::erase_if(ways, [&](const Way& way) { return way.parameter == parameter; });
}

void MovingParameters::go(strc_stream& stream, Clock::time_point now) {
    std::erase_if(ways, [&](const Way& way) { return arrives(stream, way, now); });
}

/// True: it is there, or cannot be set, which has been told.
bool MovingParameters::arrives(strc_stream& stream, const Way& way, Clock::time_point now) {
    const session::Compilation& program = stream.compiler->program;
    const std::chrono::duration<double> passed = now - way.start;
    const double part = std::min(passed.count() / way.seconds, 1.0);
    const std::vector<types::Value>& open = program.plan->program->openValues;
    for (std::size_t k = 0; k < open.size(); ++k) {
        if (program.module.open[k].name != way.parameter ||
            !numberOf(open[k].type, open[k].bytes.data()))
            continue;
        const double at = part < 1 ? way.from + part * (way.to - way.from) : way.to;
        const types::Value value = valueOf(open[k].type, at);
        const strc_status done =
            stream.set(static_cast<std::uint32_t>(k), value.bytes.data(), value.bytes.size());
        return done != STRC_OK || part == 1;
    }
    return true;
}

}  // namespace strc::api
