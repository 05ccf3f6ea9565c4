#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "unit/weights/files.h"

namespace strc::weights {
namespace {

using base::Diag;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;

class RandomWeights : public Files {
protected:
    std::vector<float> floats(Source& source, const std::string& name,
                              std::vector<std::int64_t> dims) {
        auto found = source.find(name, types.tensor(types.floatType(), std::move(dims)), types);
        EXPECT_TRUE(found) << found.error();
        return found ? valuesOf<float>(*found) : std::vector<float>{};
    }
};

TEST_F(RandomWeights, DependOnSeedAndNameAlone) {
    auto one = random(1, {});
    auto same = random(1, {});
    auto other = random(2, {});
    const auto a = floats(*one, "a.weight", {3, 4});
    floats(*same, "b.weight", {3, 4});
    EXPECT_EQ(floats(*same, "a.weight", {3, 4}), a);
    EXPECT_NE(floats(*same, "b.weight", {3, 4}), a);
    EXPECT_NE(floats(*other, "a.weight", {3, 4}), a);
}

TEST_F(RandomWeights, HaveTheScaleThatLayersWant) {
    auto source = random(7, {});
    const auto weight = floats(*source, "fc.weight", {8, 100});
    EXPECT_THAT(weight, Each(AllOf(Ge(-0.1f), Le(0.1f))));
    EXPECT_GT(*std::max_element(weight.begin(), weight.end()), 0.09f);
    EXPECT_LT(*std::min_element(weight.begin(), weight.end()), -0.09f);
    EXPECT_THAT(floats(*source, "conv.weight", {5, 4, 5, 5}), Each(AllOf(Ge(-0.1f), Le(0.1f))));
    EXPECT_THAT(floats(*source, "fc.bias", {100}), Each(AllOf(Ge(-0.1f), Le(0.1f))));
    for (const char* name : {"norm.weight", "weight", "norm.running_var"})
        EXPECT_THAT(floats(*source, name, {100}), Each(AllOf(Ge(0.5f), Le(1.5f))));
}

TEST_F(RandomWeights, AreOfEveryTypeOfElements) {
    auto source = random(7, {});
    for (const Type* element : {types.intType(), types.scalar(types::TypeKind::Long),
                                types.doubleType(), types.boolean()}) {
        const Type* type = types.tensor(element, {50});
        auto found = source->find("x." + types::toString(type), type, types);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->type, type);
    }
    EXPECT_THAT(
        valuesOf<std::int64_t>(
            *source->find("y", types.tensor(types.scalar(types::TypeKind::Long), {50}), types)),
        testing::AllOf(Each(AllOf(Ge(0), Le(1))), testing::Contains(0), testing::Contains(1)));
}

TEST_F(RandomWeights, ANameHasOneType) {
    auto source = random(7, {});
    EXPECT_EQ(floats(*source, "x", {2, 3}).size(), 6u);
    EXPECT_EQ(floats(*source, "x", {2, 3}).size(), 6u);
    for (const Type* other :
         {types.tensor(types.floatType(), {3, 2}), types.tensor(types.doubleType(), {2, 3})}) {
        auto found = source->find("x", other, types);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.failure().id, Diag::WeightsMismatch);
        EXPECT_THAT(found.failure().args,
                    testing::ElementsAre("x", "random:7", "tensor<float>[2, 3] for another filter",
                                         types::toString(other)));
    }
}

TEST_F(RandomWeights, NeedAShapeAndHaveALimit) {
    base::Limits limits;
    limits.totalBytes = 2000;
    auto source = random(7, limits);
    EXPECT_EQ(source->find("x", anything(), types).failure().id, Diag::TensorUnknown);
    EXPECT_EQ(floats(*source, "x", {200}).size(), 200u);
    EXPECT_EQ(source->find("y", types.tensor(types.floatType(), {200}), types).failure().id,
              Diag::LimitExceeded);
}

TEST_F(RandomWeights, AnOptionNamesASeedOrAFile) {
    EXPECT_TRUE(fromOption("random:18446744073709551615", {}));
    for (const char* text :
         {"random:", "random:x", "random:1x", "random:-1", "random:18446744073709551616"})
        EXPECT_EQ(fromOption(text, {}).failure().id, Diag::BadOptionValue) << text;
    EXPECT_EQ(fromOption(folder + "/none", {}).failure().id, Diag::WeightsFile);
}

}  // namespace
}  // namespace strc::weights
