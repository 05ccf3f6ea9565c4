#include "driver/detail/sharing_options.h"

#include <regex>
#include <string>

namespace strc::driver {
namespace {

/// Is it what setNetwork (session/option_values.cpp) takes?
bool isNetwork(const std::string& text) {
    static const std::regex form(
        "[0-9]{1,9}(\\.[0-9]{1,9})?(ns|us|ms|s),(?=[0-9.]*[1-9])[0-9]{1,9}(\\.[0-9]{1,9})?[kMGT]["
        "bB]");
    return std::regex_match(text, form);
}

/// Is it what setSplit (session/option_values.cpp) takes?
bool isSplit(const std::string& text) {
    static const std::regex form("([0-9]{1,9}|sums|pairs|auto):(?=[0-9]*[1-9])[0-9]{1,9}");
    return std::regex_match(text, form);
}

}  // namespace

void addNetwork(OptionAdder& add, CLI::App& sub) {
    add.value(sub, "--network", "TIME,RATE",
              "the network between ranks, by which the program is cut: from one to another, and "
              "bits (b) or bytes (B) a second; default: 10us,10Gb",
              [&add](const std::string& text) {
                  if (isNetwork(text))
                      add.set("network", text);
                  else
                      add.wrongValue(text, "--network", "a time and a rate, such as 10us,10Gb");
              });
}

void addSplit(OptionAdder& add, CLI::App& sub) {
    add.value(
        sub, "--split", "DIM:PLACES",
        "large products and convolutions of tensors in parts of so many places of a "
        "dimension of their results (0: the first one), or of what is summed up "
        "(sums:PLACES), which workers share, and ranks; pairs:PLACES: of columns and, where the "
        "next product alone reads them, of its sums; auto:N: in N parts where ranks gain; "
        "default: as it pays workers",
        [&add](const std::string& text) {
            if (isSplit(text))
                add.set("split", text);
            else
                add.wrongValue(
                    text, "--split",
                    "DIM:PLACES, sums:PLACES, pairs:PLACES or auto:PARTS, a dimension from 0 on "
                    "and at least one place,");
        });
}

void checkRanks(const Options& options, base::Diagnostics& diags) {
    if (options.has("ranks")) return;
    const bool isGraph = options.command == Command::Graph;
    for (const std::string word : {"network", "split"})
        if (options.has(word) && (isGraph || word == "network"))
            diags.add(base::Diag::BadCommandLine) << "--" + word + " needs --ranks";
}

}  // namespace strc::driver
