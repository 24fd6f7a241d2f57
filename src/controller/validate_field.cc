#include "controller/validate_field.h"

#include "base/endpoint.h"
#include "controller/proto_time.h"

namespace holdfast::validation {
namespace {

constexpr std::size_t kMostReasonBytes = 1024;

}  // namespace

Rejection Malformed(std::string_view field, std::string_view what) {
  return {RejectReason::kMalformed, std::string(field) + " " + std::string(what), std::string(field)};
}

Rejection OverLimit(std::string_view field, std::uint64_t limit) {
  const std::string most = std::to_string(limit);
  return {RejectReason::kLimitExceeded,
          std::string(field) + " has more entries than the " + most + " allowed; send fewer",
          std::string(field),
          {{"limit", most}}};
}

std::string Place(std::string_view list, std::size_t index, std::string_view member) {
  std::string place(list);
  place.append("[").append(std::to_string(index)).append("]");
  if (!member.empty()) place.append(".").append(member);
  return place;
}

Problem MemberId(std::string_view field, std::string_view id) {
  if (IsMemberId(id)) return std::nullopt;
  return Malformed(field, "is missing or not of [A-Za-z0-9._-]{1,128}");
}

Problem OptionalMemberId(std::string_view field, std::string_view id) {
  if (id.empty()) return std::nullopt;
  return MemberId(field, id);
}

Problem Number(std::string_view field, std::uint64_t value) {
  if (value < kNumberLimit) return std::nullopt;
  return Malformed(field, "is not below 2^53");
}

Problem PositiveNumber(std::string_view field, std::uint64_t value) {
  if (value == 0) return Malformed(field, "is missing; it counts from 1");
  return Number(field, value);
}

Problem OptionalChecksum(std::string_view field, std::string_view bytes) {
  if (bytes.empty() || bytes.size() == 32) return std::nullopt;
  return Malformed(field, "has not 32 bytes");
}

Problem Time(std::string_view field, bool present, const google::protobuf::Timestamp& time) {
  if (!present || ReadTime(time)) return std::nullopt;
  return Malformed(field, "is no time in whole microseconds from 1970 to 9999");
}

Problem Text(std::string_view field, std::string_view text, std::size_t most_bytes) {
  if (text.size() > most_bytes) return Malformed(field, "is longer than " + std::to_string(most_bytes) + " bytes");
  if (HasControlCharacter(text)) return Malformed(field, "holds a control character");
  return std::nullopt;
}

Problem AtMost(std::string_view field, std::size_t size, std::uint64_t limit) {
  if (size <= limit) return std::nullopt;
  return OverLimit(field, limit);
}

Problem Reason(std::string_view field, std::string_view text) {
  if (Problem problem = Text(field, text, kMostReasonBytes)) return problem;
  if (!LooksLikeUrlWithUserInfo(text)) return std::nullopt;
  return Malformed(field, "holds a URL with user information; no secret belongs there");
}

Problem RequiredReason(std::string_view field, std::string_view text) {
  if (text.empty()) return Malformed(field, "is missing; say why, for the log");
  return Reason(field, text);
}

Problem Name(std::string_view field, std::string_view text, const Settings& settings) {
  if (Problem problem = Text(field, text, settings.max_label_bytes)) return problem;
  if (!LooksLikeUrlWithUserInfo(text)) return std::nullopt;
  return Malformed(field, "holds a URL with user information; no secret belongs there");
}

Problem Labels(std::string_view field, const google::protobuf::Map<std::string, std::string>& labels,
               const Settings& settings) {
  if (labels.size() > settings.max_labels) {
    return Malformed(field, "has more than the " + std::to_string(settings.max_labels) + " entries allowed");
  }
  Problem first;
  for (const auto& [key, value] : labels) {
    if (Problem problem = Name(field, key, settings)) first = problem;
    if (Problem problem = Name(field, value, settings)) first = problem;
  }
  return first;
}

Problem ProxyIds(std::string_view list, const google::protobuf::RepeatedPtrField<std::string>& ids) {
  for (int i = 0; i < ids.size(); ++i) {
    if (IsProxyId(ids[i])) continue;
    return Malformed(Place(list, static_cast<std::size_t>(i)),
                     "is empty, over 1,024 bytes, or holds a control character");
  }
  return std::nullopt;
}

Problem NoPasswords(std::string_view list, const google::protobuf::RepeatedPtrField<std::string>& ids) {
  for (int i = 0; i < ids.size(); ++i) {
    if (!LooksLikeUrlWithUserInfo(ids[i])) continue;
    const std::size_t begin = ids[i].find("://") + 3;
    if (IsMemberId(ids[i].substr(begin, ids[i].find('@', begin) - begin))) continue;  // a secret_ref
    return Malformed(Place(list, static_cast<std::size_t>(i)),
                     "holds a URL with a password; name the proxy by its id, with the secret_ref before '@'");
  }
  return std::nullopt;
}

}  // namespace holdfast::validation
