#include "repl/json.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace strc::repl {

using nlohmann::ordered_json;

namespace {

/// Places are counted in characters outside and in bytes inside.
std::uint32_t toBytes(std::string_view text, std::int64_t characters) {
    std::size_t at = 0;
    for (; at < text.size() && characters > 0; --characters) {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    }
    return static_cast<std::uint32_t>(at);
}

std::int64_t toCharacters(std::string_view text, std::uint32_t bytes) {
    std::int64_t count = 0;
    for (std::size_t k = 0; k < bytes && k < text.size(); ++k)
        if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80) ++count;
    return count;
}

/// Far below what writing and freeing a value, which go down it level by level, can take.
constexpr int kMostNested = 100;

/// Parses a line. Values that are nested too deeply are dropped while they are read, so they take no memory.
ordered_json parse(std::string_view line, bool& isTooDeep) {
    isTooDeep = false;
    auto keep = [&](int depth, ordered_json::parse_event_t event, ordered_json&) {
        using Event = ordered_json::parse_event_t;
        const bool opens = event == Event::object_start || event == Event::array_start;
        if (!opens || depth < kMostNested) return true;
        isTooDeep = true;
        return false;
    };
    return ordered_json::parse(line, keep, false);
}

std::string dump(const ordered_json& made) {
    return made.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// Bytes at the end that begin a character and lack its rest.
std::size_t openBytes(std::string_view text) {
    for (std::size_t k = 1; k <= 3 && k <= text.size(); ++k) {
        const auto byte = static_cast<unsigned char>(text[text.size() - k]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return wanted > k ? k : 0;
    }
    return 0;
}

/// As the last member: a value may be large, and is JSON already.
std::string withValue(std::string answer, const std::string& value) {
    if (!value.empty()) answer.insert(answer.rfind('}'), ",\"value\":" + value);
    return answer;
}

}  // namespace

struct JsonSession::Inside {
    Inside(Callbacks callbacks, bool events, std::function<void(const std::string&)> to)
        : withEvents(events), write(std::move(to)) {
        callbacks.show = [this](std::string_view text) { shown(text); };
        session = std::make_unique<Session>(std::move(callbacks));
    }

    void shown(std::string_view text) {
        if (!withEvents) {
            output += text;
            return;
        }
        begun += text;
        const std::size_t rest = openBytes(begun);
        send(begun.substr(0, begun.size() - rest));
        begun.erase(0, begun.size() - rest);
    }

    void send(const std::string& text) const {
        if (!text.empty()) write(dump({{"event", "output"}, {"id", id}, {"text", text}}));
    }

    void eval(const std::string& text, ordered_json& made) {
        output.clear();
        const Answer answer = session->evaluate(text);
        send(std::exchange(begun, {}));
        made["declared"] = answer.hasDeclared;
        made["ok"] = answer.isFine;
        made["output"] = output;
        if (!answer.type.empty()) made["type"] = answer.type;
        value = answer.value;
        made["diagnostics"] = ordered_json::array();
        for (const Message& each : answer.messages) {
            ordered_json told = ordered_json::parse(each.json, nullptr, false);
            told["text"] = each.text;
            made["diagnostics"].push_back(std::move(told));
        }
        made["interrupted"] = answer.isInterrupted;
        made["quit"] = answer.isEnd;
        made["seconds"] = answer.seconds;
        isOver = answer.isEnd;
    }

    void complete(const std::string& text, const ordered_json& asked, ordered_json& made) const {
        const std::int64_t all = toCharacters(text, static_cast<std::uint32_t>(text.size()));
        std::int64_t cursor = all;
        if (asked.contains("cursor") && asked["cursor"].is_number_integer())
            cursor = asked["cursor"].get<std::int64_t>();
        const Completion found = session->complete(text, toBytes(text, cursor));
        made["from"] = toCharacters(text, found.begin);
        made["to"] = toCharacters(text, found.end);
        made["items"] = ordered_json::array();
        for (const Candidate& each : found.candidates)
            made["items"].push_back(
                {{"text", each.text}, {"kind", each.kind}, {"about", each.about}});
    }

    void tokens(const std::string& text, ordered_json& made) const {
        made["tokens"] = ordered_json::array();
        std::uint32_t bytes = 0;
        std::int64_t characters = 0;  // before `bytes`
        auto place = [&](std::uint32_t to) {
            characters += toCharacters(std::string_view(text).substr(bytes), to - bytes);
            bytes = to;
            return characters;
        };
        for (const Coloured& each : session->colour(text)) {
            const std::int64_t begin = place(each.begin);
            made["tokens"].push_back({begin, place(each.end), each.kind});
        }
    }

    void answerTo(const ordered_json& asked, ordered_json& made) {
        const bool hasText = asked.contains("text") && asked["text"].is_string();
        const std::string text = hasText ? asked["text"].get<std::string>() : std::string();
        const bool hasOp = asked.contains("op") && asked["op"].is_string();
        const std::string op = hasOp ? asked["op"].get<std::string>() : std::string();
        if (op == "eval" && hasText) {
            if (asked.contains("width") && asked["width"].is_number_integer())
                session->setWidth(asked["width"].get<std::size_t>());
            if (asked.contains("value") && asked["value"].is_boolean())
                session->setValues(asked["value"].get<bool>());
            if (asked.contains("color") && asked["color"].is_boolean())
                session->setColour(asked["color"].get<bool>());
            return eval(text, made);
        }
        if (op == "check" && hasText) {
            made["complete"] = isComplete(text);
            made["depth"] = openBrackets(text);
            return;
        }
        if (op == "complete" && hasText) return complete(text, asked, made);
        if (op == "tokens" && hasText) return tokens(text, made);
        made["error"] = hasText || op.empty() ? "\"op\" is one of eval, check, complete, tokens"
                                              : "the request has no \"text\"";
    }

    bool withEvents;
    std::function<void(const std::string&)> write;
    std::unique_ptr<Session> session;
    std::string output;
    std::string begun;  ///< of the next event: a character that is not whole yet
    std::string value;  ///< of the answer, as JSON
    ordered_json id;
    bool isOver = false;
};

JsonSession::JsonSession(Callbacks callbacks, bool withEvents,
                         std::function<void(const std::string&)> write)
    : inside(std::make_unique<Inside>(std::move(callbacks), withEvents, std::move(write))) {}

JsonSession::~JsonSession() = default;

void JsonSession::load(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        ordered_json made{{"event", "load"}, {"id", nullptr}, {"file", file}};
        inside->eval(":load \"" + file + "\"", made);
        std::string text = inside->output;
        for (const auto& each : made["diagnostics"]) text += each["text"].get<std::string>();
        inside->write(dump({{"event", "output"}, {"id", nullptr}, {"text", text}}));
    }
}

bool JsonSession::request(std::string_view line) {
    bool isTooDeep = false;
    const ordered_json asked = parse(line, isTooDeep);
    ordered_json made;
    inside->id = nullptr;
    if (isTooDeep) {
        made["id"] = nullptr;
        made["error"] = "a request has at most " + std::to_string(kMostNested) +
                        " objects and arrays inside one another";
    } else if (asked.is_object()) {
        if (asked.contains("id")) inside->id = asked["id"];
        made["id"] = inside->id;
        inside->answerTo(asked, made);
    } else {
        made["id"] = nullptr;
        made["error"] = "a request is one JSON object on one line";
    }
    inside->write(withValue(dump(made), std::exchange(inside->value, {})));
    return !inside->isOver;
}

}  // namespace strc::repl
