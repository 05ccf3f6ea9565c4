#pragma once
/// What a run in this process gathers (strc/profile.h), with the tables that it is about.

#include <memory>
#include <string>

#include "profile/tables.h"

namespace strc::profile {

class Gathered {
public:
    /// Throws std::bad_alloc.
    Gathered(Tables, std::uint32_t threads);
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;

    strc_profile* handle() const { return profile.get(); }
    /// After the run: for people, and for tools.
    std::string table() const;
    std::string json() const;

private:
    Tables tables;
    strc_profile_tables view;
    std::unique_ptr<strc_profile, void (*)(strc_profile*)> profile;
};

}  // namespace strc::profile
