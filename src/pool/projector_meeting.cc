// The projector meets the store: where it stands, whether what it lacks is at hand, and what the log makes of that.

#include <algorithm>
#include <utility>

#include "pool/projector.h"

namespace holdfast::pool {
namespace {

constexpr Duration kAtOnce{0};

std::string Hex(const LogId& id) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : id) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Sequence FollowsOf(const Turn& turn) {
  return std::visit([](const auto& one) { return one.follows; }, turn);
}

Sequence EndOf(const Turn& turn) {
  if (const auto* rows = std::get_if<RowsTurn>(&turn)) return rows->upto;
  return std::get<IntentTurn>(turn).sequence;
}

}  // namespace

Duration Projector::Meet() {
  const absl::StatusOr<Position> position = parts_.store.ReadPosition(options_.patience);
  if (!position.ok()) return Stumble(position.status());
  status_.trouble.clear();
  met_ = *position;
  status_.applied = position->applied_seq;
  const bool goes_on = GoesOnFrom(*position) && !rebuild_;
  const bool is_empty = position->condition == Position::Condition::kEmpty;
  parts_.reports.StoreSeen(is_empty ? "" : Hex(position->log_id), position->applied_seq, !goes_on);
  Enter(ProjectorPhase::kJudging);
  return kAtOnce;
}

// Whether what the store lacks is at hand: what was taken and is not known to be there, or what the log still says.
bool Projector::GoesOnFrom(const Position& position) {
  bool is_lost = true;
  Sequence base;
  const bool looked = parts_.source.Read([&](const ControllerState& state, Feed& feed) {
    log_id_ = state.run().log_id();
    epoch_ = ControllerEpoch(state.run().controller_epoch());
    judged_ = feed.judged();
    is_lost = feed.lost();
    base = feed.base();
    if (!is_lost) {
      for (Turn& turn : feed.TakeTurns(state, false)) pending_.push_back(std::move(turn));
      base = feed.base();
    }
    if (!std::exchange(found_open_, true)) FindOpen(state, base);
  });
  if (!looked || is_lost || position.condition != Position::Condition::kReady) return false;
  // Under a later epoch: of a controller that has followed, or of the end that a restored log lacks. The log says
  // which.
  if (position.log_id != log_id_ || epoch_ < position.controller_epoch) return false;
  const Sequence applied = position.applied_seq;
  const bool is_boundary = std::any_of(pending_.begin(), pending_.end(), [&](const Turn& turn) {
    return FollowsOf(turn) == applied || EndOf(turn) == applied;
  });
  if (is_boundary || (pending_.empty() && applied == base)) {
    DropApplied(applied);
    return true;
  }
  return applied < base && ReadTail(applied);
}

// What is applied is done; of an intent it has yet to be told what became of it.
void Projector::DropApplied(Sequence applied) {
  while (!pending_.empty() && EndOf(pending_.front()) <= applied) {
    if (const auto* intent = std::get_if<IntentTurn>(&pending_.front())) {
      Open open{intent->extraction_id, intent->keys, {}, intent->sequence};
      for (const Candidate& candidate : intent->candidates) open.addresses.push_back(candidate.address);
      open_.push_back(std::move(open));
    }
    pending_.pop_front();
  }
}

// In place of what was taken: rows as they are now. The turns of intents among it pass: they are cancelled.
bool Projector::ReadTail(Sequence from) {
  Sequence upto;
  if (!parts_.source.Read([&](const ControllerState&, Feed& feed) { upto = feed.base(); })) return false;
  if (!parts_.read_tail || upto.value() - from.value() > options_.most_tail) return false;
  absl::StatusOr<Changes> tail = parts_.read_tail(from, upto);
  if (!tail.ok() || !tail->complete()) return false;
  bool is_fit = false;
  parts_.source.Read([&](const ControllerState&, Feed& feed) {
    is_fit = !feed.lost() && feed.base() == upto && !feed.has_frozen();
    if (is_fit) feed.Prepend(*std::move(tail), from);
  });
  if (is_fit) DropApplied(upto);
  return is_fit;
}

// Intents that stand open in the log and that nobody here waits to ask for.
void Projector::FindOpen(const ControllerState& state, Sequence reached) {
  state.extractions().rows().ForEach([&](ExtractionKey, const ExtractionRow& row) {
    if (!row.open()) return;
    const std::string& id = row.extraction_id.value();
    const bool is_pending = std::any_of(pending_.begin(), pending_.end(), [&](const Turn& turn) {
      const auto* intent = std::get_if<IntentTurn>(&turn);
      return intent != nullptr && intent->extraction_id == id;
    });
    if (is_pending) return;
    Open open{id, row.addresses, {}, reached};
    for (const AddressKey address : row.addresses) open.addresses.push_back(state.pool().address(address).text);
    open_.push_back(std::move(open));
  });
}

Duration Projector::Judge() {
  std::optional<PoolStoreVerdict> verdict;
  const bool looked = parts_.source.Read([&](const ControllerState& state, Feed& feed) {
    if (feed.judged() > judged_) verdict = state.pool_store().verdict();
    judged_ = feed.judged();
  });
  if (!looked || !verdict) return options_.idle_interval;
  switch (*verdict) {
    case PoolStoreVerdict::kUsable:
      Enter(ProjectorPhase::kReady);
      break;
    case PoolStoreVerdict::kBehind:
      adopt_ = false;
      stage_ = Stage::kBegin;
      Enter(ProjectorPhase::kWriting);
      break;
    default:
      Enter(ProjectorPhase::kForeign);
      break;
  }
  return kAtOnce;
}

// A store that is not ours: until an operator has spoken, or it is another one.
Duration Projector::LookAgain() {
  bool is_adopted = false;
  parts_.source.Read([&](const ControllerState& state, Feed& feed) {
    is_adopted = state.pool_store().verdict() == PoolStoreVerdict::kBehind;
    judged_ = feed.judged();
  });
  if (is_adopted && status_.phase == ProjectorPhase::kForeign) {
    adopt_ = true;
    stage_ = Stage::kBegin;
    Enter(ProjectorPhase::kWriting);
    return kAtOnce;
  }
  const absl::StatusOr<Position> position = parts_.store.ReadPosition(options_.patience);
  status_.trouble = position.ok() ? "" : std::string(position.status().message());
  if (position.ok() && *position != met_) {
    Enter(ProjectorPhase::kMeeting);
    return kAtOnce;
  }
  return options_.look_interval;
}

}  // namespace holdfast::pool
