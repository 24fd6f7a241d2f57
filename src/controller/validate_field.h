// Checks of single fields, each with the rejection that names the field. For the files of validate.h.
//
// Pure. Thread: any. Nothing is allocated unless something is wrong.

#pragma once

#include <google/protobuf/repeated_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controller/decision.h"
#include "controller/validate_text.h"

namespace holdfast::validation {

using Problem = std::optional<Rejection>;

Rejection Malformed(std::string_view field, std::string_view what);
Rejection OverLimit(std::string_view field, std::uint64_t limit);

// "counters[3].proxy_id"
std::string Place(std::string_view list, std::size_t index, std::string_view member = {});

Problem MemberId(std::string_view field, std::string_view id);
Problem OptionalMemberId(std::string_view field, std::string_view id);
// Below 2^53.
Problem Number(std::string_view field, std::uint64_t value);
// From 1, below 2^53.
Problem PositiveNumber(std::string_view field, std::uint64_t value);
// Absent, or 32 bytes.
Problem OptionalChecksum(std::string_view field, std::string_view bytes);
Problem Time(std::string_view field, bool present, const google::protobuf::Timestamp& time);
// A text for people: at most so many bytes, no control characters.
Problem Text(std::string_view field, std::string_view text, std::size_t most_bytes);
Problem AtMost(std::string_view field, std::size_t size, std::uint64_t limit);

// Why an operator does something, for the log: as a text of at most 1,024 bytes, and no secret.
Problem Reason(std::string_view field, std::string_view text);
Problem RequiredReason(std::string_view field, std::string_view text);

// A zone, a source: a text that holds no URL with user information.
Problem Name(std::string_view field, std::string_view text, const Settings& settings);
Problem Labels(std::string_view field, const google::protobuf::Map<std::string, std::string>& labels,
               const Settings& settings);

// Ids of proxies, each well formed. list: the field's name.
Problem ProxyIds(std::string_view list, const google::protobuf::RepeatedPtrField<std::string>& ids);
// A password typed by mistake must not reach the log: no proxy has an id with one. Requires: each is well formed.
Problem NoPasswords(std::string_view list, const google::protobuf::RepeatedPtrField<std::string>& ids);

}  // namespace holdfast::validation
