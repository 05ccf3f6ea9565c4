#include "session/detail/device.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "codegen/device.h"
#include "device/offload.h"
#include "graph/hierarchy.h"
#include "session/products.h"
#include "strc/device.h"

namespace strc::session {

namespace {

using base::Diag;

/// Filters of tensors that the processor does although a device was asked for: a few words, by name and reason.
class Staying {
public:
    Staying(Compilation& made, const device::Offloaded& of)
        : diags(made.context.diags), graph(of.plan.program->graph) {
        for (const device::Stay& stay : of.stays) {
            auto [known, isNew] = counts.try_emplace({graph.nodes[stay.node].name, stay.why}, 0);
            if (isNew) first.push_back(&stay);
            ++known->second;
        }
    }

    void tell() {
        constexpr std::size_t kMost = 4;
        std::size_t told = 0, rest = 0;
        for (const device::Stay* stay : first) {
            const std::size_t count = counts.at({graph.nodes[stay->node].name, stay->why});
            ++told <= kMost ? tell(*stay, count) : void(rest += count);
        }
        if (rest > 0)
            diags.add(Diag::Hint) << fmt::format(
                "{} more filter{} of tensors stay{} on the processor", rest, rest == 1 ? "" : "s",
                rest == 1 ? "s" : "");
    }

private:
    void tell(const device::Stay& stay, std::size_t count) {
        const graph::Node& node = graph.nodes[stay.node];
        const std::string others = count > 1 ? fmt::format(" (and {} more instance{} of it)",
                                                           count - 1, count == 2 ? "" : "s")
                                             : "";
        diags.add(Diag::Hint, node.range).in(graph::path(graph, stay.node))
            << "this filter stays on the processor, since " + stay.why + others;
    }

    base::Diagnostics& diags;
    const graph::Graph& graph;
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    std::vector<const device::Stay*> first;
};

class Parting {
public:
    Parting(Compilation& made, const Settings& wanted, DeviceFor who)
        : program(made), settings(wanted), product(who) {}

    std::shared_ptr<const codegen::DevicePart> run(const codegen::Options& how) {
        if (!isWanted()) return nullptr;
        auto parts = std::make_shared<device::Offloaded>(device::offload(
            program.context, program.module, *program.plan, *program.program.types, how.fastMath));
        if (!parts->why.empty()) {
            unsupported(parts->why, kNothing);
            return nullptr;
        }
        auto part = codegen::lowerForDevice(program.context, *program.program.types, program.module,
                                            parts, how);
        if (!part) {
            unsupported(part.error());
            return nullptr;
        }
        if (!isAuto()) Staying(program, *parts).tell();
        part->ordinal = settings.device.ordinal;
        if (settings.device.kind == Device::Auto && product == DeviceFor::Executable)
            part->fallback = &*program.plan;
        return std::make_shared<const codegen::DevicePart>(std::move(*part));
    }

    void refuse(const std::string& why) {
        if (settings.device.kind != Device::Cpu) unsupported(why, kNothing);
    }

private:
    static constexpr const char* kNothing = "nothing of it can be on a device, since ";

    bool isAuto() const { return settings.device.kind == Device::Auto; }

    bool isWanted() {
        if (settings.device.kind == Device::Cpu) return false;
        if (program.elaboration.dynamicShape) {
            unsupported(elab::whyDynamicShape(program.elaboration), kNothing);
            return false;
        }
        if (std::string why = whyNoCode(); !why.empty()) {
            unsupported(why);
            return false;
        }
        strc_device_error error{};
        if (!isAuto() || product == DeviceFor::Executable ||
            strc_device_functions.probe(settings.device.ordinal, &error) == 0)
            return true;
        unsupported(error.text);
        return false;
    }

    std::string whyNoCode() const {
        if (settings.isShared || settings.atOnce) return "libraries run where they are called";
        if (settings.isStatic && product == DeviceFor::Executable)
            return "static executables cannot load a driver";
        if (!settings.target.empty() && product == DeviceFor::Executable)
            return "executables for another machine have no part on a device";
        return codegen::whyNoDevice();
    }

    /// Who leaves the choice to the compiler gets the processor, and a word.
    void unsupported(const std::string& why, const std::string& what = {}) {
        if (!isAuto()) return reportCannotCompile(program, what + why);
        program.context.diags.add(Diag::Hint, mainHeader(program))
            << std::string(STRC_NO_DEVICE) + why;
    }

    Compilation& program;
    const Settings& settings;
    DeviceFor product;
};

}  // namespace

std::shared_ptr<const codegen::DevicePart> devicePart(Compilation& program,
                                                      const Settings& settings,
                                                      const codegen::Options& how, DeviceFor who) {
    return Parting(program, settings, who).run(how);
}

void checkDevice(Compilation& program, const Settings& settings, const std::string& why) {
    Parting(program, settings, DeviceFor::Here).refuse(why);
}

}  // namespace strc::session
