#include "replay/command_log.h"

#include <absl/strings/str_cat.h>

#include <memory>

#include "controller/log_render.h"
#include "replay/checked_block.h"
#include "replay/json_text.h"
#include "replay/time_text.h"
#include "replay/verifier.h"
#include "replay/writer_version.h"

namespace holdfast::replay {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(200);

// Events carry keys; what they stand for is learnt from the first entry on.
bool NeedsNames(const LogFilterSettings& filter) {
  return !filter.proxy_id.empty() || !filter.member_id.empty() || !filter.session_id.empty();
}

class Printer {
 public:
  Printer(const LogCommand& command, const Environment& environment)
      : command_(command), environment_(environment), filter_(command.filter) {}

  // The first entry that could not be read or shown, or OK.
  absl::Status Block(const CheckedBlock& block) {
    if (!block.chain.ok()) return block.chain;
    for (const EntryView& entry : block.view.entries()) {
      if (IsOver(entry.sequence)) return absl::OkStatus();
      if (absl::Status status = ParseEntry(entry, messages_); !status.ok()) return status;
      if (!filter_.Matches(entry, messages_) || entry.sequence < command_.from) continue;
      if (absl::Status status = Print(entry); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  bool IsOver(Sequence sequence) const { return command_.to.has_value() && sequence > *command_.to; }

 private:
  absl::Status Print(const EntryView& entry) {
    if (!command_.json) {
      environment_.out << EntryLine(entry, messages_) << '\n';
      return absl::OkStatus();
    }
    const absl::StatusOr<std::string> content = EntryJson(messages_);
    if (!content.ok()) return content.status();
    Json head;
    head["sequence"] = entry.sequence.value();
    head["at"] = TimeText(entry.at);
    head["principal"] = std::string(entry.principal);
    head["kind"] = EntryKind(messages_);
    std::string line = JsonText(head);
    line.back() = ',';  // one object: the head, then what the entry holds
    environment_.out << line << content->substr(1) << '\n';
    return absl::OkStatus();
  }

  const LogCommand& command_;
  const Environment& environment_;
  LogFilter filter_;
  EntryMessages messages_;
};

// One block after the other; at the end it waits, if asked to.
absl::Status Walk(const EventLog& log, const LogCommand& command, const Environment& environment) {
  const Sequence begin = NeedsNames(command.filter) ? Sequence(1) : command.from;
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(begin);
  if (!reader.ok()) return reader.status();
  Printer printer(command, environment);
  std::optional<ChainVerifier> chain;
  CheckedBlock block;
  while (!environment.interrupted() && environment.out.good()) {
    const absl::StatusOr<std::optional<StoredBlock>> stored = (*reader)->Next();
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) {
      environment.out.flush();
      if (!command.follow || !environment.wait || !environment.wait(kLookAgain)) return absl::OkStatus();
      if (absl::Status status = command.refresh ? command.refresh() : absl::OkStatus(); !status.ok()) return status;
      continue;
    }
    if (printer.IsOver((*stored)->first)) return absl::OkStatus();
    CheckChain(**stored, begin.value() > 1, chain, block);
    if (absl::Status status = printer.Block(block); !status.ok()) {
      const bool newer = status.code() == absl::StatusCode::kUnimplemented;
      return newer ? WithWriter(status, WriterVersion(log, (*stored)->first)) : status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

ReplayExit RunLog(const EventLog& log, const LogCommand& command, const Environment& environment) {
  for (const std::string& kind : command.filter.kinds) {
    if (IsInputKind(kind)) continue;
    environment.errors << "holdfast-replay: there is no kind of input '" << kind
                       << "'. Those of a log are in `holdfast-replay info DIR`.\n";
    return ReplayExit::kCouldNotRun;
  }
  const absl::Status status = Walk(log, command, environment);
  if (status.ok()) return ReplayExit::kSound;
  environment.out.flush();
  environment.errors << "holdfast-replay: " << status.message() << '\n';
  return ExitOf(status);
}

}  // namespace holdfast::replay
