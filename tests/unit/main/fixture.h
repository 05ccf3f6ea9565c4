#pragma once
/// The parts of executables alone: messages of a program that has no code, files in a folder of their own.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/diagnostics.h"

extern "C" {
#include "messages.h"
#include "strc/files/sink.h"
#include "strc/files/supply.h"
}

namespace strc::testing {

constexpr strc_origin kNowhere = STRC_ORIGIN(0, 0);

class MainTest : public ::testing::Test {
protected:
    MainTest() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "strc-main-XXXXXX").string();
        folder = mkdtemp(pattern.data());
        addMessages();
        about.texts = texts.data();
        about.messages = messages.data();
        about.types = types;
        strc_messages_begin(&about, "program");
    }
    ~MainTest() override {
        takeMessages();
        std::filesystem::remove_all(folder);
    }

    /// What was reported since the last time.
    static std::string takeMessages() {
        ::testing::internal::CaptureStderr();
        strc_messages_show();
        return ::testing::internal::GetCapturedStderr();
    }

    std::string file(const std::string& name, const std::string& contents) {
        std::ofstream(folder / name, std::ios::binary) << contents;
        return (folder / name).string();
    }
    std::string path(const std::string& name) const { return (folder / name).string(); }
    static std::string contents(const std::string& path) {
        std::ostringstream all;
        all << std::ifstream(path, std::ios::binary).rdbuf();
        return all.str();
    }

    strc_text text(std::string_view wanted) {
        auto at = static_cast<strc_text>(texts.size());
        texts += wanted;
        texts += '\0';
        return at;
    }
    strc_item intItem() const {
        strc_item item{};
        item.type = &types[0];
        item.types = types;
        item.name = "int";
        return item;
    }

    std::filesystem::path folder;
    std::string texts = std::string(1, '\0');
    std::vector<strc_message> messages;
    strc_type types[2] = {{STRC_INT, 0, 0, 4}, {STRC_ARRAY, 0, 3, 12}};
    strc_executable about{};

private:
    void addMessages() {
        texts.reserve(10000);  // pointers into it stay
        for (base::Diag id : {
#define STRC_MESSAGE(Id) base::Diag::Id,
#include "strc/messages.def"
#undef STRC_MESSAGE
             })
            messages.push_back({text(base::info(id).text), text(base::info(id).name)});
    }
};

}  // namespace strc::testing
