#include "tests/controller/window_oracle.h"

#include <algorithm>

#include "base/endpoint.h"
#include "base/sha256.h"

namespace holdfast::testing {
namespace {

std::string Little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}
std::string U64(std::uint64_t value) { return Little(value, 8); }
std::string Text(const std::string& value) { return Little(value.size(), 4) + value; }

std::string Map(const std::map<std::string, std::string>& map) {
  std::string bytes = U64(map.size());
  for (const auto& [key, value] : map) bytes += Text(key) + Text(value);
  return bytes;
}

std::string List(const std::vector<std::string>& items) {
  std::string bytes = U64(items.size());
  for (const std::string& item : items) bytes += Text(item);
  return bytes;
}

std::string RoutingBytes(const RoutingSpec& routing) {
  std::string ports = U64(routing.ports.size());
  for (const std::uint32_t port : routing.ports) ports += U64(port);
  return Text(routing.routing_id) + List(routing.host_patterns) + ports + Map(routing.proxy_labels) +
         List(routing.zones);
}

std::string BytesOf(const Grant& grant) {
  const ProxySpec& spec = *grant.spec;
  const std::string endpoint = std::string(1, '\1') + U64(static_cast<std::uint64_t>(spec.endpoint.scheme)) +
                               Text(spec.endpoint.host) + U64(spec.endpoint.port);
  return Text(spec.proxy_id.value()) + endpoint + U64(spec.capacity) +
         U64(static_cast<std::uint64_t>(ToMicros(grant.expires_at))) +
         U64(static_cast<std::uint64_t>(ToMicros(grant.usable_until))) + Text(spec.secret_ref) +
         U64(static_cast<std::uint64_t>(grant.state)) + Map(spec.labels) +
         (grant.unhealthy_routings ? List(*grant.unhealthy_routings) : U64(0));
}

std::string Hash(const std::string& bytes) { return std::string(AsBytes(Sha256Of(bytes))); }

// As numbers of 256 bits, least significant byte first.
std::string Sum(const std::string& a, const std::string& b) {
  std::string sum(32, '\0');
  unsigned carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += static_cast<unsigned char>(a[i]) + static_cast<unsigned char>(b[i]);
    sum[i] = static_cast<char>(carry & 0xff);
    carry >>= 8;
  }
  return sum;
}

std::string AddressOf(const Grant& grant) {
  return AddressText(grant.spec->endpoint.host, grant.spec->endpoint.port, grant.spec->secret_ref);
}

Content Applied(Content content, const BuiltUpdate& update, std::vector<std::string>& faults) {
  if (update.base.value() == 0) content.clear();
  for (const Boxed<ProxySpec>& removed : update.removed) {
    if (content.erase(removed->proxy_id.value()) == 0) faults.push_back("removes what its base does not list");
  }
  for (const Boxed<Grant>& grant : update.upserted) content.insert_or_assign(grant->spec->proxy_id.value(), *grant);
  for (const Boxed<ProxySpec>& removed : update.removed) {
    if (content.contains(removed->proxy_id.value())) faults.push_back("an id both upserted and removed");
  }
  return content;
}

}  // namespace

Hash256 DocumentedChecksum(Epoch epoch, const std::vector<RoutingSpec>& routings, const Content& content) {
  std::string bytes = "holdfast/snapshot/1" + U64(epoch.value()) + U64(routings.size());
  for (const RoutingSpec& routing : routings) bytes += Hash(RoutingBytes(routing));
  std::string sum(32, '\0');
  for (const auto& [id, grant] : content) sum = Sum(sum, Hash(BytesOf(grant)));
  return Sha256Of(bytes + U64(content.size()) + sum);
}

void WindowOracle::Issued(const std::string& worker, const BuiltUpdate& update,
                          const std::vector<RoutingSpec>& routings, Duration lapse_grace, LogTime now) {
  std::map<Version, Content>& versions = contents_[worker];
  if (!versions.empty() && update.version <= versions.rbegin()->first)
    faults_.push_back(worker + ": versions do not grow");
  if (update.base.value() != 0 && !versions.contains(update.base)) faults_.push_back(worker + ": a base never issued");
  const Content content = Applied(update.base.value() != 0 ? versions[update.base] : Content(), update, faults_);
  if (DocumentedChecksum(update.epoch, routings, content) != update.checksum) {
    faults_.push_back(worker + ": version " + std::to_string(update.version.value()) +
                      " has another checksum than its content");
  }
  versions[update.version] = content;
  Extend({worker, update.epoch}, content, update, lapse_grace, now);
}

void WindowOracle::Extend(const Process& process, const Content& content, const BuiltUpdate& update,
                          Duration lapse_grace, LogTime now) {
  for (const auto& [id, grant] : content) {
    if (grant.state == GrantState::kHeld) continue;
    std::map<Process, LogTime>& users = used_until_[AddressOf(grant)];
    for (const auto& [other, until] : users) {
      if (other == process || IsOver(until, now)) continue;
      faults_.push_back(AddressOf(grant) + ": shown to " + process.first + " while " + other.first +
                        " may still be using it");
    }
    LogTime& until = users[process];
    until = std::max(until, std::min(update.valid_until, grant.expires_at) + lapse_grace);
  }
}

Content WindowOracle::At(const std::string& worker, Version version) const {
  const auto found = contents_.find(worker);
  if (found == contents_.end()) return {};
  const auto content = found->second.find(version);
  return content == found->second.end() ? Content() : content->second;
}

void WindowOracle::Proven(const std::string& address, const std::string& worker, Epoch epoch) {
  used_until_[address].erase({worker, epoch});
}

LogTime WindowOracle::UsedUntil(const std::string& address, const std::string& worker, Epoch epoch) const {
  const auto users = used_until_.find(address);
  if (users == used_until_.end()) return LogTime();
  const auto until = users->second.find({worker, epoch});
  return until == users->second.end() ? LogTime() : until->second;
}

std::vector<WindowOracle::Use> WindowOracle::StillUsed(LogTime now) const {
  std::vector<Use> uses;
  for (const auto& [address, users] : used_until_) {
    for (const auto& [process, until] : users) {
      if (!IsOver(until, now)) uses.push_back({address, process.first, process.second, until});
    }
  }
  return uses;
}

}  // namespace holdfast::testing
