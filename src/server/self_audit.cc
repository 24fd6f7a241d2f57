#include "server/self_audit.h"

#include <absl/strings/str_cat.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "replay/verifier.h"
#include "server/daemon_log.h"

namespace holdfast::server {
namespace {

constexpr int kLowestPriority = 19;

void GiveWay() {
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  if (setpriority(PRIO_PROCESS, thread, kLowestPriority) == 0) return;
  LogWarning(absl::StrCat("the self-audit runs with ordinary priority: ", std::strerror(errno)));
}

std::string TextOf(const replay::Finding& finding) {
  std::string text = absl::StrCat("sequence ", finding.first.value(), ": ", finding.text);
  if (finding.differences.empty()) return text;
  const replay::FieldDifference& first = finding.differences.front();
  absl::StrAppend(&text, "; ", first.path, ": the log says ", first.logged, ", decided again ", first.decided);
  return text;
}

}  // namespace

void SelfAudit::Start() {
  thread_ = std::thread([this] { Run(); });
}

void SelfAudit::Nudge() {
  const std::lock_guard<std::mutex> lock(mutex_);
  nudged_ = true;
  wake_.notify_one();
}

void SelfAudit::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

// False: it is to stop.
bool SelfAudit::WaitForMore() {
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait(lock, [&] { return stopped_ || nudged_; });
  nudged_ = false;
  return !stopped_;
}

SelfAudit::Divergence SelfAudit::AuditUntilItEnds() {
  replay::Verifier verifier;
  const auto unreadable = [&](const absl::Status& status) {
    return Divergence{Next(verified()), std::string(status.message())};
  };
  const absl::StatusOr<std::unique_ptr<BlockReader>> reader = log_.NewReader(Sequence(0));
  if (!reader.ok()) return unreadable(reader.status());
  while (!stopped_) {
    const absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
    if (!block.ok()) return unreadable(block.status());
    if (!block->has_value()) {
      if (!WaitForMore()) break;
      continue;
    }
    const absl::StatusOr<replay::Verdict> verdict = verifier.Check(**block);
    if (!verdict.ok()) return unreadable(verdict.status());
    if (verdict->finding) return {verdict->finding->first, TextOf(*verdict->finding)};
    verified_ = verifier.tally().last.value();
  }
  return {};
}

void SelfAudit::Run() {
  GiveWay();
  const Divergence divergence = AuditUntilItEnds();
  if (divergence.text.empty()) return;
  LogError(absl::StrCat("the self-audit found the log wanting at ", divergence.text));
  on_divergence_(divergence);
}

}  // namespace holdfast::server
