// scheme://user:password@host:port and the same without its scheme: user information is percent-encoded and ends at the
// last '@'.
//
// Called by ParseProxyText; pure, any thread.

#pragma once

#include <string_view>

#include "tools/import/proxy_text.h"

namespace holdfast::importer {

// Whether the text begins as a URL does: its first colon is followed by "//".
bool IsUrl(std::string_view text);
// Requires: IsUrl(text).
Parsed<ParsedProxy> ParseProxyUrl(std::string_view text, const TextRules& rules);

// "alice:p%40ss" or "alice"; percent-decoded.
Parsed<Credential> ParseUserInfo(std::string_view text);

// User name and password as they are. kEmptyUsername, kControlCharacter, kInvalidUtf8.
Parsed<Credential> MakeCredential(std::string_view username, std::optional<std::string_view> password);

}  // namespace holdfast::importer
