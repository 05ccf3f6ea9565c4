#include "elab/detail/kernel_table.h"

namespace strc::elab {
namespace {

void appendKey(std::string& key, const Value& value) {
    key.append(reinterpret_cast<const char*>(&value.type), sizeof value.type);
    key += std::to_string(value.bytes.size()) + ':' + value.bytes;
}

}  // namespace

std::string KernelTable::keyOf(const Instance& instance) {
    std::string key = std::to_string(instance.stream);
    for (const Value& value : instance.constants) appendKey(key, value);
    return key;
}

void KernelTable::addRun(std::string& key, const eval::Instance& run, const graph::Rates& work,
                         const std::optional<graph::Rates>& prework) {
    for (const Type* type : run.fieldTypes) appendKey(key, Value{type, {}});
    auto append = [&key](const graph::Rate& rate) {
        key += ' ' + std::to_string(rate.min) + ' ' + std::to_string(rate.max);
    };
    for (const graph::Rates* rates : {&work, prework ? &*prework : &work}) {
        append(rates->pop);
        append(rates->peek);
        append(rates->push);
    }
}

std::pair<graph::KernelId, bool> KernelTable::number(const std::string& key) {
    const auto [found, isNew] =
        byKey.try_emplace(key, static_cast<graph::KernelId>(kernels.size()));
    return {found->second, isNew};
}

graph::KernelId KernelTable::addBuiltin(Kernel kernel) {
    std::string key = "builtin " + std::to_string(static_cast<int>(kernel.builtin));
    appendKey(key, Value{kernel.input, {}});
    appendKey(key, Value{kernel.output, {}});
    for (const Value& value : kernel.constants) appendKey(key, value);
    const auto [id, isNew] = number(key);
    if (isNew) kernels.push_back(std::move(kernel));
    return id;
}

InstanceId KernelTable::firstOf(const std::string& key) const {
    const auto found = byKey.find(key);
    return found == byKey.end() ? ir::kNone : firsts.at(found->second);
}

}  // namespace strc::elab
