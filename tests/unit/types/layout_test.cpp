#include <gtest/gtest.h>

#include "types/type.h"

namespace strc::types {
namespace {

const Type* makeStruct(TypeTable& table, std::vector<const Type*> fields) {
    const Type* type = table.structure({}, {});
    for (const Type* field : fields) type->structure->fields.push_back({{}, field, 0, {}});
    table.complete(*type->structure);
    return type;
}

TEST(Layout, FieldsAreAlignedInOrder) {
    TypeTable table;
    const Type* type =
        makeStruct(table, {table.boolean(), table.doubleType(), table.bit(), table.intType()});
    EXPECT_EQ(type->structure->fields[1].offset, 8);
    EXPECT_EQ(type->structure->fields[2].offset, 16);
    EXPECT_EQ(type->structure->fields[3].offset, 20);
    EXPECT_EQ(sizeOf(type), 24);
    EXPECT_EQ(alignOf(table.array(type, 3)), 8);
    EXPECT_EQ(sizeOf(table.array(type, 3)), 72);
}

TEST(Layout, StructsThatDoubleAtEachLevelAreLargeButNoTrouble) {
    TypeTable table;
    const Type* type = makeStruct(table, {table.intType()});
    for (int level = 0; level < 200; ++level) type = makeStruct(table, {type, type});
    EXPECT_GT(sizeOf(type), std::int64_t{1} << 60);
    EXPECT_EQ(alignOf(type), 4);
}

}  // namespace
}  // namespace strc::types
