#include "replay/block_pipeline.h"

#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "replay/bounded_queue.h"

namespace holdfast::replay {
namespace {

// Small blocks travel together: a hand-over costs more than an entry.
constexpr std::size_t kBatchEntries = 2048;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr std::size_t kBatchesAhead = 4;

struct BlockInFlight {
  StoredBlock stored;
  CheckedBlock checked;  // views into `stored`, so neither is moved
};

struct Batch {
  google::protobuf::Arena arena{[] {
    google::protobuf::ArenaOptions options;
    options.start_block_size = std::size_t{64} << 10;
    options.max_block_size = std::size_t{1} << 20;
    return options;
  }()};
  std::vector<std::unique_ptr<BlockInFlight>> blocks;
  absl::Status reading;
  bool last = false;
};
using BatchPointer = std::unique_ptr<Batch>;

// Step one, on whichever thread.
class Reader {
 public:
  Reader(const EventLog& log, Sequence from) : from_the_middle_(from.value() > 1), tip_(log.Tip()) {
    absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(from);
    if (reader.ok()) {
      reader_ = *std::move(reader);
    } else {
      opening_ = reader.status();
    }
  }

  BatchPointer Next() {
    auto batch = std::make_unique<Batch>();
    std::size_t entries = 0, bytes = 0;
    while (!batch->last && entries < kBatchEntries && bytes < kBatchBytes) {
      ReadOne(*batch);
      if (batch->blocks.empty()) continue;
      const BlockInFlight& block = *batch->blocks.back();
      entries += block.checked.view.entries().size();
      bytes += block.stored.block.size() + block.stored.bulk.size();
    }
    return batch;
  }

 private:
  void ReadOne(Batch& batch) {
    if (!opening_.ok()) return Failed(opening_, batch);
    absl::StatusOr<std::optional<StoredBlock>> stored = reader_->Next();
    if (!stored.ok()) return Failed(stored.status(), batch);
    if (!stored->has_value() || (*stored)->first > tip_) {
      batch.last = true;
      return;
    }
    BlockInFlight& block = *batch.blocks.emplace_back(std::make_unique<BlockInFlight>());
    block.stored = *std::move(*stored);
    CheckChain(block.stored, from_the_middle_, chain_, block.checked);
    if (!block.checked.chain.ok()) batch.last = true;
    next_ = Sequence(block.checked.view.last().value() + 1);
  }

  // Damage that shows when reading is told like damage that shows by a hash.
  void Failed(const absl::Status& status, Batch& batch) {
    batch.last = true;
    if (status.code() != absl::StatusCode::kDataLoss) {
      batch.reading = status;
      return;
    }
    BlockInFlight& block = *batch.blocks.emplace_back(std::make_unique<BlockInFlight>());
    block.checked.first = next_;
    block.checked.chain = status;
  }

  const bool from_the_middle_;
  const Sequence tip_;
  std::unique_ptr<BlockReader> reader_;
  absl::Status opening_;
  std::optional<ChainVerifier> chain_;
  Sequence next_{1};
};

// Step two.
void Decode(Sequence inputs_from, Batch& batch) {
  for (const std::unique_ptr<BlockInFlight>& block : batch.blocks) {
    if (block->checked.chain.ok()) DecodeEntries(inputs_from, batch.arena, block->checked);
  }
}

// Step three. nullopt: there is more to come.
std::optional<absl::Status> Deliver(const Batch& batch, const PipelineOptions& options,
                                    const std::function<bool(const CheckedBlock&)>& each) {
  for (const std::unique_ptr<BlockInFlight>& block : batch.blocks) {
    if (options.is_interrupted && options.is_interrupted()) {
      return absl::CancelledError("interrupted before the end of the log");
    }
    if (!each(block->checked)) return absl::OkStatus();
  }
  if (!batch.reading.ok()) return batch.reading;
  if (batch.last) return absl::OkStatus();
  return std::nullopt;
}

// The threads before the last step; they end when the queue is closed or the log is over.
class Stages {
 public:
  Stages(Reader& reader, Sequence inputs_from, bool two) : read_(kBatchesAhead), ready_(kBatchesAhead) {
    reading_ = std::thread([this, &reader, inputs_from, two] {
      bool last = false;
      while (!last) {
        BatchPointer batch = reader.Next();
        last = batch->last;
        if (!two) Decode(inputs_from, *batch);
        if (!(two ? read_ : ready_).Push(std::move(batch))) break;
      }
      (two ? read_ : ready_).Close();
    });
    if (!two) return;
    decoding_ = std::thread([this, inputs_from] {
      while (std::optional<BatchPointer> batch = read_.Pop()) {
        Decode(inputs_from, **batch);
        if (!ready_.Push(*std::move(batch))) break;
      }
      ready_.Close();
    });
  }
  ~Stages() {
    read_.Close();
    ready_.Close();
    reading_.join();
    if (decoding_.joinable()) decoding_.join();
  }
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  std::optional<BatchPointer> Next() { return ready_.Pop(); }

 private:
  BoundedQueue<BatchPointer> read_;
  BoundedQueue<BatchPointer> ready_;
  std::thread reading_;
  std::thread decoding_;
};

}  // namespace

absl::Status RunPipeline(const EventLog& log, const PipelineOptions& options,
                         const std::function<bool(const CheckedBlock&)>& each) {
  Reader reader(log, options.from);
  if (options.jobs <= 1) {
    while (true) {
      const BatchPointer batch = reader.Next();
      Decode(options.inputs_from, *batch);
      if (const std::optional<absl::Status> status = Deliver(*batch, options, each)) return *status;
    }
  }
  Stages stages(reader, options.inputs_from, options.jobs > 2);
  while (const std::optional<BatchPointer> batch = stages.Next()) {
    if (const std::optional<absl::Status> status = Deliver(**batch, options, each)) return *status;
  }
  return absl::InternalError("the stages of a replay ended before the log did");
}

}  // namespace holdfast::replay
