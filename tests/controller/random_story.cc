#include "tests/controller/random_story.h"

namespace holdfast::testing {
namespace {

// Short times, so that a story of some hundred steps sees every end.
Settings ShortTimes() {
  Settings settings = Trusting();
  settings.default_lifetime = seconds(150);
  settings.allocation_safety_margin = seconds(20);
  return settings;
}

// Each of the three takes updates in another way.
void EditOf(const std::string& worker_id, controlplane::v1::RegisterWorkerRequest& request) {
  if (worker_id == "w1") return;
  request.set_max_message_bytes(worker_id == "w2" ? 900 : 1'400);  // a handful of grants
  if (worker_id == "w3") request.clear_capabilities();
}

}  // namespace

RandomStory::RandomStory(std::uint64_t seed) : random_(seed), story_(ShortTimes()) {
  for (const char* id : {"w1", "w2", "w3"}) {
    workers_.push_back(story_.Register(id, "i1", [&](auto& request) { EditOf(id, request); }));
    story_.Watch(workers_.back());
  }
}

void RandomStory::Step() {
  switch (random_.Below(10)) {
    case 0:
    case 1:
      TimeStep();
      break;
    case 2:
      PoolStep();
      break;
    default:
      WorkerStep(workers_[random_.Below(workers_.size())]);
  }
  if (random_.Below(4) != 0) story_.Settle();
}

void RandomStory::WorkerStep(Worker& worker) {
  const auto edit = [&](controlplane::v1::RegisterWorkerRequest& request) { EditOf(worker.id, request); };
  switch (random_.Below(24)) {
    case 0:
      worker = story_.Reconnect(worker, edit);
      if (random_.Below(3) != 0) story_.Watch(worker);
      return;
    case 1:
      worker = story_.Register(worker.id, "i" + std::to_string(random_.Below(3)), edit);
      if (random_.Below(3) != 0) story_.Watch(worker);
      return;
    case 2:
      story_.Watch(worker);
      return;
    case 3:
      if (const auto& accepted = story_.SnapshotsOf(worker.id).accepted) {
        story_.Watch(worker, accepted->version.value(), std::string(AsBytes(accepted->checksum)));
      }
      return;
    case 4:
      story_.StreamEnds(worker);
      return;
    case 5:
      story_.Report(worker, {}, random_.Below(6) == 0);
      return;
    case 6:
    case 7:
    case 8:
    case 9: {
      std::vector<Running> running;
      for (const auto& [id, grant] : story_.View(worker.id)) {
        if (random_.Below(2) == 0) running.push_back({id, static_cast<std::uint32_t>(random_.Below(3)), 0});
      }
      story_.Report(worker, running);
      return;
    }
    case 10:
      story_.Outcomes(worker, random_.Below(100), {IdOf(static_cast<int>(random_.Below(9)))});
      return;
    default:
      AnswerStep(worker);
  }
}

void RandomStory::AnswerStep(Worker& worker) {
  const WorkerSnapshots& snapshots = story_.SnapshotsOf(worker.id);
  if (snapshots.issued.empty()) return;
  const std::uint64_t latest = snapshots.last_version.value();
  switch (random_.Below(12)) {
    case 0:
      story_.Nack(worker);
      return;
    case 1:
      story_.Nack(worker, latest - random_.Below(4));
      return;
    case 2:
      story_.Ack(worker, latest - random_.Below(4));
      return;
    case 3:
      story_.AckWith(worker, latest, random_.Bytes(32));
      return;
    default:
      story_.Ack(worker);
  }
}

admin::v1::ProxySpec RandomStory::RandomItem() {
  return Item(static_cast<int>(1 + random_.Below(9)), [&](admin::v1::ProxySpec& item) {
    if (random_.Below(3) == 0) item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
    if (random_.Below(4) == 0) item.set_secret_ref("account-1");
    if (random_.Below(4) == 0) item.set_proxy_id("p" + std::to_string(random_.Below(4)));
    if (random_.Below(3) == 0) *item.mutable_expires_at() = Time(story_.now() + seconds(10 + random_.Below(120)));
    if (random_.Below(3) == 0) (*item.mutable_labels())["country"] = random_.Below(2) == 0 ? "NO" : "SE";
    item.set_source(random_.Below(2) == 0 ? "a" : "b");
  });
}

void RandomStory::PoolStep() {
  const std::uint64_t kind = random_.Below(8);
  if (kind == 0) {
    story_.Remove({IdOf(static_cast<int>(1 + random_.Below(9))), "p" + std::to_string(random_.Below(4))});
    return;
  }
  if (kind == 1) {
    story_.Apply({Routing("r" + std::to_string(random_.Below(3)))});
    return;
  }
  std::vector<admin::v1::ProxySpec> items;
  for (std::uint64_t i = 0; i < 1 + random_.Below(6); ++i) items.push_back(RandomItem());
  const std::uint64_t import = story_.Import(items).log_sequence();
  if (kind == 2) story_.RemoveUnnamed(random_.Below(2) == 0 ? "a" : "b", import, 3);
}

void RandomStory::TimeStep() {
  const std::uint64_t kind = random_.Below(40);
  if (kind == 0) {
    story_.Restart(/*same_boot=*/true, seconds(random_.Below(40)));
  } else if (kind == 1) {
    story_.Restart(/*same_boot=*/false, seconds(random_.Below(90)));
  } else if (kind == 2) {
    log::v1::Input stalled;
    story_.Advance(seconds(8));
    stalled.mutable_sync_stalled()->set_stalled_micros(8'000'000);
    story_.When(stalled);
  } else {
    story_.Advance(milliseconds(random_.Below(kind < 8 ? 12'000 : 2'500)));
  }
}

std::string RandomStory::Broken() const {
  if (!story_.faults().empty()) return story_.faults().front();
  const Pool& pool = story_.state().pool();
  const Ownership& ownership = story_.state().ownership();
  for (const WindowOracle::Use& use : story_.oracle().StillUsed(story_.now())) {
    const AddressKey address = pool.FindAddress(use.address);
    if (address.value() == 0) return use.address + " was forgotten while " + use.worker + " may still be using it";
    const HoldRow& hold = ownership.hold(address);
    if (hold.state == OwnershipState::kUnowned)
      return use.address + " is unowned while " + use.worker + " may be using it";
    if (ownership.holder(hold.owner).worker_id.value() != use.worker)
      return use.address + " has another owner than its user";
    if (hold.epoch != use.epoch) return use.address + " is held by another instance than its user";
    if (ownership.OwnedUntil(address) < use.until)
      return use.address + " is owned for a shorter time than it may be used";
  }
  return "";
}

}  // namespace holdfast::testing
