#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

TEST(Sha256, KnownAnswersOfTheStandard) {
  Sha256 hasher;

  EXPECT_EQ(ToHex(hasher.Of("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ToHex(hasher.Of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(hasher.Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(ToHex(Sha256Of(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheHashOfTheWhole) {
  const std::string text(300, 'x');

  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 hasher;
    hasher.Update(std::string_view(text).substr(0, cut)).Update(std::string_view(text).substr(cut));

    EXPECT_EQ(hasher.Finish(), Sha256Of(text)) << "cut at " << cut;
  }
}

TEST(Sha256, FinishLeavesNothingBehindForTheNextInput) {
  Sha256 hasher;

  hasher.Update("first").Finish();

  EXPECT_EQ(hasher.Of("abc"), Sha256Of("abc"));
}

TEST(Sha256, ThreadsDoNotDisturbEachOther) {
  const std::string text(1'000, 'y');
  const Hash256 expected = Sha256Of(text);
  std::vector<int> wrong(4, 0);

  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) count += Sha256Of(text) != expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace holdfast
