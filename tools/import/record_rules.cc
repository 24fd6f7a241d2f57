#include "tools/import/record_rules.h"

#include <algorithm>
#include <utility>

#include "tools/import/expiry.h"
#include "tools/import/host_and_port.h"
#include "tools/import/proxy_url.h"
#include "tools/import/secret_reference.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

using enum RejectionReason;
using Kind = FieldValue::Kind;

constexpr std::size_t kLongestLabel = 256;
constexpr std::size_t kLongestSocksCredential = 255;
constexpr std::size_t kMostCapacityDigits = 10;
constexpr std::uint64_t kMostCapacity = 0xffffffff;

bool IsSocks(Scheme scheme) { return scheme != Scheme::kHttp && scheme != Scheme::kHttps; }

bool FitsScheme(const Credential& credential, Scheme scheme) {
  if (!IsSocks(scheme)) return true;
  return credential.username.size() <= kLongestSocksCredential &&
         (!credential.password || credential.password->size() <= kLongestSocksCredential);
}

Parsed<std::string> HostOfField(const FieldValue& field, bool allow_special) {
  if (field.kind == Kind::kAbsent) return kMissingHost;
  if (!field.IsText()) return kBadHostname;
  if (const auto reason = CheckText(field.text)) return *reason;
  std::string_view host = TrimText(field.text);
  if (host.empty()) return kMissingHost;
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  return ParseHost(host, bracketed, allow_special);
}

Parsed<std::uint16_t> PortOfField(const FieldValue& field) {
  if (field.IsEmpty()) return kMissingPort;
  if (field.kind == Kind::kOther) return kBadPort;
  // A negative number of JSON is a number, and out of range.
  if (field.kind == Kind::kNumber && field.text.starts_with('-')) return kPortOutOfRange;
  return ParsePort(TrimText(field.text));
}

Parsed<std::uint32_t> CapacityOfField(const FieldValue& field) {
  if (field.kind == Kind::kAbsent) return std::uint32_t{0};
  if (field.kind == Kind::kOther) return kBadCapacity;
  const std::string_view text = TrimText(field.text);
  if (text.empty()) return std::uint32_t{0};
  if (text.size() > kMostCapacityDigits || CountLeadingDigits(text) != text.size()) return kBadCapacity;
  std::uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  if (value == 0 || value > kMostCapacity) return kBadCapacity;
  return static_cast<std::uint32_t>(value);
}

// A text for people; nothing where the field holds none.
Parsed<std::string> LabelOfField(const FieldValue& field) {
  if (field.kind != Kind::kText && field.kind != Kind::kNumber) return std::string();
  const std::string_view text = TrimText(field.text);
  if (!IsUtf8(text)) return kInvalidUtf8;
  if (HasControlCharacter(text)) return kControlCharacter;
  if (text.size() > kLongestLabel) return kLabelTooLong;
  if (LooksLikeUrlWithUserInfo(text)) return kSecretInField;
  return std::string(text);
}

std::string ProxyIdOf(const Candidate& candidate) {
  return CanonicalUrl(candidate.endpoint, SecretReferenceOf(candidate.endpoint, candidate.credential));
}

}  // namespace

struct RecordRules::Draft {
  Candidate candidate;
  std::string url_scheme;
  std::optional<RejectionReason> terms;  // against its expiry or capacity: the proxy is known all the same
};

RecordRules::RecordRules(const ImportOptions& options)
    : options_(options), text_rules_{options.allow_special, ExpiryRules{options.now, options.times_without_zone}} {}

void RecordRules::Interpret(const RawRecord& record, std::vector<Outcome>* outcomes) const {
  Draft draft;
  std::optional<RejectionReason> reason;
  if (record.has_duplicate_key()) reason = kDuplicateKey;
  if (!reason && record.has_conflict()) reason = kConflictingFields;
  if (!reason) reason = FillEndpoint(record, &draft);
  if (!reason) reason = FillCredential(record, &draft);
  if (!reason) reason = FillLabels(record, &draft);
  if (!reason && record.has_scheme_list() && record.schemes().empty()) reason = kMissingScheme;
  if (reason) {
    outcomes->push_back(Refusal{*reason, {}});
    return;
  }
  draft.terms = FillTerms(record, &draft);
  if (record.has_scheme_list()) {
    for (const std::string& scheme : record.schemes()) Finish(draft, scheme, outcomes);
    return;
  }
  const FieldValue& field = record[Field::kScheme].IsEmpty() ? record[Field::kType] : record[Field::kScheme];
  if (field.kind == Kind::kNumber || field.kind == Kind::kOther) {
    outcomes->push_back(Refusal{kUnsupportedScheme, {}});
    return;
  }
  Finish(draft, TrimText(field.text), outcomes);
}

Outcome RecordRules::InterpretText(std::string_view text) const {
  text = TrimText(text);
  if (text.size() > options_.max_line_bytes) return Refusal{kLineTooLong, {}};
  if (const auto reason = CheckText(text)) return Refusal{*reason, {}};
  if (text.empty()) return Refusal{kMissingHost, {}};
  Parsed<ParsedProxy> parsed = ParseProxyText(text, text_rules_);
  if (const auto* reason = Refused(parsed)) return Refusal{*reason, {}};
  ParsedProxy& proxy = std::get<ParsedProxy>(parsed);
  Candidate candidate;
  candidate.endpoint = Endpoint{proxy.scheme.value_or(options_.default_scheme), std::move(proxy.host), proxy.port};
  candidate.credential = std::move(proxy.credential);
  candidate.expires_at = proxy.expires_at;
  candidate.zone = options_.zone;
  candidate.source = options_.source;
  if (!proxy.country.empty()) candidate.labels.emplace("country", std::move(proxy.country));
  return Conclude(std::move(candidate), std::nullopt);
}

std::optional<RejectionReason> RecordRules::FillEndpoint(const RawRecord& record, Draft* draft) const {
  const bool has_url = record[Field::kUrl].IsText() && !TrimText(record[Field::kUrl].text).empty();
  if (has_url) return FillFromUrl(record, draft);
  return FillFromFields(record, draft);
}

// The URL names the proxy; fields beside it may only say the same.
std::optional<RejectionReason> RecordRules::FillFromUrl(const RawRecord& record, Draft* draft) const {
  const std::string_view text = TrimText(record[Field::kUrl].text);
  if (const auto reason = CheckText(text)) return reason;
  if (text.size() > options_.max_line_bytes) return kLineTooLong;
  Parsed<ParsedProxy> parsed = ParseProxyText(text, text_rules_);
  if (const auto* reason = Refused(parsed)) return *reason;
  ParsedProxy& proxy = std::get<ParsedProxy>(parsed);
  if (!record[Field::kHost].IsEmpty()) {
    const Parsed<std::string> host = HostOfField(record[Field::kHost], options_.allow_special);
    if (const auto* reason = Refused(host)) return *reason;
    if (std::get<std::string>(host) != proxy.host) return kConflictingFields;
  }
  if (!record[Field::kPort].IsEmpty()) {
    const Parsed<std::uint16_t> port = PortOfField(record[Field::kPort]);
    if (const auto* reason = Refused(port)) return *reason;
    if (std::get<std::uint16_t>(port) != proxy.port) return kConflictingFields;
  }
  draft->candidate.endpoint.host = std::move(proxy.host);
  draft->candidate.endpoint.port = proxy.port;
  draft->candidate.credential = std::move(proxy.credential);
  draft->candidate.expires_at = proxy.expires_at;
  if (proxy.scheme) draft->url_scheme = std::string(SchemeName(*proxy.scheme));
  return std::nullopt;
}

std::optional<RejectionReason> RecordRules::FillFromFields(const RawRecord& record, Draft* draft) const {
  Parsed<std::string> host = HostOfField(record[Field::kHost], options_.allow_special);
  if (const auto* reason = Refused(host)) return *reason;
  const Parsed<std::uint16_t> port = PortOfField(record[Field::kPort]);
  if (const auto* reason = Refused(port)) return *reason;
  draft->candidate.endpoint.host = std::move(std::get<std::string>(host));
  draft->candidate.endpoint.port = std::get<std::uint16_t>(port);
  return std::nullopt;
}

std::optional<RejectionReason> RecordRules::FillCredential(const RawRecord& record, Draft* draft) const {
  const FieldValue& username = record[Field::kUsername];
  const FieldValue& password = record[Field::kPassword];
  if (username.kind == Kind::kOther || password.kind == Kind::kOther) return kMalformedUserinfo;
  if (username.IsEmpty() && password.IsEmpty()) return std::nullopt;
  // An empty password beside a user name is what lists write for none.
  const auto text = password.IsEmpty() ? std::nullopt : std::optional<std::string_view>(password.text);
  Parsed<Credential> credential = MakeCredential(username.text, text);
  if (const auto* reason = Refused(credential)) return *reason;
  auto& known = draft->candidate.credential;
  if (known && *known != std::get<Credential>(credential)) return kConflictingFields;
  known = std::move(std::get<Credential>(credential));
  return std::nullopt;
}

std::optional<RejectionReason> RecordRules::FillLabels(const RawRecord& record, Draft* draft) const {
  const auto fill = [&](Field field, std::string* target) -> std::optional<RejectionReason> {
    Parsed<std::string> text = LabelOfField(record[field]);
    if (const auto* reason = Refused(text)) return *reason;
    if (!std::get<std::string>(text).empty()) *target = std::move(std::get<std::string>(text));
    return std::nullopt;
  };
  Candidate& candidate = draft->candidate;
  std::string country, city, exit_address;
  std::optional<RejectionReason> reason = fill(Field::kCountry, &country);
  if (!reason) reason = fill(Field::kCountryCode, &country);
  if (!reason) reason = fill(Field::kCity, &city);
  if (!reason) reason = fill(Field::kExitAddress, &exit_address);
  if (!reason) reason = fill(Field::kZone, &candidate.zone);
  if (!reason) reason = fill(Field::kSource, &candidate.source);
  if (reason) return reason;
  if (!options_.zone.empty()) candidate.zone = options_.zone;
  if (!options_.source.empty()) candidate.source = options_.source;
  if (!country.empty()) candidate.labels.emplace("country", std::move(country));
  if (!city.empty()) candidate.labels.emplace("city", std::move(city));
  // Only what a check of the exit could be held against: one address, and another than the entry.
  const NormalisedHost exit_host = NormaliseHost(exit_address);
  if (exit_host.ok() && exit_host.host != candidate.endpoint.host)
    candidate.labels.emplace("exit_address", exit_host.host);
  return std::nullopt;
}

std::optional<RejectionReason> RecordRules::FillTerms(const RawRecord& record, Draft* draft) const {
  Candidate& candidate = draft->candidate;
  const Parsed<std::uint32_t> capacity = CapacityOfField(record[Field::kCapacity]);
  if (const auto* reason = Refused(capacity)) return *reason;
  candidate.capacity = std::get<std::uint32_t>(capacity);

  const FieldValue& expiry = record[Field::kExpiresAt];
  const FieldValue& time_to_live = record[Field::kTimeToLive];
  if (expiry.IsEmpty() && time_to_live.IsEmpty()) return std::nullopt;
  if (expiry.kind == Kind::kOther || time_to_live.kind == Kind::kOther) return kBadExpiry;
  const Parsed<LogTime> expires_at = expiry.IsEmpty() ? ParseTimeToLive(time_to_live.text, text_rules_.expiry)
                                                      : ParseExpiry(expiry.text, text_rules_.expiry);
  if (const auto* reason = Refused(expires_at)) return *reason;
  candidate.expires_at = std::get<LogTime>(expires_at);
  return std::nullopt;
}

void RecordRules::Finish(const Draft& draft, std::string_view scheme_text, std::vector<Outcome>* outcomes) const {
  const std::optional<Scheme> from_url = ParseScheme(draft.url_scheme);
  Scheme scheme = from_url.value_or(options_.default_scheme);
  if (!scheme_text.empty()) {
    const std::optional<Scheme> named = ParseScheme(scheme_text);
    if (!named) {
      outcomes->push_back(Refusal{kUnsupportedScheme, {}});
      return;
    }
    if (from_url && *from_url != *named) {
      outcomes->push_back(Refusal{kConflictingFields, {}});
      return;
    }
    scheme = *named;
  }
  Candidate candidate = draft.candidate;
  candidate.endpoint.scheme = scheme;
  outcomes->push_back(Conclude(std::move(candidate), draft.terms));
}

Outcome RecordRules::Conclude(Candidate candidate, std::optional<RejectionReason> terms) const {
  if (candidate.credential && !FitsScheme(*candidate.credential, candidate.endpoint.scheme)) {
    return Refusal{kCredentialTooLong, {}};
  }
  if (terms) return Refusal{*terms, ProxyIdOf(candidate)};
  if (!IsAbsent(candidate.expires_at) && IsOver(candidate.expires_at, options_.now)) {
    return Refusal{kExpired, ProxyIdOf(candidate)};
  }
  return candidate;
}

}  // namespace holdfast::importer
