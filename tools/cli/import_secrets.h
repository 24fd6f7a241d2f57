// The credentials of an import: where they are kept, and where they are not.
//
// Called by ImportRun. The file is that of tools/import/secrets_writer.h: mode 0600, keyed by secret_ref, replaced as a
// whole. A file that is there already keeps what this import did not meet, so that two imports may share one; for an
// account that both know the new password stands. No text of this file ever reaches a message.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "tools/import/secret_store.h"

namespace holdfast::cli {

// What the file holds; empty where there is none. Error: it is something else, or its directory cannot be written.
// Asked before anything is sent.
absl::StatusOr<importer::SecretStore> LoadSecrets(const std::string& path);

// `found` and what was there before.
absl::Status SaveSecrets(const importer::SecretStore& found, const importer::SecretStore& before,
                         const std::string& path);

}  // namespace holdfast::cli
