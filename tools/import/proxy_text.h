// One proxy as text: host:port, host:port:user:password, user:password@host:port, scheme://…, and what lists hang on
// it.
//
// Called per line of a text list, per string of a JSON list and per URL field of a record; any thread, pure. Promises:
// linear in the text, nothing is guessed (a text with two readings is refused), what prints as a URL and parses comes
// out equal. Where a line may hold credentials and where not, and each choice taken: docs/import.md. Does not know
// comments of a whole line, blank lines, or which scheme is the default.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/endpoint.h"
#include "base/log_time.h"
#include "tools/import/credential.h"
#include "tools/import/expiry.h"
#include "tools/import/rejection_reason.h"

namespace holdfast::importer {

struct TextRules {
  bool allow_special = false;
  ExpiryRules expiry;
};

struct ParsedProxy {
  std::optional<Scheme> scheme;  // absent: none was written
  std::string host;              // normalised
  std::uint16_t port = 0;
  std::optional<Credential> credential;
  std::string country;   // as written; empty: none
  LogTime expires_at{};  // 0: none was written

  friend bool operator==(const ParsedProxy&, const ParsedProxy&) = default;
};

// Requires: text is trimmed, not empty, and passed CheckText (text_hygiene.h).
Parsed<ParsedProxy> ParseProxyText(std::string_view text, const TextRules& rules);

}  // namespace holdfast::importer
