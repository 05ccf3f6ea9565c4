// Filters of an executable whose shapes only the run knows, as a shared library of its own, which such a program loads when it
// starts: the evaluator and the definitions of all operations, without a compiler.
#include "strc/symbolic.h"

#include <cstring>
#include <new>

#include "dynamic_shapes/filters.h"
#include "dynamic_shapes/pack.h"
#include "types/tensor_text.h"

namespace {

using strc::base::Diag;
using strc::eval::Outcome;
using strc::eval::TensorHandle;
using strc::eval::Trap;

strc::base::Limits limitsOf(const strc_symbolic_start &start) {
    strc::base::Limits limits;
    limits.totalBytes = start.most_bytes;
    return limits;
}

strc::dynamic_shapes::Callbacks callbacksOf(const strc_symbolic_start &start) {
    strc::dynamic_shapes::Callbacks callbacks;
    callbacks.print = [&start](std::string_view text) {
        start.print(start.callbacks, text.data(), text.size());
    };
    callbacks.interrupt = reinterpret_cast<const volatile bool *>(start.interrupt);
    callbacks.cFormat = start.c_format != 0;
    if (start.seconds > 0)
        callbacks.deadline =
            strc::eval::deadlineAfter(std::chrono::steady_clock::now(), start.seconds);
    return callbacks;
}

class Library {
public:
    explicit Library(const strc_symbolic_start &how) : start(how) {}

    /// Null, or why not.
    const char *open() {
        static std::string why;
        auto made = strc::dynamic_shapes::unpack(
            {static_cast<const char *>(start.packed), start.size}, types, names);
        if (!made) {
            why = made.error();
            return why.c_str();
        }
        unpacked = std::move(*made);
        filters.emplace(unpacked.program, types, limitsOf(start), callbacksOf(start));
        return nullptr;
    }

    int fire(strc_env &env, std::uint32_t node, void *const *parts, std::int32_t *left) {
        strc::types::Random random{env.random};
        const Outcome end = filters->fire(node, parts, random);
        env.random = random.state;
        *left = filters->left(node);
        if (end == Outcome::Interrupted) start.interrupted(start.callbacks);
        if (end == Outcome::Trapped) report(node);
        return end != Outcome::Done;
    }

    int next(std::uint32_t node, void *to) {
        const bool fits = filters->next(node, to);
        if (!fits) report(node);
        return !fits;
    }

    int settle(const void *state) {
        filters->settle([&](const strc::dynamic_shapes::TensorHeap::Mark &wanted) {
            strc_each_name(
                state, start.names, start.name_count,
                [](void *self, std::int32_t name) {
                    (*static_cast<const strc::dynamic_shapes::TensorHeap::Mark *>(self))(name);
                },
                const_cast<strc::dynamic_shapes::TensorHeap::Mark *>(&wanted));
        });
        return 0;
    }

    /// Without any memory for words.
    void reportFull() const {
        static const strc_symbolic_fault fault = {
            0, STRC_NOBODY, 1, "there is no memory left for its tensors", "out-of-memory"};
        start.report(start.callbacks, &fault);
    }

    TensorHandle enter(const std::int64_t *words, const void *elements) {
        return filters->enter(strc::types::ofShape(words, types),
                              static_cast<const std::byte *>(elements));
    }

    const void *tensor(TensorHandle name, const std::int64_t **words) {
        shape = strc::types::shapeOf(filters->typeOf(name));
        shape.push_back(0);  // it begins where its memory does
        *words = shape.data();
        return filters->elementsOf(name);
    }

private:
    /// What the language calls the operation, and where in the library it stands.
    std::string subject(const strc::dynamic_shapes::Filter &filter, const Trap &trap) const {
        const std::string stream = "'" + filter.added + "'";
        if (trap.args[0].empty()) return stream;
        const bool isOfLibrary = trap.range.valid() && unpacked.isOfLibrary[trap.range.begin];
        return isOfLibrary ? stream + ": " + trap.args[0] : trap.args[0];
    }

    void report(std::uint32_t node) {
        const Trap &trap = filters->fault();
        const auto &all = unpacked.program.filters;
        std::uint32_t index = 0;
        while (all[index].node != node) ++index;
        const bool isShape = trap.id == Diag::TensorShape;
        const std::vector<std::string> words =
            isShape ? std::vector{subject(all[index], trap), trap.args[1]} : trap.args;
        const std::string message = strc::base::message(trap.id, words);
        const std::string name(strc::base::info(trap.id).name);
        const std::uint32_t place = trap.range.valid() ? trap.range.begin : STRC_NOBODY;
        const strc_symbolic_fault fault{index, place, isShape, message.c_str(), name.c_str()};
        start.report(start.callbacks, &fault);
    }

    const strc_symbolic_start start;
    strc::types::TypeTable types;
    strc::base::NameTable names;
    strc::dynamic_shapes::Unpacked unpacked;
    std::optional<strc::dynamic_shapes::Filters> filters;
    std::vector<std::int64_t> shape;
};

/// The callers are C and machine code: no exception passes them.
template <typename Work>
int guarded(void *self, Work work) {
    auto &library = *static_cast<Library *>(self);
    try {
        return work(library);
    } catch (const std::bad_alloc &) {
        library.reportFull();
        return 1;
    }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char *strc_symbolic_open(
    const strc_symbolic_start *start, strc_symbolic *to) {
    if (start->abi_version != STRC_ABI_VERSION) return "it is of another version of strc";
    try {
        auto library = std::make_unique<Library>(*start);
        if (const char *why = library->open()) return why;
        to->self = library.release();
    } catch (const std::bad_alloc &) {
        return "there is too little memory for its tensors";
    }
    to->fire = [](void *self, strc_env *env, std::uint32_t node, void *const *parts,
                  std::int32_t *left) {
        return guarded(self,
                       [&](Library &library) { return library.fire(*env, node, parts, left); });
    };
    to->next = [](void *self, std::uint32_t node, void *item) {
        return guarded(self, [&](Library &library) { return library.next(node, item); });
    };
    to->settle = [](void *self, const void *state) {
        guarded(self, [&](Library &library) { return library.settle(state); });
    };
    to->tensor = [](void *self, std::int32_t name, const std::int64_t **shape) {
        const void *elements = nullptr;
        guarded(self, [&](Library &library) {
            elements = library.tensor(name, shape);
            return 0;
        });
        return elements;
    };
    to->enter = [](void *self, const std::int64_t *words, const void *elements,
                   std::int32_t *name) {
        return guarded(self, [&](Library &library) {
            *name = library.enter(words, elements);
            return 0;
        });
    };
    return nullptr;
}
