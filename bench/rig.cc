#include "bench/rig.h"

#include <algorithm>

#include "base/check.h"
#include "controller/proto_time.h"
#include "controller/rules_version.h"
#include "events/field_codec.h"

namespace holdfast::bench {
namespace {

constexpr LogTime kStart = LogTimeFromMicros(1'790'000'000'000'000);

std::string HostOf(std::size_t number) {
  return "198." + std::to_string(18 + number / (250 * 250) % 2) + "." + std::to_string(number / 250 % 250) + "." +
         std::to_string(1 + number % 250);
}

}  // namespace

Rig::Rig(const Settings& settings) : now_(kStart) {
  sequencer_ = std::make_unique<Sequencer>(std::make_unique<ControllerState>(), Sequencer::Tip{}, LogId{1}, "bench",
                                           Sequencer::Options{});
  log::v1::Input input;
  log::v1::StartController* start = input.mutable_start_controller();
  start->set_boot_id("bench");
  start->set_log_id(std::string(16, '\1'));
  start->set_bootstrap(true);
  start->set_rules_version(kRulesVersion);
  std::string bytes;
  wire::PutStruct(bytes, settings);
  HOLDFAST_CHECK(start->mutable_settings()->ParseFromString(bytes));
  Submit(input);
  Commit();
}

void Rig::Submit(const log::v1::Input& input) {
  sequencer_->Offer(MakeCommand(input, kLoopbackPrincipal, "bench", nullptr));
  sequencer_->Step(now_);
}

void Rig::Step(Duration passed) {
  now_ += passed;
  sequencer_->Step(now_);
}

void Rig::Commit() {
  for (int round = 0; round < 64 && sequencer_->HasBlock(); ++round) {
    SealedBlock block = sequencer_->TakeBlock(ToMicros(now_) - ToMicros(kStart) + 1);
    Durable durable = sequencer_->OnDurable(block.encoded.last);
    if (log_ != nullptr) Append(block);
    if (log_ == nullptr && block.encoded.first == Sequence(1)) past_.push_back(std::move(block));
    for (const Effect& effect : durable.effects) Carry(effect);
    for (const AppliedEntry& entry : durable.entries) {
      for (const Event& event : entry.events) {
        if (observer_) observer_(event, entry.point);
      }
    }
  }
}

void Rig::Append(const SealedBlock& block) {
  AppendRequest request{block.follows,       block.encoded.first, block.encoded.last,
                        block.encoded.block, block.encoded.bulk,  &block.ownership_periods};
  HOLDFAST_CHECK(log_->Append(request).ok());
}

void Rig::KeepBlocksIn(EventLog& log) {
  log_ = &log;
  for (const SealedBlock& block : past_) Append(block);
  past_.clear();
}

SealedBlock Rig::TakeBlock() {
  SealedBlock block = sequencer_->TakeBlock(ToMicros(now_) - ToMicros(kStart) + 1);
  sequencer_->OnDurable(block.encoded.last);
  return block;
}

// A worker that takes what it is given.
void Rig::Carry(const Effect& effect) {
  const auto* push = std::get_if<PushUpdate>(&effect);
  if (push == nullptr) return;
  const auto member = std::find_if(members_.begin(), members_.end(),
                                   [&](const auto& candidate) { return candidate->worker_id == push->worker_id; });
  HOLDFAST_CHECK(member != members_.end());
  if ((*member)->lost) return;
  log::v1::Input input;
  auto* ack = input.mutable_acknowledge_snapshot();
  ack->set_worker_id(push->worker_id);
  ack->set_session_id(push->session_id);
  ack->set_version(push->update.version.value());
  ack->set_ownership_epoch(push->update.epoch.value());
  ack->set_checksum(push->update.checksum.data(), push->update.checksum.size());
  ack->set_accepted(true);
  Submit(input);
  (*member)->version = push->update.version.value();
  for (const Boxed<Grant>& grant : push->update.upserted) (*member)->proxies.push_back(grant->spec->proxy_id.value());
}

log::v1::Input Rig::ImportInput(std::size_t first, std::size_t count, Duration lifetime, bool secret) const {
  log::v1::Input input;
  auto* request = input.mutable_import_proxies()->mutable_request();
  for (std::size_t i = first; i < first + count; ++i) {
    auto* proxy = request->add_proxies();
    proxy->mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
    proxy->mutable_endpoint()->set_host(HostOf(i / 40));
    proxy->mutable_endpoint()->set_port(static_cast<std::uint32_t>(10'000 + i % 40));
    if (secret) proxy->set_secret_ref("account-" + std::to_string(i % 100));
    PutTime(now_ + lifetime, proxy->mutable_expires_at());
  }
  return input;
}

void Rig::Import(std::size_t first, std::size_t count, Duration lifetime, bool secret) {
  constexpr std::size_t kBatch = 2000;
  for (std::size_t done = 0; done < count; done += kBatch) {
    Submit(ImportInput(first + done, std::min(kBatch, count - done), lifetime, secret));
    Commit();
  }
}

Member& Rig::Join(const std::string& worker_id, std::uint32_t max_proxies) {
  Member& member = *members_.emplace_back(std::make_unique<Member>());
  member.worker_id = worker_id;
  member.session_id = "session-" + std::to_string(next_session_++);
  log::v1::Input input;
  auto* request = input.mutable_register_worker()->mutable_request();
  request->set_worker_id(worker_id);
  request->set_instance_id(worker_id + "-1");
  request->set_supported_protocol_version(1);
  request->set_max_proxies(max_proxies);
  request->add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
  input.mutable_register_worker()->set_session_id(member.session_id);
  Submit(input);
  member.epoch = sequencer_->state().sessions().Find(worker_id)->opened.epoch.value();
  log::v1::Input watch;
  auto* watching = watch.mutable_watch_snapshots();
  watching->set_stream(next_stream_++);
  watching->mutable_request()->set_worker_id(worker_id);
  watching->mutable_request()->set_session_id(member.session_id);
  watching->mutable_request()->set_ownership_epoch(member.epoch);
  Submit(watch);
  Commit();
  return member;
}

log::v1::Input Rig::Report(Member& member, std::size_t counters) {
  log::v1::Input input;
  auto* request = input.mutable_report_runtime()->mutable_request();
  request->set_worker_id(member.worker_id);
  request->set_session_id(member.session_id);
  request->set_report_sequence(++member.report_sequence);
  request->set_snapshot_version(member.version);
  request->set_ownership_epoch(member.epoch);
  for (std::size_t i = 0; i < std::min(counters, member.proxies.size()); ++i) {
    auto* counter = request->add_counters();
    counter->set_proxy_id(member.proxies[i]);
    counter->set_active(1 + static_cast<std::uint32_t>(i % 2 == 0 ? member.report_sequence % 7 : 3));
  }
  return input;
}

}  // namespace holdfast::bench
