#pragma once
/// Bodies given as IR text, run with a host that writes down what they ask for.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eval/eval.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace strc::eval {

class RecordingHost : public Host {
public:
    void print(std::string_view text) override { out += text; }
    types::Random& random() override { return generator; }
    std::optional<Trap> send(std::int32_t portal, const ir::Send& send,
                             std::optional<std::int64_t> latency, std::span<const Value> args,
                             SourceRange) override {
        note("send " + send.handler + " to " + std::to_string(portal));
        if (latency) out += " in " + std::to_string(*latency);
        for (const Value& arg : args) out += " " + describe(arg);
        if (portal < 0) return Trap{Diag::MissedDeadline, {}, {"a", "b", "1"}};
        return std::nullopt;
    }
    bool demandInput(std::uint64_t items) override { return demand && demand(items); }
    std::optional<Trap> callNative(const ir::Native& native, std::span<std::uint64_t> args,
                                   std::uint64_t& result) override {
        note("native " + native.name);
        if (native.name == "missing")
            return Trap{Diag::NativeUnavailable, {}, {native.package, native.name}};
        if (native.name == "greet")
            out += std::string(" ") + reinterpret_cast<const char*>(args[0]);
        result = args.size() > 1 ? args[1] + 1 : 0x1234567800000001u;
        return std::nullopt;
    }
    base::Result<std::int32_t> fileNumber(const ir::FileQuestion& question, const std::string& name,
                                          std::int32_t other, SourceRange) override {
        print("asks " + std::to_string(question.what) + " of " + name + ", " +
              std::to_string(other) + ": ");
        return 42;
    }
    base::Result<std::string> readItems(const ir::FileQuestion&, const std::string&, std::int32_t,
                                        SourceRange) override {
        const float items[] = {1, 2.5};
        return std::string(reinterpret_cast<const char*>(items), sizeof items);
    }
    base::Result<std::string> readFile(const std::string& name, SourceRange) override {
        auto found = files.find(name);
        if (found == files.end()) return base::Failure{"no such file"};
        return found->second;
    }
    void warn(const Trap& warning) override {
        note("warning " + base::message(warning.id, warning.args));
    }
    std::int32_t newPortal(SourceRange) override { return portals++; }
    std::optional<Trap> create(const ir::Create& create, const Type* typeArgument,
                               std::span<const std::optional<Value>> args,
                               std::span<const std::int32_t> to, SourceRange) override {
        note("create " + std::to_string(static_cast<int>(create.role)));
        if (typeArgument) out += "<" + types::toString(typeArgument) + ">";
        for (const auto& arg : args) out += " " + (arg ? describe(*arg) : "default");
        for (std::int32_t portal : to) out += " portal " + std::to_string(portal);
        return refuse();
    }
    std::optional<Trap> split(bool duplicate, ir::SplitForm form,
                              std::span<const std::int64_t> weights, SourceRange) override {
        note(duplicate ? "split duplicate" : "split");
        describe(form, weights);
        return std::nullopt;
    }
    std::optional<Trap> join(bool duplicate, ir::SplitForm form,
                             std::span<const std::int64_t> weights, SourceRange) override {
        note(duplicate ? "join duplicate" : "join");
        describe(form, weights);
        return std::nullopt;
    }
    std::optional<Trap> enqueue(const Value& value, SourceRange) override {
        note("enqueue " + describe(value));
        return refuse();
    }
    void rate(const ir::RateClause& clause, std::optional<std::int64_t> min,
              std::optional<std::int64_t> average, std::optional<std::int64_t> max,
              SourceRange) override {
        note("rate " + std::to_string(static_cast<int>(clause.kind)));
        for (auto bound : {min, average, max}) out += bound ? " " + std::to_string(*bound) : " -";
    }
    void itemType(int side, const Type* type) override {
        note("item " + std::to_string(side) + " " + types::toString(type));
    }

    static std::string describe(const Value& value) {
        return types::toString(value.type) + " " + types::toString(value);
    }

    std::string out;
    types::Random generator;
    std::map<std::string, std::string> files;
    std::function<bool(std::uint64_t)> demand;
    std::int32_t portals = 0;
    int most = INT32_MAX;  ///< streams and items that may be added before it is refused

private:
    std::optional<Trap> refuse() {
        if (--most >= 0) return std::nullopt;
        return Trap{Diag::TooManyNodes, {}, {"few"}};
    }
    void note(const std::string& what) { out += (out.empty() ? "" : "; ") + what; }
    void describe(ir::SplitForm form, std::span<const std::int64_t> weights) {
        out += " form " + std::to_string(static_cast<int>(form));
        for (std::int64_t weight : weights) out += " " + std::to_string(weight);
    }
};

/// A tape with what it takes to fill and read it in tests.
template <typename T>
struct Items {
    Tape tape{sizeof(T)};
    Items() = default;
    Items(std::initializer_list<T> items) { add(items); }
    void add(std::initializer_list<T> items) {
        for (T item : items) std::memcpy(tape.append(), &item, sizeof item);
    }
    std::vector<T> all() {
        std::vector<T> list(tape.size());
        for (std::size_t k = 0; k < list.size(); ++k) std::memcpy(&list[k], tape.at(k), sizeof(T));
        return list;
    }
};

class Evaluation : public testing::Test {
protected:
    /// Reads a module; its last stream becomes the one that runs.
    void read(const std::string& text, bool verified = true) {
        auto parsed = ir::parse(text, types, names);
        ASSERT_TRUE(parsed) << parsed.error() << "\nin\n" << text;
        module = std::move(*parsed);
        if (verified)
            for (const std::string& fault : ir::verify(module))
                ADD_FAILURE() << fault << "\nin\n" << text;
        instance = {};
        instance.module = &module;
        instance.host = &host;
        instance.code = module.streams.empty() ? nullptr : &module.streams.back();
        host.out.clear();
    }
    /// A filter whose work is `work`, after members such as fields and functions.
    void readWork(const std::string& work, const std::string& members = "",
                  const std::string& type = "int->int") {
        const char* setup = members.find("setup {") == std::string::npos ? " setup { }" : "";
        read(std::string(kPrelude) + "filter F " + type + " { " + members + setup + " work { " +
             work + " } }");
    }

    RunResult run(const ir::Body& body, std::span<const Value> args = {},
                  std::span<const std::int64_t> offsets = {}) {
        code = compile(module, instance.code, body, types, offsets);
        return machine.run(*code, instance, firing, args);
    }
    /// Runs setup and work of the stream.
    RunResult runWork() {
        run(instance.code->setup);
        return run(*instance.code->work);
    }
    /// What a work body prints, or the message of its trap.
    std::string printed(const std::string& work, const std::string& members = "",
                        const std::string& type = "int->int") {
        readWork(work, members, type);
        if (HasFatalFailure()) return "";
        return text(runWork());
    }
    std::string text(const RunResult& result) {
        switch (result.outcome) {
            case Outcome::Done: return host.out;
            case Outcome::Starved: return host.out + "<starved>";
            case Outcome::Interrupted: return host.out + "<interrupted>";
            case Outcome::Trapped: break;
        }
        return host.out + "<" + base::message(result.trap->id, result.trap->args) + ">";
    }
    Value intValue(std::int32_t value) { return Value::of(types.intType(), value); }

    static constexpr const char* kPrelude = R"(
        struct P { int id float[4] v boolean flag }
        global table: int[3] = {1, -2, 3}
        native Lib.next(int, int) -> int
        native Lib.missing() -> int
        native Lib.greet(String) -> boolean
    )";

    types::TypeTable types;
    base::NameTable names;
    ir::Module module;
    RecordingHost host;
    Instance instance;
    Firing firing;
    Machine machine{base::Limits{}};
    CodePtr code;
};

}  // namespace strc::eval
