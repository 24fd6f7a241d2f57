// The fuzzer's harness over its seeds and some thousand seeded mutations of them, for builds without a fuzzer.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/events/seeded_random.h"
#include "tests/import/import_harness.h"
#include "tests/import/seed_lists.h"

namespace holdfast::importer {
namespace {

constexpr int kMutations = 4000;

// What parsers trip over, more often than chance would bring it.
constexpr std::string_view kBits[] = {
    ":", "@", "//",   "://",  "#",       "\n",           "\r", "\"", ",", "[", "]", "{", "}", "%",    "%00",  "\t",
    " ", "0", "\xff", "\xc2", "\\ud800", "\xef\xbb\xbf", "::", "99", "-", ".", "=", "|", ";", "\"\"", "null", "\x1b"};

std::string Mutate(std::string text, testing::SeededRandom* random) {
  const std::uint64_t changes = 1 + random->Below(6);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random->Below(text.size());
    const std::size_t length = std::min<std::size_t>(1 + random->Below(20), text.size() - at);
    switch (random->Below(5)) {
      case 0:
        text[at] = static_cast<char>(random->Number());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(random->Below(text.size()), length));
        break;
      default:
        text.insert(at, kBits[random->Below(std::size(kBits))]);
        break;
    }
  }
  return text;
}

TEST(ImportOfAnyBytes, TheSeedsThemselvesHold) {
  for (const std::string& seed : SeedLists()) {
    for (char choice = 0; choice < 5; ++choice) CheckImportOfAnyBytes(choice + seed.substr(1));
  }

  SUCCEED() << "the harness ends the process where something does not hold";
}

TEST(ImportOfAnyBytes, MutatedListsHoldAsWell) {
  const std::vector<std::string> seeds = SeedLists();
  testing::SeededRandom random(2026);

  for (int i = 0; i < kMutations; ++i) {
    std::string list = Mutate(seeds[random.Below(seeds.size())], &random);
    if (random.Below(3) == 0 && !list.empty()) list[0] = static_cast<char>(random.Below(5));
    CheckImportOfAnyBytes(list);
  }

  SUCCEED();
}

TEST(ImportOfAnyBytes, BytesWithoutAnyFormHoldAsWell) {
  testing::SeededRandom random(77);

  for (int i = 0; i < 2000; ++i) CheckImportOfAnyBytes(random.Bytes(random.Below(300)));

  SUCCEED();
}

}  // namespace
}  // namespace holdfast::importer
