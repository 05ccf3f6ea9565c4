#include "session/device.h"

#include "codegen/device.h"
#include "device/offload.h"
#include "session/products.h"
#include "strc/device.h"

namespace strc::session {

namespace {

class Parting {
public:
    Parting(Compilation& made, const Settings& wanted, DeviceFor who)
        : program(made), settings(wanted), product(who) {}

    std::shared_ptr<const codegen::DevicePart> run(const codegen::Options& how) {
        if (!isWanted()) return nullptr;
        auto parts = std::make_shared<device::Offloaded>(device::offload(
            program.context, program.module, *program.plan, *program.program.types));
        if (!parts->why.empty()) {
            unsupported("nothing of it can be on a device, since " + parts->why);
            return nullptr;
        }
        auto part = codegen::lowerForDevice(program.context, program.module, parts, how);
        if (!part) {
            unsupported(part.error());
            return nullptr;
        }
        part->ordinal = settings.device.ordinal;
        if (settings.device.kind == Device::Auto && product == DeviceFor::Executable)
            part->fallback = &*program.plan;
        return std::make_shared<const codegen::DevicePart>(std::move(*part));
    }

private:
    bool isAuto() const { return settings.device.kind == Device::Auto; }

    bool isWanted() {
        if (settings.device.kind == Device::Cpu) return false;
        if (std::string why = whyNoCode(); !why.empty()) {
            unsupported(why);
            return false;
        }
        strc_device_error error{};
        return !isAuto() || product == DeviceFor::Executable ||
               strc_device_functions.probe(settings.device.ordinal, &error) == 0;
    }

    std::string whyNoCode() const {
        if (settings.isShared || settings.atOnce) return "libraries run where they are called";
        if (settings.isStatic && product == DeviceFor::Executable)
            return "static executables cannot load a driver";
        if (!settings.target.empty() && product == DeviceFor::Executable)
            return "executables for another machine have no part on a device";
        return codegen::whyNoDevice();
    }

    /// Who leaves the choice to the compiler gets the processor.
    void unsupported(const std::string& why) {
        if (!isAuto()) reportCannotCompile(program, why);
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

}  // namespace strc::session
