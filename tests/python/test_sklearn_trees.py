"""Forests by each strategy: random ones, features right at thresholds, missing features, every engine."""

import subprocess

import numpy
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn import ensemble, tree  # noqa: E402
from sklearn_support import compare, export, run_program, run_words  # noqa: E402
from support import STRC  # noqa: E402

from strc.sklearn.strategies import STRATEGIES, choose  # noqa: E402
from strc.sklearn.trees import Forest, Tree, round_down  # noqa: E402


def neighbours(values, dtype):
    """Values with what comes right before and behind them."""
    near = values.astype(dtype)
    return numpy.stack([near, numpy.nextafter(near, dtype(-numpy.inf)), numpy.nextafter(near, dtype(numpy.inf))])


def test_rounding_thresholds_down():
    """For every float x near a threshold t, x <= t just if x <= round_down(t)."""
    generator = numpy.random.default_rng(0)
    single = generator.integers(0, 2**32, 4000, numpy.uint64).astype(numpy.uint32).view(numpy.float32)
    single = single[numpy.isfinite(single)]
    following = numpy.nextafter(single, numpy.float32(numpy.inf))
    middles = single.astype(numpy.float64) / 2 + following.astype(numpy.float64) / 2
    special = [0.0, -0.0, 1e-50, -1e-50, 1e300, -1e300, numpy.inf, 3.4028235e38, 1.4e-45, 0.1, 1 / 3]
    wide = numpy.concatenate([single.astype(numpy.float64), middles, generator.normal(0, 1, 4000), special])
    with numpy.errstate(over="ignore"):
        rounded = round_down(wide)
        tried = neighbours(wide, numpy.float32)
    assert rounded.dtype == numpy.float32
    assert ((tried.astype(numpy.float64) <= wide) == (tried <= rounded)).all()
    assert (rounded.astype(numpy.float64) <= wide).all()


def crowded(generator, rows, features):
    """Items whose features are neighbouring floats, so that thresholds lie between these."""
    bases = generator.normal(0, 1, (4, features)).astype(numpy.float32)
    x = bases[generator.integers(0, 4, rows), :]
    for _ in range(3):
        x = numpy.where(generator.random(x.shape) < 0.5, numpy.nextafter(x, numpy.float32(9)), x)
    return x


def at_thresholds(members, x, dtype):
    """Items with features at thresholds of trees, and right beside them."""
    rows = [x.astype(dtype)]
    for member in members:
        inner = numpy.flatnonzero(member.tree_.children_left >= 0)
        for node in inner[:10]:
            near = neighbours(member.tree_.threshold[node : node + 1], dtype)
            items = numpy.repeat(x[:3].astype(dtype), 3, 0)
            items[:, member.tree_.feature[node]] = numpy.tile(near.reshape(-1), 3)
            rows.append(items)
    return numpy.concatenate(rows)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(4))
def test_random_forests(seed, strategy, tmp_path):
    generator = numpy.random.default_rng(seed)
    features, dtype = int(generator.integers(1, 6)), (numpy.float32, numpy.float64)[seed % 2]
    x = crowded(generator, 150, features)
    y = generator.integers(0, 2 + seed, 150)
    kind = (ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier)[seed // 2]
    model = kind(int(generator.integers(2, 9)), max_depth=2 + seed, random_state=seed).fit(x, y)
    inputs = at_thresholds(model.estimators_, x, dtype)
    exported = export(model, tmp_path, strategy, dtype="float" if dtype is numpy.float32 else "double")
    assert list(exported.strategies.values()) == [strategy]
    compare(exported, model, inputs, run_program(tmp_path, exported, inputs))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_classic_boosting_at_thresholds(strategy, tmp_path):
    generator = numpy.random.default_rng(9)
    x = crowded(generator, 200, 3)
    model = ensemble.GradientBoostingClassifier(n_estimators=5, random_state=1).fit(x, generator.integers(0, 3, 200))
    inputs = at_thresholds(model.estimators_.reshape(-1), x, numpy.float32)
    exported = export(model, tmp_path, strategy, outputs=("class", "decision"))
    compare(exported, model, inputs, run_program(tmp_path, exported, inputs))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dtype", ["float", "double"])
def test_histograms_at_thresholds(dtype, strategy, tmp_path):
    """These compare doubles with their thresholds, whatever comes."""
    generator = numpy.random.default_rng(3)
    element = numpy.float32 if dtype == "float" else numpy.float64
    x = crowded(generator, 300, 3).astype(element)
    x = x if dtype == "float" else x + generator.normal(0, 1e-12, x.shape)
    y = (x[:, 0] + x[:, 1] > 0).astype(int) + generator.integers(0, 2, 300)
    model = ensemble.HistGradientBoostingClassifier(max_iter=4, max_depth=4, min_samples_leaf=3).fit(x, y)
    rows = [x]
    for row in model._predictors:
        for node in (node for predictor in row for node in predictor.nodes if not node["is_leaf"]):
            items = numpy.repeat(x[:1], 3, 0)
            items[:, node["feature_idx"]] = neighbours(node["num_threshold"].reshape(1), element).reshape(-1)
            rows.append(items)
    inputs = numpy.concatenate(rows)
    exported = export(model, tmp_path, strategy, dtype=dtype)
    compare(exported, model, inputs, run_program(tmp_path, exported, inputs))


def with_gaps(generator, x, share):
    return numpy.where(generator.random(x.shape) < share, numpy.nan, x).astype(x.dtype)


MISSING = {
    "tree": tree.DecisionTreeClassifier(max_depth=6, random_state=0),
    "forest": ensemble.RandomForestClassifier(5, max_depth=4, random_state=0),
    "extra": ensemble.ExtraTreesClassifier(5, max_depth=4, random_state=0),
    "histogram": ensemble.HistGradientBoostingClassifier(max_iter=3, max_depth=4, min_samples_leaf=5),
    "values": ensemble.RandomForestRegressor(3, max_depth=5, random_state=0),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("share", [0, 0.3])
def test_missing_features(share, name, strategy, tmp_path):
    """NaN goes where scikit-learn sends it, whether the model has learned from items with NaN or not."""
    generator = numpy.random.default_rng(4)
    x = generator.normal(0, 1, (300, 4)).astype(numpy.float32)
    y = (x[:, 0] > 0) * 1 + (x[:, 1] > 0.5)
    gaps = with_gaps(generator, x, share)
    gaps[:, 2] = numpy.where(y == 1, numpy.nan, gaps[:, 2]) if share else gaps[:, 2]  # so that to be missing says something
    model = MISSING[name].fit(gaps, y)
    exported = export(model, tmp_path, strategy)
    inputs = numpy.concatenate([gaps, with_gaps(generator, x, 0.5), numpy.full((1, 4), numpy.nan, numpy.float32)])
    if name == "histogram":
        inputs = numpy.concatenate([inputs, numpy.full((1, 4), numpy.inf, numpy.float32), numpy.full((1, 4), -numpy.inf, numpy.float32)])
    compare(exported, model, inputs, run_program(tmp_path, exported, inputs))


def test_missing_where_scikit_learn_has_none(tmp_path):
    """Classic boosting refuses NaN; the program sends it left and goes on."""
    generator = numpy.random.default_rng(5)
    x = generator.normal(0, 1, (100, 3)).astype(numpy.float32)
    model = ensemble.GradientBoostingRegressor(n_estimators=3).fit(x, x[:, 0])
    gaps, low = x.copy(), x.copy()
    gaps[:, 0], low[:, 0] = numpy.nan, -1e30
    for strategy in STRATEGIES:
        exported = export(model, tmp_path, strategy)
        compare(exported, model, low, run_program(tmp_path, exported, gaps))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_engines(strategy, tmp_path):
    """The interpreter, the JIT and an executable without Python give the same bits."""
    generator = numpy.random.default_rng(6)
    x = generator.normal(0, 1, (70, 4)).astype(numpy.float32)
    model = ensemble.RandomForestClassifier(4, max_depth=3, random_state=0).fit(x, generator.integers(0, 3, 70))
    exported = export(model, tmp_path, strategy, batch=70)
    words = [STRC, "build", "--top", exported.name, "model.str", "-o", "model"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    (tmp_path / "model.safetensors").unlink()
    built = run_words(tmp_path, ["env", "-i", "./model"], x, exported.outputs, "built")
    export(model, tmp_path, strategy, batch=70)
    compare(exported, model, x, built)
    for option in ("--interpret", "--no-interpret"):
        found = run_program(tmp_path, exported, x, option)
        assert all((found[kind] == built[kind]).all() for kind in exported.outputs)


def test_a_single_leaf(tmp_path):
    x = numpy.zeros((8, 2), numpy.float32)
    model = tree.DecisionTreeRegressor().fit(x, numpy.arange(8))
    for strategy in STRATEGIES:
        exported = export(model, tmp_path, strategy)
        compare(exported, model, x, run_program(tmp_path, exported, x))


def chain(depth):
    """A tree in which one node of each level has children."""
    count = 2 * depth + 1
    left = numpy.array([i + 1 if i % 2 == 0 and i + 2 < count else -1 for i in range(count)], numpy.int32)
    right = numpy.where(left >= 0, left + 1, -1).astype(numpy.int32)
    zeros = numpy.zeros(count, numpy.int32)
    return Tree(zeros, zeros.astype(numpy.float64), left, right, zeros.astype(bool), numpy.zeros((count, 1)))


def full(depth):
    """A tree in which all nodes of each level but the last have children."""
    count = 2 ** (depth + 1) - 1
    inner = numpy.arange(count) < count // 2
    left = numpy.where(inner, 2 * numpy.arange(count) + 1, -1).astype(numpy.int32)
    zeros = numpy.zeros(count, numpy.int32)
    return Tree(zeros, zeros.astype(numpy.float64), left, numpy.where(inner, left + 1, -1).astype(numpy.int32), zeros.astype(bool),
                numpy.zeros((count, 1)))


@pytest.mark.parametrize(
    ("one", "batch", "strategy"),
    [(full(2), None, "gemm"), (full(2), 1, "perfect"), (full(3), None, "perfect"), (full(10), None, "perfect"), (full(11), None, "traversal"),
     (chain(4), None, "perfect"), (chain(9), None, "traversal")],
)
def test_the_choice(one, batch, strategy):
    assert choose(Forest([one, one], 1, 1, True, False), batch) == strategy
