#include "replay/writer_version.h"

#include <limits>

#include "replay/block_pipeline.h"

namespace holdfast::replay {

std::string WriterVersion(const EventLog& log, Sequence sequence) {
  std::string version;
  PipelineOptions options;
  options.inputs_from = Sequence(std::numeric_limits<std::uint64_t>::max());
  options.jobs = 1;
  RunPipeline(log, options, [&](const CheckedBlock& block) {
    if (!block.chain.ok()) return false;
    for (std::size_t i = 0; i < block.entries.size(); ++i) {
      if (block.view.entries()[i].sequence >= sequence) return false;
      for (const Event& event : block.entries[i].events) {
        if (const auto* started = std::get_if<ControllerStarted>(&event)) version = started->software_version;
      }
    }
    return block.decoding.ok();
  }).IgnoreError();
  return version;
}

}  // namespace holdfast::replay
