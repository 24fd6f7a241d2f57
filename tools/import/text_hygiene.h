// Bytes of a list before anything is read out of them: white space, control characters, UTF-8.
//
// Pure functions, any thread. Promises: linear in the text. Copied web pages bring no-break and zero-width spaces and
// byte order marks in the middle of files: at the ends of a text they count as white space.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tools/import/rejection_reason.h"

namespace holdfast::importer {

// What a search gives that finds nothing.
inline constexpr std::size_t kNone = std::string_view::npos;

// Without spaces, tabs, CR, no-break and zero-width spaces and byte order marks at both ends.
std::string_view TrimText(std::string_view text);

// A control character (tab excepted; C0, DEL and C1 count) or bytes that are not UTF-8.
std::optional<RejectionReason> CheckText(std::string_view text);

bool IsUtf8(std::string_view text);
// Any control character at all, tab among them.
bool HasControlCharacter(std::string_view text);

std::string ToLowerAscii(std::string_view text);

}  // namespace holdfast::importer
