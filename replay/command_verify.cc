#include "replay/command_verify.h"

#include "replay/json_text.h"
#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

Json FindingJson(const Finding& finding) {
  Json json;
  json["kind"] = FindingWord(finding.kind);
  json["first_sequence"] = finding.first.value();
  json["last_sequence"] = finding.last.value();
  json["text"] = finding.text;
  json["differences"] = Json::array();
  for (const FieldDifference& difference : finding.differences) {
    json["differences"].push_back(
        {{"path", difference.path}, {"logged", difference.logged}, {"decided", difference.decided}});
  }
  return json;
}

Json ReportJson(const VerifyReport& report) {
  const VerifyTally& tally = report.tally;
  Json json;
  json["sound"] = !report.finding.has_value();
  json["last_sequence"] = tally.last.value();
  json["last_at"] = TimeJson(tally.last_at);
  json["blocks"] = tally.blocks;
  json["entries"] = tally.entries;
  json["decided_again"] = tally.decided;
  json["digests_compared"] = tally.digests;
  json["digests_of_other_versions"] = tally.digests_of_others;
  json["ownership_periods"] = tally.ownership_periods;
  json["folded_only"] = Json::array();
  for (const FoldedOnlyRange& range : tally.folded_only) {
    json["folded_only"].push_back({{"first_sequence", range.first.value()},
                                   {"last_sequence", range.last.value()},
                                   {"reason", FoldedOnlyWord(range.reason)}});
  }
  json["finding"] = report.finding ? FindingJson(*report.finding) : Json(nullptr);
  return json;
}

void TellFinding(const Finding& finding, std::ostream& out) {
  out << "FOUND WANTING at sequence " << finding.first.value();
  if (finding.last > finding.first) out << " to " << finding.last.value();
  out << " (" << FindingWord(finding.kind) << "): " << finding.text << '\n';
  for (const FieldDifference& difference : finding.differences) {
    out << "  " << difference.path << "\n    logged:  " << difference.logged << "\n    decided: " << difference.decided
        << '\n';
  }
}

void TellReport(const VerifyReport& report, std::ostream& out) {
  const VerifyTally& tally = report.tally;
  if (report.finding) {
    TellFinding(*report.finding, out);
    out << "Sound before that: " << tally.entries << " entries, up to sequence " << tally.last.value() << ".\n";
  } else if (tally.entries == 0) {
    out << "Sound: the log is empty.\n";
  } else {
    out << "Sound: sequences 1 to " << tally.last.value() << ", " << tally.blocks << " blocks, up to "
        << TimeText(tally.last_at) << ".\n";
  }
  out << "Decided again and equal: " << tally.decided << " of " << tally.entries
      << " entries; state digests compared: " << tally.digests;
  if (tally.digests_of_others > 0)
    out << " (" << tally.digests_of_others << " are of another version of the projections)";
  out << "; rows of ownership periods: " << tally.ownership_periods << ".\n";
  for (const FoldedOnlyRange& range : tally.folded_only) {
    out << "Folded only: " << range.first.value() << " to " << range.last.value() << " ("
        << FoldedOnlyWord(range.reason) << ").\n";
  }
}

}  // namespace

ReplayExit RunVerify(const EventLog& log, const VerifyCommand& command, const Environment& environment) {
  const absl::StatusOr<VerifyReport> report = VerifyLog(log, command.options, environment);
  if (!report.ok()) {
    environment.errors << "holdfast-replay: " << report.status().message() << '\n';
    return ExitOf(report.status());
  }
  if (command.json) {
    environment.out << JsonText(ReportJson(*report)) << '\n';
  } else {
    TellReport(*report, environment.out);
  }
  return report->finding ? ReplayExit::kFoundWanting : ReplayExit::kSound;
}

void TellBrokenFold(std::uint64_t sequence, const VerifyCommand& command, const Environment& environment) {
  VerifyReport report;
  report.tally.last = Sequence(sequence - 1);
  report.tally.entries = sequence - 1;
  report.finding = Finding{.kind = FindingKind::kInvariant,
                           .first = Sequence(sequence),
                           .last = Sequence(sequence),
                           .text =
                               "its input cannot be decided, or its events not folded: they break an invariant of "
                               "the state (named on stderr)",
                           .differences = {}};
  if (command.json) {
    environment.out << JsonText(ReportJson(report)) << std::endl;
  } else {
    TellFinding(*report.finding, environment.out);
    environment.out << std::flush;
  }
}

}  // namespace holdfast::replay
