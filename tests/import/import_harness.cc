#include "tests/import/import_harness.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "tests/import/import_run.h"
#include "tests/import/print_proxy.h"
#include "tools/import/item_json.h"
#include "tools/import/proxy_text.h"
#include "tools/import/secret_reference.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

constexpr std::size_t kFormats = 4;

// A few bytes at a time, never the same number twice running.
class DrippingSource final : public ByteSource {
 public:
  explicit DrippingSource(std::string_view bytes) : inner_(bytes) {}
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    step_ = step_ % 7 + 1;
    return inner_.Read(buffer, std::min(size, step_));
  }

 private:
  MemorySource inner_;
  std::size_t step_ = 0;
};

std::string Summary(const FileReport& report, const RecordingSink& sink) {
  nlohmann::json summary;
  summary["counts"] = {report.counts.accepted, report.counts.duplicates, report.counts.rejected, report.counts.skipped};
  summary["format"] = std::string(ListFormatName(report.format));
  summary["problem"] = report.problem ? std::string(FileProblemName(*report.problem)) : "";
  summary["pages"] = {report.refusals, report.partial_pages};
  summary["accepted"] = nlohmann::json::array();
  for (const Item& item : sink.items) summary["accepted"].push_back(ItemToJson(item));
  for (const Duplicate& duplicate : sink.duplicates) {
    summary["duplicates"].push_back({duplicate.position.line, duplicate.first_line, duplicate.password_differs});
  }
  for (const Rejection& rejection : sink.rejections) summary["rejected"].push_back(RejectionToJson(rejection));
  return summary.dump();
}

// As the reader sees them, counted in another way than the reader does.
std::uint64_t CountLines(std::string_view bytes) {
  const char end = bytes.substr(0, 1u << 16).find('\n') == std::string_view::npos &&
                           bytes.substr(0, 1u << 16).find('\r') != std::string_view::npos
                       ? '\r'
                       : '\n';
  const auto ends = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), end));
  return bytes.empty() || bytes.back() == end ? ends : ends + 1;
}

void CheckReference(const Item& item, const SecretStore& secrets) {
  if (item.secret_ref.empty()) return;
  HOLDFAST_CHECK(item.secret_ref.size() <= 128);
  HOLDFAST_CHECK(std::all_of(item.secret_ref.begin(), item.secret_ref.end(),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; }));
  const auto credential = secrets.credentials().find(item.secret_ref);
  HOLDFAST_CHECK(credential != secrets.credentials().end());
  HOLDFAST_CHECK(SecretReferenceOf(item.endpoint, credential->second) == item.secret_ref);
  HOLDFAST_CHECK(!credential->second.username.empty());
}

void CheckItem(const Item& item, const SecretStore& secrets) {
  HOLDFAST_CHECK(item.endpoint.port != 0);
  const NormalisedHost host = NormaliseHost(item.endpoint.host);
  HOLDFAST_CHECK(host.ok() && host.host == item.endpoint.host);
  HOLDFAST_CHECK(IsAbsent(item.expires_at) || item.expires_at > kNow);
  HOLDFAST_CHECK(CanonicalUrl(item.endpoint, item.secret_ref).size() <= 1024);
  for (const auto& [name, value] : item.labels) {
    HOLDFAST_CHECK(value.size() <= 256 && IsUtf8(value) && !HasControlCharacter(value));
    HOLDFAST_CHECK(!LooksLikeUrlWithUserInfo(value));
  }
  CheckReference(item, secrets);

  std::optional<Credential> credential;
  if (!item.secret_ref.empty()) credential = secrets.credentials().at(item.secret_ref);
  const Parsed<ParsedProxy> parsed = ParseProxyText(PrintAsUrl(item.endpoint, credential), TextRules());
  const auto* proxy = std::get_if<ParsedProxy>(&parsed);
  HOLDFAST_CHECK(proxy != nullptr);
  HOLDFAST_CHECK(proxy->scheme == item.endpoint.scheme && proxy->host == item.endpoint.host);
  HOLDFAST_CHECK(proxy->port == item.endpoint.port && proxy->credential == credential);
}

}  // namespace

void CheckImportOfAnyBytes(std::string_view bytes) {
  ImportOptions options = TestOptions();
  options.max_line_bytes = 512;
  options.max_record_bytes = 2048;
  if (!bytes.empty()) {
    const auto choice = static_cast<unsigned char>(bytes.front()) % (kFormats + 1);
    if (choice < kFormats) options.format = static_cast<ListFormat>(choice);
    bytes.remove_prefix(1);
  }
  ImportRun run(options);
  const FileReport report = run.Take("list", bytes);
  HOLDFAST_CHECK(report.counts.accepted == run.sink.items.size());
  HOLDFAST_CHECK(report.counts.duplicates == run.sink.duplicates.size());
  HOLDFAST_CHECK(report.counts.rejected == run.sink.rejections.size());
  const bool is_encoded = bytes.starts_with("\x1f\x8b\x08") || bytes.starts_with("\xff\xfe") ||
                          bytes.starts_with("\xfe\xff") || bytes.starts_with("\xef\xbb\xbf");
  if (report.format == ListFormat::kText && !report.problem && !is_encoded) {
    HOLDFAST_CHECK(report.counts.Sum() == CountLines(bytes));
  }
  for (const Item& item : run.sink.items) CheckItem(item, run.importer.secrets());
  const std::string summary = Summary(report, run.sink);

  ImportRun dripped(options);
  DrippingSource source(bytes);
  const FileReport dripped_report = dripped.importer.Import("list", &source);
  HOLDFAST_CHECK(Summary(dripped_report, dripped.sink) == summary);

  const FileReport again = run.Take("list", bytes);
  HOLDFAST_CHECK(again.counts.accepted == 0);
  HOLDFAST_CHECK(again.counts.Sum() == report.counts.Sum());
}

}  // namespace holdfast::importer
