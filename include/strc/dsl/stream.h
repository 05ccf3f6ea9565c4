/// Streams as values, and how they are put together.
#ifndef STRC_DSL_STREAM_H
#define STRC_DSL_STREAM_H

#include <iterator>
#include <strc/dsl/functions.h>
#include <strc/dsl/value.h>
#include <tuple>
#include <vector>

namespace strc {

/// A filter, or streams put together. Copies are the same stream; where one is used several times the program has as many instances.
class Stream {
public:
    explicit Stream(detail::NodeRef stream) : node(std::move(stream)) {}
    /// The same under another name: of its declaration in the text, and of its instances in messages.
    Stream as(const std::string& name) const {
        detail::NodeRef copy = std::make_shared<detail::Node>(*node);
        copy->name = name;
        return Stream(copy);
    }
    detail::NodeRef node;
};

/// How items are distributed, or collected.
class Distribution {
public:
    explicit Distribution(detail::NodeRef way) : node(std::move(way)) {}
    detail::NodeRef node;
};

/// Every child gets every item.
inline const Distribution duplicate{detail::node(STRC_NODE_DUPLICATE)};

/// Children take turns, with so many items each; `roundrobin()` is one each, `roundrobin(4)` four each.
template <typename... Weights>
    requires(detail::Scalar<Weights> && ...)
Distribution roundrobin(const Weights&... weights) {
    return Distribution(detail::node(STRC_NODE_ROUNDROBIN, {detail::literal<int>(weights)...}));
}
inline Distribution roundrobin(const std::vector<int>& weights) {
    const detail::NodeRef made = detail::node(STRC_NODE_ROUNDROBIN);
    for (const int weight : weights) made->children.push_back(detail::integer(weight));
    return Distribution(made);
}

namespace detail {

/// Streams between the others of a list: one, or several.
class Streams {
public:
    Streams(const Stream& one, Where where = Where::current()) : list{one}, where(where) {}
    Streams(const std::vector<Stream>& several, Where where = Where::current())
        : list(several), where(where) {}
    std::vector<Stream> list;
    Where where;
};

inline void append(Node& to, const Streams& streams) {
    for (const Stream& each : streams.list) to.children.push_back(each.node);
}
inline NodeRef composite(strc_node_kind kind, const Where& where,
                         std::initializer_list<Streams> streams) {
    NodeRef made = at(node(kind), where);
    for (const Streams& some : streams) append(*made, some);
    return made;
}

}  // namespace detail

/// One behind the other: streams, or vectors of them.
template <typename... More>
    requires(std::constructible_from<detail::Streams, const More&> && ...)
Stream pipeline(detail::Streams first, const More&... more) {
    return Stream(
        detail::composite(STRC_NODE_PIPELINE, first.where, {first, detail::Streams(more)...}));
}

namespace detail {
/// A distribution, and where it was written.
struct Way {
    Way(const Distribution& way, Where where = Where::current()) : node(way.node), where(where) {}
    NodeRef node;
    Where where;
};
}  // namespace detail

/// `splitjoin(duplicate, a, b, roundrobin(1))`: side by side. Between the distributions stand streams, or vectors of them.
template <typename... Rest>
    requires(sizeof...(Rest) >= 2)
Stream splitjoin(detail::Way split, const Rest&... rest) {
    constexpr std::size_t last = sizeof...(Rest) - 1;
    const auto parts = std::tie(rest...);
    static_assert(
        std::constructible_from<Distribution, std::tuple_element_t<last, decltype(parts)>>,
        "the last argument of splitjoin says how items are collected: roundrobin(...)");
    const detail::NodeRef made =
        detail::at(detail::node(STRC_NODE_SPLITJOIN, {split.node}), split.where);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (detail::append(*made, detail::Streams(std::get<K>(parts))), ...);
    }(std::make_index_sequence<last>());
    made->children.push_back(std::get<last>(parts).node);
    return Stream(made);
}

/// `feedbackloop(roundrobin(1, 1), body, loop, roundrobin(1, 1), 0.0f, 0.0f)`: what comes from outside and from `loop` is joined for
/// `body`, whose items are split to the outside and to `loop`; the numbers at the end lie at the joiner's second input when it begins.
template <typename... Items>
Stream feedbackloop(detail::Way join, const Stream& body, const Stream& loop,
                    const Distribution& split, const Items&... enqueued) {
    return Stream(detail::at(
        detail::node(STRC_NODE_FEEDBACKLOOP, {join.node, body.node, loop.node, split.node,
                                              detail::argument(enqueued, join.where)...}),
        join.where));
}

namespace detail {

/// An argument of a stream that exists already: a number, a vector of numbers, a text.
template <typename U>
NodeRef constant(const U& value, const Where& where) {
    if constexpr (requires { std::begin(value); } &&
                  !std::is_convertible_v<const U&, std::string>) {
        NodeRef made = at(node(STRC_NODE_TABLE), where);
        for (const auto& each : value) made->children.push_back(constant(each, where));
        return made;
    } else {
        return argument(value, where);
    }
}

template <typename In, typename Out, typename... Args>
Stream existing(const Named& name, const std::string& file, NodeRef typeArgument,
                const Args&... args) {
    const NodeRef made = node(STRC_NODE_NAMED, name.name,
                              {TypeOf<In>::make(), TypeOf<Out>::make(), std::move(typeArgument),
                               constant(args, name.where)...});
    made->text = file;
    return Stream(at(made, name.where));
}

}  // namespace detail

/// A stream of the library, `library<float, float>("LowPassFilter", 250e6f, 108e6f, 64, 4)`, with its arguments: numbers, vectors
/// of numbers, texts.
template <typename In, typename Out, typename... Args>
Stream library(detail::Named name, const Args&... args) {
    return detail::existing<In, Out>(name, "", detail::nothing(), args...);
}
/// A stream that a file in the language declares.
template <typename In, typename Out, typename... Args>
Stream fromFile(const std::string& file, detail::Named name, const Args&... args) {
    return detail::existing<In, Out>(name, file, detail::nothing(), args...);
}
template <typename T>
Stream identity(Where where = Where::current()) {
    return detail::existing<T, T>({"Identity", where}, "", detail::TypeOf<T>::make());
}
/// Items of a file, and to a file, by the formats of the language (docs/file-formats.md).
template <typename T>
Stream fileReader(const std::string& path, Where where = Where::current()) {
    return detail::existing<void, T>({"FileReader", where}, "", detail::TypeOf<T>::make(), path);
}
template <typename T>
Stream fileWriter(const std::string& path, Where where = Where::current()) {
    return detail::existing<T, void>({"FileWriter", where}, "", detail::TypeOf<T>::make(), path);
}

/// Where messages go: `receiver(stream, portal)` are the streams that get them, and a filter sends them by `f.send`.
class Portal {
public:
    explicit Portal(const std::string& name, Where where = Where::current())
        : node(detail::at(detail::node(STRC_NODE_PORTAL, name), where)) {}
    detail::NodeRef node;
};

template <typename... Portals>
Stream receiver(const Stream& stream, const Portals&... portals) {
    return Stream(detail::node(STRC_NODE_RECEIVER, {stream.node, portals.node...}));
}

}  // namespace strc

#endif
