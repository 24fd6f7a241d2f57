#include "tools/import/secret_store.h"

namespace holdfast::importer {

SecretStore::Added SecretStore::Add(const std::string& secret_ref, const Credential& credential) {
  const auto [entry, added] = credentials_.try_emplace(secret_ref, credential);
  if (added) return Added::kNew;
  return entry->second == credential ? Added::kSame : Added::kOtherPassword;
}

SecretStore::Added SecretStore::Compare(const std::string& secret_ref, const Credential& credential) const {
  const auto entry = credentials_.find(secret_ref);
  if (entry == credentials_.end()) return Added::kNew;
  return entry->second == credential ? Added::kSame : Added::kOtherPassword;
}

}  // namespace holdfast::importer
