#include "tools/cli/import_secrets.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/import/secrets_writer.h"

namespace holdfast::cli {
namespace {

absl::Status NotOurs(const std::string& path) {
  return absl::FailedPreconditionError("--secrets-out " + path +
                                       ": the file is there and holds something else. Name another one");
}

// False: no credential as the writer writes it.
bool AddTo(importer::SecretStore& store, const std::string& secret_ref, const nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("username") || !entry["username"].is_string()) return false;
  importer::Credential credential{entry["username"].get<std::string>(), std::nullopt};
  const auto password = entry.find("password");
  if (password != entry.end() && password->is_string()) credential.password = password->get<std::string>();
  store.Add(secret_ref, credential);
  return true;
}

}  // namespace

absl::StatusOr<importer::SecretStore> LoadSecrets(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::filesystem::path directory = parent.empty() ? std::filesystem::path(".") : parent;
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError("--secrets-out " + path +
                                       ": no file can be made there. Name a directory that you may write");
  }
  importer::SecretStore store;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return store;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) return NotOurs(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) return store;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return NotOurs(path);
  for (const auto& [secret_ref, entry] : json.items()) {
    if (!AddTo(store, secret_ref, entry)) return NotOurs(path);
  }
  return store;
}

absl::Status SaveSecrets(const importer::SecretStore& found, const importer::SecretStore& before,
                         const std::string& path) {
  importer::SecretStore all = found;
  for (const auto& [secret_ref, credential] : before.credentials()) all.Add(secret_ref, credential);
  return importer::WriteSecrets(all, path);
}

}  // namespace holdfast::cli
