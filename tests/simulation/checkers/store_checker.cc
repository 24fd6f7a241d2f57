#include "tests/simulation/checkers/store_checker.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

// "PROXY_SCHEME_SOCKS5" is "socks5".
std::string WordOf(const std::string& name, const std::string& prefix) {
  std::string word = name.substr(prefix.size());
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return word;
}

std::string TextOf(const ShownAddress& row) {
  return row.state + " owner " + row.owner + " epoch " + std::to_string(row.epoch) + " available until " +
         std::to_string(row.available_until) + " extraction " + row.extraction + " until " +
         std::to_string(row.extracted_until);
}

std::string TextOf(const ShownPoolProxy& row) {
  return row.address + " " + row.scheme + " " + row.health + " usable until " + std::to_string(row.usable_until);
}

std::string TextOf(const ShownSession& row) {
  return row.session + " " + row.state + " attached " + row.attached + " epoch " + row.epoch;
}

std::string TextOf(const std::set<std::string>& index) {
  std::string text;
  for (const std::string& id : index) text += id + " ";
  return text;
}

template <class Rows>
std::string Difference(const std::string& what, const Rows& shown, const Rows& expected) {
  for (const auto& [id, row] : expected) {
    const auto found = shown.find(id);
    if (found == shown.end()) return "the store lacks " + what + " " + id + ": " + TextOf(row);
    if (found->second == row) continue;
    return "the store shows " + what + " " + id + " as: " + TextOf(found->second) + "; it is: " + TextOf(row);
  }
  for (const auto& [id, row] : shown) {
    if (!expected.contains(id)) return "the store shows " + what + " " + id + ", which is not there: " + TextOf(row);
  }
  return "";
}

}  // namespace

std::string StoreChecker::Missing(const ShownStore& shown) const {
  const ShownStore expected = Expected();
  std::string missing = Difference("address", shown.addresses, expected.addresses);
  if (missing.empty()) missing = Difference("proxy", shown.proxies, expected.proxies);
  if (missing.empty()) missing = Difference("session of", shown.sessions, expected.sessions);
  if (missing.empty()) missing = Difference("index of", shown.owned, expected.owned);
  return missing;
}

ShownAddress StoreChecker::ExpectedOf(const ModelAddress& address) const {
  ShownAddress row;
  // What is asked for is shown as nobody's.
  row.state = HoldStateName(address.hold == HoldState::kExtracting ? HoldState::kUnowned : address.hold);
  if (IsWorkers(address.hold)) {
    row.owner = model_.Worker(address.worker)->worker_id;
    row.epoch = address.epoch;
  }
  for (const std::uint32_t key : address.proxies) {
    const ModelProxy* proxy = model_.Proxy(key);
    if (model_.IsFree(*proxy)) row.available_until = std::max(row.available_until, proxy->usable_until);
  }
  const ModelExtraction* extraction = extractions_.At(address.extraction);
  if (address.hold == HoldState::kExtracted && extraction != nullptr) {
    row.extraction = extraction->id;
    row.extracted_until = extraction->extracted_until;
  }
  return row;
}

ShownStore StoreChecker::Expected() const {
  ShownStore expected;
  for (const auto& [key, address] : model_.addresses()) {
    const ShownAddress row = ExpectedOf(address);
    if (!row.owner.empty()) expected.owned[row.owner].insert(address.text);
    expected.addresses[address.text] = row;
  }
  for (const auto& [key, proxy] : model_.proxies()) {
    const CheckedProxy* checked = checks_.Proxy(key);
    const ModelAddress* address = model_.Address(proxy.address);
    if (checked == nullptr || address == nullptr) continue;
    expected.proxies[proxy.proxy_id] = {
        address->text, WordOf(controlplane::v1::ProxyScheme_Name(checked->spec.scheme()), "PROXY_SCHEME_"),
        WordOf(admin::v1::PoolState_Name(proxy.state), "POOL_STATE_"), proxy.usable_until};
  }
  for (const auto& [key, worker] : model_.workers()) {
    if (!worker.open()) continue;
    expected.sessions[worker.worker_id] = {worker.session_id,
                                           WordOf(controlplane::v1::SessionState_Name(worker.state), "SESSION_STATE_"),
                                           worker.stream != 0 ? "1" : "0", std::to_string(worker.epoch)};
  }
  return expected;
}

}  // namespace holdfast::simulation
