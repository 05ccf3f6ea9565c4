#include "io/devices.h"

#include "base/assert.h"
#include "io/faults.h"
#include "strc/files/sound_device.h"

namespace strc::io {

bool isSoundDevice(const std::string& name) { return strc_is_sound_device(name.c_str()) != 0; }

base::Result<int> deviceRate(const std::string& name) {
    Faults faults;
    strc_sound_device* device = strc_sound_device_open(name.c_str(), 0, 1, faults.origin());
    if (!device) {
        const std::optional<base::Failure> told = faults.take();
        STRC_ASSERT(told, "a device failed without a word");
        return *told;
    }
    const int rate = strc_sound_device_rate(device);
    strc_sound_device_close(device, 0);
    return rate;
}

}  // namespace strc::io
