#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "pool/check.h"
#include "pool/redis_codec.h"
#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

constexpr std::size_t kPositionFields = 4;
using Fields = std::map<std::string_view, std::string_view>;

std::optional<LogId> ParseLogId(std::string_view text) {
  LogId log_id{};
  const bool is_hex = std::all_of(text.begin(), text.end(),
                                  [](unsigned char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!is_hex || text.size() != 2 * log_id.size()) return std::nullopt;
  const std::string bytes = absl::HexStringToBytes(std::string(text));
  std::copy(bytes.begin(), bytes.end(), log_id.begin());
  return log_id;
}

std::optional<Verdict> ParseVerdict(std::string_view word) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Verdict::kNotResyncing); ++i) {
    if (VerdictName(static_cast<Verdict>(i)) == word) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

std::optional<Fields> ToFields(const RedisReply& reply) {
  if (!reply.is_array() || reply.elements.size() % 2 != 0) return std::nullopt;
  Fields fields;
  for (std::size_t i = 0; i < reply.elements.size(); i += 2) {
    fields.emplace(reply.elements[i].text, reply.elements[i + 1].text);
  }
  return fields;
}

std::string_view Text(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::optional<std::uint64_t> Number(const Fields& fields, std::string_view name) {
  return ParseNumber(Text(fields, name));
}

std::optional<LogTime> Time(const Fields& fields, std::string_view name) {
  const auto micros = Number(fields, name);
  if (!micros || *micros >= static_cast<std::uint64_t>(kTimeLimitMicros)) return std::nullopt;
  return LogTimeFromMicros(static_cast<std::int64_t>(*micros));
}

}  // namespace

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || ToText(number) != text) return std::nullopt;
  return number;
}

std::optional<std::vector<std::string>> SplitTexts(std::string_view joined) {
  std::vector<std::string> texts;
  while (!joined.empty()) {
    const std::size_t colon = joined.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto size = ParseNumber(joined.substr(0, colon));
    joined.remove_prefix(colon + 1);
    if (!size || *size >= joined.size() || joined[*size] != ',') return std::nullopt;
    texts.emplace_back(joined.substr(0, *size));
    joined.remove_prefix(*size + 1);
  }
  return texts;
}

absl::StatusOr<Position> DecodePosition(std::span<const RedisReply> fields) {
  if (fields.size() < kPositionFields) return WrongAnswer("Redis: the answer does not say where the store stands");
  if (fields[0].text.empty()) return Position{};
  const auto log_id = ParseLogId(fields[0].text);
  const auto epoch = ParseNumber(fields[1].text);
  const auto applied = ParseNumber(fields[2].text);
  if (!log_id || !epoch || !applied) {
    return WrongAnswer(absl::StrCat("Redis: meta holds log_id `", fields[0].text, "`, controller_epoch `",
                                    fields[1].text, "`, applied_seq `", fields[2].text,
                                    "`, which this store never writes: rebuild it"));
  }
  return Position{.condition = fields[3].text.empty() ? Position::Condition::kReady : Position::Condition::kResyncing,
                  .log_id = *log_id,
                  .controller_epoch = ControllerEpoch(*epoch),
                  .applied_seq = Sequence(*applied)};
}

absl::StatusOr<ScriptAnswer> DecodeAnswer(const RedisReply& reply) {
  const bool is_answer = reply.is_array() && reply.elements.size() > kPositionFields;
  const auto verdict = is_answer ? ParseVerdict(reply.elements[0].text) : std::nullopt;
  if (!verdict) return WrongAnswer("Redis: a script answers what it does not know how to say");
  const std::span<const RedisReply> elements(reply.elements);
  absl::StatusOr<Position> position = DecodePosition(elements.subspan(1));
  if (!position.ok()) return position.status();
  return ScriptAnswer{*verdict, *position, elements.subspan(1 + kPositionFields)};
}

std::optional<AddressRow> DecodeAddress(std::string id, const RedisReply& reply) {
  const auto fields = ToFields(reply);
  if (!fields) return std::nullopt;
  const auto state = ParseAddressState(Text(*fields, "state"));
  const auto epoch = Number(*fields, "epoch"), sequence = Number(*fields, "seq");
  if (!state || !epoch || !sequence) return std::nullopt;
  AddressRow row{.id = std::move(id),
                 .state = *state,
                 .owner = std::string(Text(*fields, "owner")),
                 .epoch = Epoch(*epoch),
                 .sequence = Sequence(*sequence),
                 .available_until = std::nullopt,
                 .extraction_id = std::string(Text(*fields, "extraction")),
                 .extracted_until = LogTime()};
  if (*state == AddressState::kExtracted) {
    const auto until = Time(*fields, "extracted_until");
    if (!until || row.extraction_id.empty()) return std::nullopt;
    row.extracted_until = *until;
  }
  return row;
}

std::optional<ProxyRow> DecodeProxy(std::string id, const RedisReply& reply) {
  const auto fields = ToFields(reply);
  if (!fields) return std::nullopt;
  const auto usable_until = Time(*fields, "usable_until");
  const auto sequence = Number(*fields, "seq");
  if (!usable_until || !sequence || Text(*fields, "address").empty()) return std::nullopt;
  return ProxyRow{.id = std::move(id),
                  .address = std::string(Text(*fields, "address")),
                  .scheme = std::string(Text(*fields, "scheme")),
                  .health = std::string(Text(*fields, "health")),
                  .usable_until = *usable_until,
                  .sequence = Sequence(*sequence)};
}

std::optional<SessionRow> DecodeSession(std::string worker, const RedisReply& reply) {
  const auto fields = ToFields(reply);
  if (!fields) return std::nullopt;
  SessionRow row{.worker = std::move(worker), .fields = {}, .ttl = {}};
  for (const auto& [name, value] : *fields) row.fields.emplace_back(name, value);
  return row;
}

std::optional<LogTime> DecodeScore(const RedisReply& score) {
  double micros = 0;
  if (!score.is_text() || !absl::SimpleAtod(score.text, &micros)) return std::nullopt;
  return LogTimeFromMicros(static_cast<std::int64_t>(micros));
}

}  // namespace holdfast::pool
