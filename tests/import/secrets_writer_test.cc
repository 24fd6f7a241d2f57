#include "tools/import/secrets_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/import/shared_lists.h"

namespace holdfast::importer {
namespace {

class SecretsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-secrets-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::size_t FilesInDirectory() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) count += entry.exists() ? 1 : 0;
    return count;
  }

  std::filesystem::path directory_;
};

TEST_F(SecretsFile, IsJsonByReferenceThatOnlyItsOwnerMayRead) {
  SecretStore store;
  store.Add("cred-b", Credential{"bob", std::nullopt});
  store.Add("cred-a", Credential{"al\"ice", "p\xc3\xa4ss"});
  const std::filesystem::path file = directory_ / "secrets.json";

  const absl::Status status = WriteSecrets(store, file.string());

  ASSERT_TRUE(status.ok()) << status;
  struct stat facts;
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(nlohmann::json::parse(ReadWholeFile(file)),
            nlohmann::json::parse(R"({"cred-a": {"username": "al\"ice", "password": "päss"},
                                      "cred-b": {"username": "bob", "password": null}})"));
  EXPECT_EQ(FilesInDirectory(), 1u);
}

TEST_F(SecretsFile, ReplacesAnEarlierOneAsAWholeAndNarrowsItsMode) {
  SecretStore store;
  const std::filesystem::path file = directory_ / "secrets.json";
  ASSERT_TRUE(WriteSecrets(store, file.string()).ok());
  ASSERT_EQ(chmod(file.c_str(), 0644), 0);
  for (int i = 0; i < 5000; ++i) store.Add("cred-" + std::to_string(i), Credential{"user", std::to_string(i)});

  ASSERT_TRUE(WriteSecrets(store, file.string()).ok());

  struct stat facts;
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(nlohmann::json::parse(ReadWholeFile(file)).size(), 5000u);
  EXPECT_EQ(FilesInDirectory(), 1u);
}

TEST_F(SecretsFile, AnErrorNamesTheFileAndLeavesNothingBehind) {
  SecretStore store;
  store.Add("cred-a", Credential{"alice", "s3cret"});

  const absl::Status missing = WriteSecrets(store, (directory_ / "absent" / "secrets.json").string());
  std::filesystem::create_directory(directory_ / "taken");
  const absl::Status taken = WriteSecrets(store, (directory_ / "taken").string());

  for (const absl::Status& status : {missing, taken}) {
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find("--secrets-out"), absl::string_view::npos) << status;
    EXPECT_EQ(status.message().find("s3cret"), absl::string_view::npos) << status;
  }
  EXPECT_EQ(FilesInDirectory(), 1u) << "the folder made above, and no temporary file";
}

}  // namespace
}  // namespace holdfast::importer
