// Holds proto/ against the committed locks and against the shared contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/wire_lock/broken_promises.h"
#include "tests/wire_lock/schema.h"

namespace holdfast::wire_lock {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path kSource = HOLDFAST_SOURCE_DIR;
const fs::path kBinary = HOLDFAST_BINARY_DIR;
const fs::path kWireLock = kSource / "docs/wire_lock/wire.binpb";
const fs::path kLogLock = kSource / "docs/wire_lock/log.binpb";

constexpr char kHowToLock[] =
    "proto/ has what the lock does not know (read the lines with locked and new exchanged); "
    "run scripts/lock_schema and commit docs/wire_lock/";

Schema Loaded(absl::StatusOr<Schema> schema) {
  if (!schema.ok()) {
    ADD_FAILURE() << schema.status();
    return *Schema::FromSet({});
  }
  return *std::move(schema);
}

Schema Built() { return Loaded(Schema::FromFile(kBinary / "descriptors.binpb")); }

// The stored format is locked from the day of its first lock on.
bool LogIsLocked() {
  if (fs::exists(kLogLock)) return true;
  std::cout << "The stored format is not locked: " << kLogLock << " does not exist. scripts/lock_schema makes it.\n";
  return false;
}

TEST(WireLock, ProtoOnlyAddsToTheCommittedWireLock) {
  const Schema locked = Loaded(Schema::FromFile(kWireLock));
  const Schema now = Built();

  EXPECT_FALSE(locked.Files(Part::kWire).empty());
  EXPECT_THAT(FindBrokenPromises(locked, now, Part::kWire), IsEmpty());
}

TEST(WireLock, ProtoOnlyAddsToTheCommittedLogLock) {
  if (!LogIsLocked()) return;
  const Schema locked = Loaded(Schema::FromFile(kLogLock));
  const Schema now = Built();

  EXPECT_FALSE(locked.Files(Part::kLog).empty());
  EXPECT_THAT(FindBrokenPromises(locked, now, Part::kLog), IsEmpty());
}

TEST(WireLock, ProtoOnlyAddsToTheSharedContract) {
  const char* const variable = std::getenv("HOLDFAST_SHARED");
  const bool named = variable != nullptr && *variable != '\0';
  const fs::path shared = named ? fs::path(variable) : kSource / "../shared";
  if (!named && !fs::exists(shared)) {
    std::cout << "The shared data is absent (" << shared << "): proto/ is held against the committed lock alone.\n";
    return;
  }
  const Schema contract = Loaded(Schema::FromFolder(shared / "contract", kBinary / "shared_contract.binpb"));
  const Schema now = Built();

  EXPECT_FALSE(contract.Files(Part::kWire).empty());
  EXPECT_THAT(FindBrokenPromises(contract, now, Part::kWire), IsEmpty());
}

TEST(SchemaLockIsCurrent, EveryWireDefinitionIsLocked) {
  const Schema locked = Loaded(Schema::FromFile(kWireLock));
  const Schema now = Built();

  EXPECT_THAT(FindBrokenPromises(now, locked, Part::kWire), IsEmpty()) << kHowToLock;
}

TEST(SchemaLockIsCurrent, EveryDefinitionOfTheStoredFormatIsLocked) {
  if (!LogIsLocked()) return;
  const Schema locked = Loaded(Schema::FromFile(kLogLock));
  const Schema now = Built();

  EXPECT_THAT(FindBrokenPromises(now, locked, Part::kLog), IsEmpty()) << kHowToLock;
}

}  // namespace
}  // namespace holdfast::wire_lock
