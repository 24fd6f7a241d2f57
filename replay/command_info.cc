#include "replay/command_info.h"

#include "replay/block_pipeline.h"
#include "replay/json_text.h"
#include "replay/log_survey.h"
#include "replay/progress.h"
#include "replay/time_text.h"
#include "replay/verifier.h"

namespace holdfast::replay {
namespace {

Json SurveyJson(const LogSurvey& survey, const EventLog& log, const InfoCommand& command) {
  Json json;
  json["log_id"] = TextJson(survey.log_id);
  json["first_sequence"] = SequenceJson(survey.first);
  json["last_sequence"] = SequenceJson(survey.last);
  json["first_at"] = TimeJson(survey.first_at);
  json["last_at"] = TimeJson(survey.last_at);
  json["formats"] = survey.formats;
  json["state_versions"] = survey.state_versions;
  json["blocks"] = survey.blocks;
  json["entries"] = survey.entries;
  json["content_bytes"] = survey.block_bytes;
  json["disk_bytes"] = log.SizeBytes();
  json["dropped_bodies"] = survey.dropped_bodies;
  json["torn_end"] = command.torn_end ? Json(*command.torn_end) : Json(nullptr);
  json["checkpoints"] = Json::array();
  json["boots"] = survey.boots;
  json["starts"] = Json::array();
  for (const ControllerRun& run : survey.runs) {
    json["starts"].push_back({{"sequence", run.sequence.value()},
                              {"at", TimeJson(run.at)},
                              {"controller_epoch", run.controller_epoch},
                              {"rules_version", run.rules_version},
                              {"software_version", run.software_version},
                              {"same_boot", run.same_boot}});
  }
  json["inputs"] = survey.inputs;
  json["events"] = survey.events;
  return json;
}

const char* BootText(const ControllerRun& run) {
  if (run.controller_epoch == 1) return ", a new log";
  return run.same_boot ? ", same boot" : ", another boot";
}

void TellCounts(const char* what, const std::map<std::string, std::uint64_t>& counts, std::ostream& out) {
  out << what << ":\n";
  for (const auto& [name, count] : counts) out << "  " << name << "  " << count << '\n';
}

void TellSurvey(const LogSurvey& survey, const EventLog& log, const InfoCommand& command, std::ostream& out) {
  if (survey.blocks == 0) {
    out << "The log is empty.\n";
    return;
  }
  out << "log id       " << survey.log_id << '\n'
      << "sequences    " << survey.first.value() << " to " << survey.last.value() << " in " << survey.blocks
      << " blocks\n"
      << "log time     " << TimeText(survey.first_at) << " to " << TimeText(survey.last_at) << '\n'
      << "format       ";
  for (const std::uint32_t format : survey.formats) out << format << ' ';
  out << "\nsize         " << survey.block_bytes << " bytes of inputs and events, about " << log.SizeBytes()
      << " on disk\n"
      << "checkpoints  none\n";
  if (survey.dropped_bodies > 0) out << "dropped      " << survey.dropped_bodies << " bodies of inputs\n";
  if (command.torn_end) out << "torn end     " << *command.torn_end << '\n';
  out << "boots        " << survey.boots.size() << '\n' << "starts:\n";
  for (const ControllerRun& run : survey.runs) {
    out << "  " << run.sequence.value() << "  " << TimeText(run.at) << "  start " << run.controller_epoch
        << ", version " << run.software_version << ", rules " << run.rules_version << BootText(run) << '\n';
  }
  TellCounts("inputs", survey.inputs, out);
  TellCounts("events", survey.events, out);
}

}  // namespace

ReplayExit RunInfo(const EventLog& log, const InfoCommand& command, const Environment& environment) {
  LogSurvey survey;
  absl::Status found;
  Progress progress(environment, "reading", log.Tip());
  PipelineOptions options;
  options.is_interrupted = environment.is_interrupted;
  const absl::Status read = RunPipeline(log, options, [&](const CheckedBlock& block) {
    progress.At(block.first);
    found = block.chain.ok() ? block.decoding : block.chain;
    if (found.ok()) survey.Add(block);
    return found.ok();
  });
  const absl::Status status = found.ok() ? read : found;
  if (!status.ok()) {
    const std::string writer = survey.runs.empty() ? std::string() : survey.runs.back().software_version;
    environment.errors << "holdfast-replay: " << WithWriter(status, writer).message() << '\n';
    return ExitOf(status);
  }
  if (command.json) {
    environment.out << JsonText(SurveyJson(survey, log, command)) << '\n';
  } else {
    TellSurvey(survey, log, command, environment.out);
  }
  return ReplayExit::kSound;
}

}  // namespace holdfast::replay
