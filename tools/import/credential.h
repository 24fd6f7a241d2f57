// User name and password of a proxy, as they are sent to it (decoded).
//
// Lives between the parser and SecretStore; never printed, never in a message.

#pragma once

#include <optional>
#include <string>

namespace holdfast::importer {

struct Credential {
  std::string username;                 // not empty
  std::optional<std::string> password;  // "alice:" has an empty one, "alice" has none

  friend bool operator==(const Credential&, const Credential&) = default;
};

}  // namespace holdfast::importer
