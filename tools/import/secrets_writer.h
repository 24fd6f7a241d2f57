// Writes the credentials of an import to a file that only its owner may read.
//
// Called once, after the import. Promises: the file is whole or not there (written beside it, synced, renamed), its
// mode is 0600 from its first byte, and an error names the file and never its content. An earlier file of that name is
// replaced. JSON: {"<secret_ref>": {"username": "…", "password": "…"|null}, …}, ordered by reference.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "tools/import/secret_store.h"

namespace holdfast::importer {

absl::Status WriteSecrets(const SecretStore& store, const std::string& path);

}  // namespace holdfast::importer
