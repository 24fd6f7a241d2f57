#include "replay/log_survey.h"

#include "controller/decide.h"
#include "events/event_codec.h"
#include "replay/json_text.h"

namespace holdfast::replay {

void LogSurvey::Add(const CheckedBlock& block) {
  const BlockHeader& header = block.view.header();
  if (blocks == 0) {
    first = header.first;
    first_at = block.view.entries().front().at;
    log_id = HexText({reinterpret_cast<const char*>(header.log_id.data()), header.log_id.size()});
  }
  ++blocks;
  formats.insert(header.format);
  state_versions.insert(header.state_version);
  if (boots.empty() || boots.back() != header.boot_id) boots.push_back(header.boot_id);
  for (std::size_t i = 0; i < block.entries.size(); ++i) {
    const EntryView& entry = block.view.entries()[i];
    ++entries;
    last = entry.sequence;
    last_at = entry.at;
    block_bytes += entry.input.size() + entry.events.size() + entry.principal.size();
    const log::v1::Input* input = block.entries[i].input;
    if (input == nullptr) {
      ++dropped_bodies;
    } else {
      ++inputs[std::string(InputKind(*input))];
    }
    for (const Event& event : block.entries[i].events) {
      ++events[std::string(EventName(event))];
      const auto* started = std::get_if<ControllerStarted>(&event);
      if (started == nullptr) continue;
      runs.push_back({entry.sequence, entry.at, started->controller_epoch, started->rules_version,
                      started->software_version, started->same_boot});
    }
  }
}

}  // namespace holdfast::replay
