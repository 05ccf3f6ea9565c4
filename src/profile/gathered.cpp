#include "profile/gathered.h"

#include <cstdlib>
#include <new>

namespace strc::profile {
namespace {

std::string taken(char* text) {
    const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
    if (!text) throw std::bad_alloc();
    return text;
}

}  // namespace

Gathered::Gathered(Tables made, std::uint32_t threads)
    : tables(std::move(made)),
      view(tables.view()),
      profile(strc_profile_new(&view, threads, 1), strc_profile_free) {
    if (!profile) throw std::bad_alloc();
}

std::string Gathered::table() const { return taken(strc_profile_table(profile.get())); }
std::string Gathered::json() const { return taken(strc_profile_json(profile.get())); }

}  // namespace strc::profile
