#pragma once
/// A program as a part of other programs that make sound or radio, and the texts by which these find it.

#include <cstdint>
#include <string>
#include <vector>

namespace strc::plugins {

struct Control {
    std::string name, label, unit;
    double low = 0, high = 1, initial = 0;
    double smooth = 0;  ///< seconds
    bool isLogarithmic = false, isInteger = false, isToggle = false;
    std::uint32_t slot = 0;  ///< among the open parameters
};

/// An audio plug-in, of frames of floats.
struct Plugin {
    std::string uri, title;
    std::string binary;  ///< the library's file name
    std::uint32_t inputs = 0, outputs = 0;  ///< channels
    std::int64_t latency = 0;  ///< frames
    double fixedRate = 0;  ///< the only samples a second; 0: any
    std::int64_t rateSlot =
        -1;  ///< of the open parameter that the host's rate goes to; -1: there is none
    std::vector<Control> controls;
};

/// manifest.ttl of an LV2 bundle, and the file that it refers to.
std::string lv2Manifest(const Plugin&, const std::string& description);
std::string lv2Description(const Plugin&);

/// An end of a block of GNU Radio.
struct RadioEnd {
    std::string sample;  ///< numpy's name: "complex64"; empty: there is no such end
    std::string type;  ///< the companion's: "complex"
    std::int64_t length = 1;  ///< samples of an item
};

/// A parameter that a flow graph sets.
struct RadioParameter {
    std::string name, label, unit;
    std::string sample;  ///< numpy's name
    std::string type;  ///< the companion's: "real", "int", "bool", "complex"
    std::string initial;  ///< in Python
};

struct RadioBlock {
    std::string stream;  ///< the main stream, as the library's functions begin
    std::string module;  ///< of Python, and its class
    std::string title;
    std::string library;  ///< file name
    RadioEnd in, out;
    std::int64_t inputItems = 0,
                 outputItems =
                     0;  ///< of a steady state; 0: the items decide, or there is no such end
    std::vector<RadioParameter> parameters;  ///< in the order of the library's
};

/// The module that has the block, and its description for GNU Radio Companion.
std::string radioModule(const RadioBlock&);
std::string radioDescription(const RadioBlock&);

}  // namespace strc::plugins
