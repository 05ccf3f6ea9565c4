#include "dynamic_shapes/pack.h"

#include <cstring>
#include <map>

#include "ir/text.h"

namespace strc::dynamic_shapes {

using base::SourceRange;

namespace {

constexpr std::int64_t kNothing = -1;
constexpr std::size_t kAlignment = 64;  ///< of stored arrays

/// Visits the bodies in an order that both sides use. Setup and init are left out, since they have run already.
template <typename Body, typename Visit>
void visitBlock(Body& body, ir::BlockId id, const Visit& visit) {
    if (id == ir::kNone) return;
    for (auto& instr : body.blocks[id].instrs) {
        visit(instr.range);
        for (ir::BlockId inner : instr.blocks) visitBlock(body, inner, visit);
    }
}

template <typename Body, typename Visit>
void visitBody(Body& body, const Visit& visit) {
    visit(body.header);
    visitBlock(body, body.entry, visit);
}

template <typename Module, typename Visit>
void visitRanges(Module& module, const Visit& visit) {
    for (auto& function : module.functions) visitBody(function, visit);
    for (auto& stream : module.streams) {
        if (stream.prework) visitBody(*stream.prework, visit);
        if (stream.work) visitBody(*stream.work, visit);
        for (auto& function : stream.functions) visitBody(function, visit);
    }
}

// ---------------------------------------------------------------- writing

class Packing {
public:
    Packing(const Program& what, const std::function<bool(SourceRange)>& library)
        : program(what), isOfLibrary(library) {}

    Packed run() {
        findTypes();
        text(ir::print(printed()));
        number(static_cast<std::int64_t>(types.size()));
        visitRanges(program.module, [this](SourceRange range) { place(range); });
        for (const ir::StreamCode& stream : program.module.streams) stored(stream);
        list(program.kernels, [this](const Kernel& each) { kernel(each); });
        list(program.filters, [this](const Filter& each) { filter(each); });
        list(made.places, [this](SourceRange range) { number(isOfLibrary(range) ? 1 : 0); });
        return std::move(made);
    }

private:
    void number(std::int64_t value) {
        made.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string_view value) {
        number(static_cast<std::int64_t>(value.size()));
        made.bytes += value;
    }
    template <typename List, typename Each>
    void list(const List& all, const Each& each) {
        number(static_cast<std::int64_t>(all.size()));
        for (const auto& one : all) each(one);
    }

    /// The code as it runs, and a stream whose fields are all other types.
    ir::Module printed() const {
        ir::Module module = program.module;
        for (Value& value : module.globalValues)  // filters have fields for those that are tensors
            if (value.type && value.type->is(types::TypeKind::Tensor)) value = {};
        for (ir::StreamCode& stream : module.streams) {
            stream.setup = nothing();
            stream.init.reset();
            stream.defaults.clear();
        }
        ir::StreamCode last;
        last.name = "types";
        last.setup = nothing();
        for (const Type* type : types) last.fields.push_back({"", type, {}});
        module.streams.push_back(std::move(last));
        return module;
    }

    static ir::Body nothing() {
        ir::Body body;
        body.kind = ir::BodyKind::Setup;
        body.blocks.resize(1);
        return body;
    }

    void findTypes() {
        auto channel = [this](const Channel& each) {
            for (const Type* type : {each.item, each.memory, each.declared}) note(type);
            for (const Type* type : each.tensors) note(type);
        };
        for (const Kernel& each : program.kernels) {
            for (const Value& value : each.constants) note(value.type);
            for (const Type* type : each.fieldTypes) note(type);
            for (const Type* type : each.tensors) note(type);
        }
        for (const Filter& each : program.filters) {
            channel(each.input);
            channel(each.output);
        }
    }

    void note(const Type* type) {
        if (!type) return;
        const auto [found, isNew] =
            typeNumbers.try_emplace(type, static_cast<std::int64_t>(types.size()));
        if (isNew) types.push_back(type);
    }

    void type(const Type* which) { number(which ? typeNumbers.at(which) : kNothing); }

    void place(SourceRange range) {
        if (!range.valid()) return number(kNothing);
        const auto key = std::tuple(range.buffer.index, range.begin, range.end);
        const auto [found, isNew] =
            placeNumbers.try_emplace(key, static_cast<std::int64_t>(made.places.size()));
        if (isNew) made.places.push_back(range);
        number(found->second);
    }

    void stored(const ir::StreamCode& stream) {
        list(stream.stored, [this](const ir::StoredArray& each) {
            text(each.name);
            text({reinterpret_cast<const char*>(each.bytes.get()),
                  static_cast<std::size_t>(types::sizeOf(each.type))});
        });
    }

    void kernel(const Kernel& each) {
        number(each.code);
        list(each.constants, [this](const Value& value) {
            type(value.type);
            text(value.bytes);
        });
        list(each.fieldTypes, [this](const Type* field) { type(field); });
        list(each.fieldOffsets, [this](std::int64_t at) { number(at); });
        number(each.stateSize);
        list(each.tensors, [this](const Type* tensor) { type(tensor); });
        list(each.storedTensors, [this](std::uint32_t index) { number(index); });
        list(each.initialOffsets, [this](std::int64_t at) { number(at); });
    }

    void filter(const Filter& each) {
        number(each.node);
        number(each.kernel);
        text(each.name);
        text(each.added);
        rates(each.work);
        number(each.prework ? 1 : 0);
        if (each.prework) rates(*each.prework);
        channel(each.input);
        channel(each.output);
        text(*each.state);
    }

    void rates(const Rates& each) {
        for (std::int64_t items : {each.peek, each.pop, each.push, each.least, each.most})
            number(items);
    }

    void channel(const Channel& each) {
        for (const Type* one : {each.item, each.memory, each.declared}) type(one);
        number(each.isHandle ? 1 : 0);
        list(each.tensors, [this](const Type* tensor) { type(tensor); });
    }

    const Program& program;
    const std::function<bool(SourceRange)>& isOfLibrary;
    Packed made;
    std::vector<const Type*> types;
    std::map<const Type*, std::int64_t> typeNumbers;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> placeNumbers;
};

// ---------------------------------------------------------------- reading

class Unpacking {
public:
    explicit Unpacking(std::string_view packed) : bytes(packed) {}

    base::Result<Unpacked> run(types::TypeTable& table, base::NameTable& names) {
        base::Result<ir::Module> module = ir::parse(text(), table, names);
        if (!module) return base::Failure{module.error()};
        made.program.module = std::move(*module);
        std::vector<ir::StreamCode>& streams = made.program.module.streams;
        const auto count = static_cast<std::size_t>(number());
        if (streams.empty() || streams.back().fields.size() != count)
            return base::Failure{"its types are missing"};
        for (const ir::Variable& field : streams.back().fields) types.push_back(field.type);
        streams.pop_back();
        visitRanges(made.program.module, [this](SourceRange& range) { range = place(); });
        for (ir::StreamCode& stream : streams) stored(stream);
        list([this] { kernel(made.program.kernels.emplace_back()); });
        list([this] { filter(made.program.filters.emplace_back()); });
        list([this] { made.isOfLibrary.push_back(number() != 0); });
        if (isShort) return base::Failure{"it ends too soon"};
        return std::move(made);
    }

private:
    std::int64_t number() {
        std::int64_t value = 0;
        const std::string_view from = take(sizeof value);
        if (from.size() == sizeof value) std::memcpy(&value, from.data(), sizeof value);
        return value;
    }
    std::string_view text() { return take(static_cast<std::size_t>(number())); }
    std::string_view take(std::size_t size) {
        isShort = isShort || size > bytes.size();
        if (isShort) return {};
        const std::string_view taken = bytes.substr(0, size);
        bytes.remove_prefix(size);
        return taken;
    }
    template <typename Each>
    void list(const Each& each) {
        for (std::int64_t left = number(); left > 0 && !isShort; --left) each();
    }

    const Type* type() {
        const std::int64_t which = number();
        const bool isKnown = which >= 0 && static_cast<std::size_t>(which) < types.size();
        return isKnown ? types[static_cast<std::size_t>(which)] : nullptr;
    }

    /// A range of a buffer of its own.
    SourceRange place() {
        const std::int64_t which = number();
        if (which == kNothing) return {};
        const auto at = static_cast<std::uint32_t>(which);
        return {base::BufferId{0}, at, at};
    }

    void stored(ir::StreamCode& stream) {
        std::size_t at = 0;
        list([&] {
            std::string name(text());
            const std::string_view from = text();
            if (at == stream.stored.size()) return;
            auto* memory = static_cast<std::byte*>(
                ::operator new(from.size() + 1, std::align_val_t{kAlignment}));
            std::memcpy(memory, from.data(), from.size());
            ir::StoredArray& array = stream.stored[at++];
            array.name = std::move(name);
            array.bytes = std::shared_ptr<const std::byte>(memory, [](const std::byte* old) {
                ::operator delete(const_cast<std::byte*>(old), std::align_val_t{kAlignment});
            });
        });
    }

    void kernel(Kernel& to) {
        to.code = static_cast<std::uint32_t>(number());
        list([&] {
            const Type* of = type();
            to.constants.push_back({of, std::string(text())});
        });
        list([&] { to.fieldTypes.push_back(type()); });
        list([&] { to.fieldOffsets.push_back(number()); });
        to.stateSize = number();
        list([&] { to.tensors.push_back(type()); });
        list([&] { to.storedTensors.push_back(static_cast<std::uint32_t>(number())); });
        list([&] { to.initialOffsets.push_back(number()); });
    }

    void filter(Filter& to) {
        to.node = static_cast<std::uint32_t>(number());
        to.kernel = static_cast<std::uint32_t>(number());
        to.name = text();
        to.added = text();
        to.work = rates();
        if (number() != 0) to.prework = rates();
        to.input = channel();
        to.output = channel();
        to.state = std::make_shared<const std::string>(text());
    }

    Rates rates() {
        Rates to;
        for (std::int64_t* items : {&to.peek, &to.pop, &to.push, &to.least, &to.most})
            *items = number();
        return to;
    }

    Channel channel() {
        Channel to;
        for (const Type** one : {&to.item, &to.memory, &to.declared}) *one = type();
        to.isHandle = number() != 0;
        list([&] { to.tensors.push_back(type()); });
        return to;
    }

    std::string_view bytes;
    bool isShort = false;
    std::vector<const Type*> types;
    Unpacked made;
};

}  // namespace

Packed pack(const Program& program, const std::function<bool(SourceRange)>& isOfLibrary) {
    return Packing(program, isOfLibrary).run();
}

base::Result<Unpacked> unpack(std::string_view bytes, types::TypeTable& types,
                              base::NameTable& names) {
    return Unpacking(bytes).run(types, names);
}

}  // namespace strc::dynamic_shapes
