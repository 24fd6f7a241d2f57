// The credentials that this checker may use, by secret_ref: from a file, and from its environment.
//
// Read once at the start; Resolve from any thread. The file is the one that `holdfast import --secrets-out` writes, and
// is refused where anybody but its owner may read or write it. A reference that the file lacks is looked for in the
// environment under VariableOf(reference), as "username:password" (split at the first colon; no colon: no password).
// Promises: no error, no log line and no observation ever repeats what the file or a variable holds.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/import/credential.h"

namespace holdfast::checker {

using importer::Credential;

class SecretBook {
 public:
  // Nothing but the environment.
  SecretBook() = default;
  // Error: it cannot be read, is not the owner's alone, or is no such file; what to do stands in it.
  static absl::StatusOr<SecretBook> Load(const std::string& path);

  // Nothing: unknown, or nothing that a proxy can be sent (4 KiB at most, no control characters).
  std::optional<Credential> Resolve(const std::string& secret_ref) const;
  // Whether there is anything to resolve with: the file has an entry, or a variable of ours is set.
  bool HasAny() const;

  // "HOLDFAST_SECRET_" and the reference, in which every character other than a letter or digit of ASCII becomes '_'
  // and its two hexadecimal digits ("cred-1" is "HOLDFAST_SECRET_cred_2D1"): no two references share a variable.
  static std::string VariableOf(std::string_view secret_ref);

 private:
  std::map<std::string, Credential> from_file_;
};

}  // namespace holdfast::checker
