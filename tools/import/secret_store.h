// The credentials that an import found, apart from everything that is sent or printed.
//
// Filled by Admission on the thread of the import, written by SecretsWriter. In memory only. Promises: ordered by
// reference, so that the same lists write the same file; the first password of an account stands.

#pragma once

#include <map>
#include <string>

#include "tools/import/credential.h"

namespace holdfast::importer {

class SecretStore {
 public:
  enum class Added { kNew, kSame, kOtherPassword };

  // kOtherPassword: the reference is known with another password; nothing changes.
  Added Add(const std::string& secret_ref, const Credential& credential);
  // The same answer, and nothing is added.
  Added Compare(const std::string& secret_ref, const Credential& credential) const;

  const std::map<std::string, Credential>& credentials() const { return credentials_; }

 private:
  std::map<std::string, Credential> credentials_;
};

}  // namespace holdfast::importer
