#include "pool/feed.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "pool/projected_rows.h"

namespace holdfast::pool {
namespace {

// More answers than this are not named in one batch (batch_parts.h). An entry settles one extraction at most.
constexpr std::size_t kMostSettled = 400;
// A session's row is written anew in this part of the session's ttl, so that it stands as long as the session.
constexpr int kRefreshes = 3;

bool IsExtracting(const ControllerState& state, AddressKey address) {
  return state.ownership().hold(address).state == OwnershipState::kExtracting;
}

// The latest end that the answer may give it.
LogTime LatestEnd(const ControllerState& state, const ExtractionPrepared& event, LogTime now) {
  LogTime latest;
  for (const ProxyKey proxy : event.proxies) {
    const ::holdfast::ProxyRow& row = state.pool().proxy(proxy);
    latest = std::max(latest, event.hold > Duration(0) ? row.expires_at : row.usable_until);
  }
  return event.hold > Duration(0) ? std::min(latest, now + event.hold) : latest;
}

}  // namespace

Feed::Feed(const ControllerState& state, Listener listener, std::size_t most_changes)
    : listener_(std::move(listener)), most_changes_(most_changes) {
  Restart(state);
}

void Feed::Restart(const ControllerState& state) {
  changes_ = Changes();
  frozen_.clear();
  base_ = state.run().last().sequence;
  oldest_ = LogTime();
  now_ = state.run().last().at;
  session_written_.clear();
  lost_ = false;
}

void Feed::Prepend(Changes tail, Sequence from) {
  HOLDFAST_CHECK(frozen_.empty() && tail.complete());
  tail.Append(changes_);
  changes_ = std::move(tail);
  base_ = from;
  if (changes_.size() > most_changes_) GiveUp();
}

void Feed::Watch(bool on) {
  watching_ = on;
  rewritten_.clear();
}

void Feed::GiveUp() {
  lost_ = true;
  changes_ = Changes();
  for (const Turn& turn : std::exchange(frozen_, {})) {
    if (const auto* intent = std::get_if<IntentTurn>(&turn)) listener_.unsendable(intent->extraction_id);
  }
  listener_.work();
}

// Whether it ends an intent that the store never heard of; that is forgotten then.
bool Feed::IsUnsendable(const Event& event) {
  const auto* given_back = std::get_if<ExtractionGivenBack>(&event);
  return given_back != nullptr && unsendable_.erase(given_back->extraction_id.value()) > 0;
}

void Feed::Before(const Event& event, const EntryPoint& entry, const ControllerState& state) {
  now_ = entry.at;
  if (std::holds_alternative<PoolStoreJudged>(event) || std::holds_alternative<PoolAdopted>(event)) {
    ++judged_;
    listener_.work();
  }
  if (const auto* prepared = std::get_if<ExtractionPrepared>(&event)) {
    if (!prepared->adopted) FreezeIntent(*prepared, entry, state);
    return;
  }
  if (lost_) return;
  if (const auto* accepted = std::get_if<RuntimeAccepted>(&event)) return NoteHeard(accepted->worker, state);
  if (const auto* heard = std::get_if<SessionHeard>(&event)) return NoteHeard(heard->worker, state);
  const bool was_empty = changes_.empty();
  changes_.Note(event, entry.sequence, &state);
  if (IsUnsendable(event)) changes_.ForgetEnd(std::get<ExtractionGivenBack>(event));
  if (changes_.size() > most_changes_) return GiveUp();
  if (!was_empty || changes_.empty()) return;
  if (IsAbsent(oldest_)) oldest_ = entry.at;
  listener_.work();
}

void Feed::NoteHeard(WorkerKey worker, const ControllerState& state) {
  if (session_written_.size() <= worker.value()) session_written_.resize(worker.value() + 1);
  if (now_ - session_written_[worker.value()] < state.settings().session_ttl / kRefreshes) return;
  const bool was_empty = changes_.empty();
  changes_.workers().insert(worker);
  if (was_empty) listener_.work();
}

// The state is that before the intent: what has changed up to then goes first.
void Feed::FreezeIntent(const ExtractionPrepared& event, const EntryPoint& entry, const ControllerState& state) {
  if (!sending_ || lost_) {
    unsendable_.insert(event.extraction_id.value());
    return listener_.unsendable(event.extraction_id.value());
  }
  const Sequence before(entry.sequence.value() - 1);
  if (!changes_.empty() && before > base_) FreezeRows(state, before);
  IntentTurn turn;
  turn.follows = base_;
  turn.sequence = entry.sequence;
  turn.extraction_id = event.extraction_id.value();
  std::size_t proxy = 0;
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    Candidate candidate{state.pool().address(event.addresses[i]).text, {}};
    for (std::uint32_t n = 0; n < event.counts[i]; ++n) {
      candidate.proxies.push_back(state.pool().proxy(event.proxies[proxy++]).spec->proxy_id.value());
    }
    turn.candidates.push_back(std::move(candidate));
  }
  turn.keys = event.addresses;
  turn.need = static_cast<std::uint32_t>(event.addresses.size());
  turn.all_or_nothing = event.all_or_nothing;
  turn.extracted_until = LatestEnd(state, event, entry.at);
  turn.deadline = event.deadline;
  base_ = entry.sequence;
  frozen_.emplace_back(std::move(turn));
  listener_.work();
}

// The rows go with the first turn: what one says is passed is there.
void Feed::FreezeRows(const ControllerState& state, Sequence upto) {
  std::vector<Settled> settled = std::exchange(changes_.settled(), {});
  const LogTime oldest = std::exchange(oldest_, LogTime());
  std::vector<Write> writes = TakeWrites(state);
  std::size_t begin = 0;
  for (; settled.size() - begin > kMostSettled; begin += kMostSettled) {
    const auto first = settled.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = first + static_cast<std::ptrdiff_t>(kMostSettled);
    FreezeTurn({base_, std::prev(end)->entry, oldest, std::exchange(writes, {}), {first, end}});
  }
  settled.erase(settled.begin(), settled.begin() + static_cast<std::ptrdiff_t>(begin));
  FreezeTurn({base_, upto, oldest, std::move(writes), std::move(settled)});
}

void Feed::FreezeTurn(RowsTurn turn) {
  base_ = turn.upto;
  frozen_.emplace_back(std::move(turn));
}

std::vector<Turn> Feed::TakeTurns(const ControllerState& state, bool even_empty) {
  const Sequence last = state.run().last().sequence;
  if (!lost_ && last > base_ && (even_empty || !changes_.empty())) FreezeRows(state, last);
  return std::exchange(frozen_, {});
}

std::vector<Write> Feed::TakeWrites(const ControllerState& state) {
  if (std::exchange(changes_.ends_moved(), false)) {
    state.extractions().rows().ForEach([&](ExtractionKey, const ExtractionRow& row) {
      if (row.phase != ExtractionPhase::kStanding) return;
      for (const AddressKey address : row.addresses) changes_.addresses()[address].last = state.run().last().sequence;
    });
  }
  HOLDFAST_CHECK(changes_.complete());
  std::vector<Write> writes;
  Changes kept;
  WriteProxies(state, writes, kept);
  WriteAddresses(state, writes, kept);
  for (const WorkerKey worker : changes_.workers()) WriteSession(state, worker, writes);
  changes_ = std::move(kept);
  return writes;
}

// What a proxy is decides until when its address may be used.
void Feed::WriteProxies(const ControllerState& state, std::vector<Write>& writes, Changes& kept) {
  for (const auto& [key, change] : changes_.addresses()) {
    if (!change.with_proxies || state.pool().addresses().Find(key) == nullptr) continue;
    for (const ProxyKey proxy : state.pool().address(key).proxies) {
      Sequence& last = changes_.proxies()[proxy].last;
      last = std::max(last, change.last);
    }
  }
  for (const auto& [key, change] : changes_.proxies()) {
    const ::holdfast::ProxyRow* row = state.pool().proxies().Find(key);
    if (row == nullptr) {
      writes.emplace_back(ProxyRemoval{change.removed});
      continue;
    }
    changes_.addresses()[row->address].last = std::max(changes_.addresses()[row->address].last, change.last);
    if (IsExtracting(state, row->address)) {
      kept.proxies().emplace(key, change);
    } else {
      writes.emplace_back(RowOfProxy(state, key, change.last));
    }
  }
}

void Feed::WriteAddresses(const ControllerState& state, std::vector<Write>& writes, Changes& kept) {
  for (auto& [key, change] : changes_.addresses()) {
    if (watching_ && rewritten_.size() <= key.value()) rewritten_.resize(key.value() + 1);
    if (watching_) rewritten_[key.value()] = true;
    if (state.pool().addresses().Find(key) == nullptr) {
      writes.emplace_back(AddressRemoval{change.removed, change.previous_owner, change.ends_extraction});
      continue;
    }
    if (IsExtracting(state, key)) {
      kept.addresses().emplace(key, change);
      continue;
    }
    AddressWrite write{RowOfAddress(state, key, change.last), change.previous_owner, change.ends_extraction};
    if (write.previous_owner == write.row.owner) write.previous_owner.clear();
    writes.emplace_back(std::move(write));
  }
}

void Feed::WriteSession(const ControllerState& state, WorkerKey worker, std::vector<Write>& writes) {
  if (session_written_.size() <= worker.value()) session_written_.resize(worker.value() + 1);
  std::optional<SessionRow> row = RowOfSession(state, worker, now_);
  session_written_[worker.value()] = row ? now_ : LogTime();
  if (row) {
    writes.emplace_back(*std::move(row));
  } else {
    writes.emplace_back(SessionRemoval{state.sessions().At(worker).opened.worker_id.value()});
  }
}

std::vector<Write> Feed::Walk(const ControllerState& state, WalkPlace& place, std::size_t most) {
  std::vector<Write> writes = TakeWrites(state);
  changes_.settled().clear();
  oldest_ = LogTime();
  base_ = state.run().last().sequence;
  const RowTable<AddressKey, ::holdfast::AddressRow>& addresses = state.pool().addresses();
  if (place.address.value() != 0) place.address = addresses.NextKey(place.address);  // else it is past the last
  while (place.address.value() != 0 && writes.size() < most) {
    writes.emplace_back(AddressWrite{RowOfAddress(state, place.address, base_), "", ""});
    for (const ProxyKey proxy : addresses.At(place.address).proxies) {
      writes.emplace_back(RowOfProxy(state, proxy, base_));
      ++place.proxies;
    }
    ++place.addresses;
    place.address = addresses.NextKey(Next(place.address));
  }
  if (place.address.value() != 0) return writes;
  for (; place.worker < state.sessions().next_key() && writes.size() < most; place.worker = Next(place.worker)) {
    if (RowOfSession(state, place.worker, now_)) WriteSession(state, place.worker, writes);
  }
  place.finished = place.worker >= state.sessions().next_key();
  return writes;
}

}  // namespace holdfast::pool
