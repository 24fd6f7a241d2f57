#include "tools/cli/import_run.h"

#include <memory>
#include <ostream>
#include <utility>

#include "tools/cli/import_batcher.h"
#include "tools/cli/import_secrets.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/proxy_spec.h"
#include "tools/cli/time_text.h"
#include "tools/import/item_json.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kRejectionsForPeople = 100;
constexpr std::size_t kRejectionsForPrograms = 10'000;

Result FromStatus(const absl::Status& status) {
  return Result::CouldNotRun("import: " + PrintableText(std::string(status.message())) + ".");
}

void IgnoreName(const std::string&, ImportOrigin) {}

}  // namespace

ImportRun::ImportRun(Invocation& invocation, const ImportSettings& settings)
    : invocation_(invocation),
      settings_(settings),
      tally_(settings.most_rejections.value_or(invocation.json ? kRejectionsForPrograms : kRejectionsForPeople)),
      progress_(invocation.environment, tally_) {}

Result ImportRun::Run() {
  Result checked = ImportLists::Check(settings_);
  if (!checked.ok()) return checked;
  if (settings_.dry_run) return DryRun();
  if (!settings_.secrets_out.empty()) {
    auto before = LoadSecrets(settings_.secrets_out);
    if (!before.ok()) return FromStatus(before.status());
    secrets_before_ = *std::move(before);
  }
  return settings_.replace ? Replace() : Stream();
}

Result ImportRun::DryRun() {
  Environment& environment = invocation_.environment;
  std::optional<JsonList> items;
  if (invocation_.json) items.emplace(environment.out, "items");
  const auto take = [&](const importer::Item& item, ImportOrigin origin) {
    if (items) {
      Json json = {{"file", settings_.files[origin.file]}};
      json.update(importer::ItemToJson(item));
      items->Add(json);
    }
    return environment.out.good() && !environment.interrupt.Requested();
  };
  ImportListSink sink(settings_, tally_, progress_, take, IgnoreName);
  ImportLists lists(environment, settings_, tally_, sink);
  Result result = lists.Read();
  Warn(lists, sink);
  ImportReport report = MakeReport(result);
  report.counts.added = sink.accepted();
  if (items) {
    items->Finish(ReportJson(report));
  } else {
    WriteReport(environment.out, report);
  }
  if (result.ok() && report.counts.rejected > 0) result.code = ExitCode::kFoundWanting;
  return result;
}

Result ImportRun::Stream() {
  ImportSender sender(invocation_, tally_, SenderSettings());
  ImportBatcher batcher("", [&](ImportBatch batch) { return sender.Send(std::move(batch)) == SendOutcome::kSent; });
  const auto take = [&](const importer::Item& item, ImportOrigin origin) {
    return batcher.Add(ToProxySpec(item), origin) && !invocation_.environment.interrupt.Requested();
  };
  ImportListSink sink(settings_, tally_, progress_, take, IgnoreName);
  ImportLists lists(invocation_.environment, settings_, tally_, sink);
  Result result = lists.Read();
  // Also after a list that broke off: what was read of it is good.
  if (!invocation_.environment.interrupt.Requested() && batcher.Finish()) sender.Finish();
  sender.Stop();
  if (!sender.failure().ok()) result = sender.failure();
  Result kept = KeepSecrets(lists);
  if (result.ok()) result = std::move(kept);
  Warn(lists, sink);
  return Conclude(std::move(result));
}

Result ImportRun::Replace() {
  absl::StatusOr<BatchSpool> spool = BatchSpool::Create();
  if (!spool.ok()) return FromStatus(spool.status());
  absl::Status spooled;
  ImportBatcher batcher(settings_.source, [&](const ImportBatch& batch) {
    spooled = spool->Append(batch);
    return spooled.ok();
  });
  const auto take = [&](const importer::Item& item, ImportOrigin origin) {
    return batcher.Add(ToProxySpec(item), origin) && !invocation_.environment.interrupt.Requested();
  };
  const auto take_name = [&](const std::string& proxy_id, ImportOrigin origin) {
    admin::v1::ProxySpec spec;
    spec.set_proxy_id(proxy_id);
    batcher.Add(std::move(spec), origin);
  };
  ImportListSink sink(settings_, tally_, progress_, take, take_name);
  ImportLists lists(invocation_.environment, settings_, tally_, sink);
  Result result = lists.Read();
  batcher.Finish();
  if (!spooled.ok()) result = FromStatus(spooled);
  const std::optional<std::string> why_not = result.ok() ? lists.WhyNotReplace() : std::nullopt;
  if (why_not) {
    result = Result::CouldNotRun("import --replace: " + PrintableText(*why_not) + ". Nothing was sent or removed.");
  }
  if (result.ok()) result = KeepSecrets(lists);
  if (result.ok()) result = SendSpool(*spool);
  Warn(lists, sink);
  return Conclude(std::move(result));
}

Result ImportRun::SendSpool(BatchSpool& spool) {
  ImportSender::Settings settings = SenderSettings();
  settings.begins_again = true;
  ImportSender sender(invocation_, tally_, std::move(settings));
  absl::Status spooled;
  SendOutcome outcome = SendOutcome::kBeginAgain;
  while (outcome == SendOutcome::kBeginAgain) {
    tally_.ForgetAnswers();
    outcome = SendAll(spool, sender, spooled);
  }
  if (!spooled.ok()) return FromStatus(spooled);
  return outcome == SendOutcome::kSent ? Result::Done() : sender.failure();
}

SendOutcome ImportRun::SendAll(BatchSpool& spool, ImportSender& sender, absl::Status& spooled) {
  spooled = spool.Rewind();
  while (spooled.ok()) {
    absl::StatusOr<std::optional<ImportBatch>> batch = spool.Next();
    spooled = batch.status();
    if (!spooled.ok()) break;
    if (!*batch) return sender.Finish();
    const SendOutcome sent = sender.Send(**std::move(batch));
    if (sent != SendOutcome::kSent) return sent;
  }
  return SendOutcome::kFailed;
}

ImportSender::Settings ImportRun::SenderSettings() {
  ImportSender::Settings settings;
  settings.answered = [this] { progress_.Show(); };
  settings.notice = [this](const std::string& text) { progress_.Notice(text); };
  return settings;
}

Result ImportRun::KeepSecrets(const ImportLists& lists) {
  if (settings_.secrets_out.empty() || lists.secrets().credentials().empty()) return Result::Done();
  const absl::Status saved = SaveSecrets(lists.secrets(), secrets_before_, settings_.secrets_out);
  return saved.ok() ? Result::Done() : FromStatus(saved);
}

void ImportRun::Warn(const ImportLists& lists, const ImportListSink& sink) {
  const std::size_t credentials = lists.secrets().credentials().size();
  if (credentials > 0 && settings_.secrets_out.empty() && !settings_.dry_run) {
    progress_.Notice("warning: " + CountText(credentials) +
                     " user names with their passwords were NOT kept anywhere: only their references went to the "
                     "daemon. The same command with --secrets-out FILE writes them.");
  }
  if (sink.other_passwords() > 0) {
    progress_.Notice("warning: " + CountText(sink.other_passwords()) +
                     " duplicates name another password than the line they repeat; the first one stands.");
  }
  if (lists.partial_pages() > 0) {
    progress_.Notice("warning: a list announces more proxies than it holds: it is one page of several.");
  }
  progress_.Clear();
}

ImportReport ImportRun::MakeReport(const Result& result) const {
  return {.files = settings_.files,
          .counts = tally_.counts(),
          .rejections = tally_.rejections(),
          .dry_run = settings_.dry_run,
          .replaced = settings_.replace,
          .complete = result.ok()};
}

Result ImportRun::Conclude(Result result) {
  const ImportReport report = MakeReport(result);
  if (invocation_.json) {
    invocation_.environment.out << JsonText(ReportJson(report)) << '\n';
  } else {
    WriteReport(invocation_.environment.out, report);
  }
  if (!result.ok()) return WithAdvice(std::move(result));
  if (report.counts.rejected > 0) result.code = ExitCode::kFoundWanting;
  return result;
}

Result ImportRun::WithAdvice(Result result) const {
  const ImportCounts counts = tally_.counts();
  if (counts.log_sequence == 0) return result;
  result.error += settings_.replace ? " Some of it is in the pool already, and nothing was removed."
                                    : " What was answered until then is in the pool to stay.";
  result.error += " Run the same command again: what stands already counts as unchanged.";
  return result;
}

}  // namespace holdfast::cli
