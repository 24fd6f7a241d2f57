#include "projections/offer_index.h"

namespace holdfast {
namespace {

// No label holds a control character.
std::string LabelKey(std::string_view key, std::string_view value) {
  std::string text(key);
  text.push_back('\0');
  return text.append(value);
}

}  // namespace

void OfferIndex::Insert(const Offer& offer, bool needs_secret, const std::vector<const ProxySpec*>& specs) {
  all_[needs_secret].insert(offer);
  for (const ProxySpec* spec : specs) {
    by_scheme_.at(static_cast<std::size_t>(spec->endpoint.scheme)).insert(offer);
    for (const auto& [key, value] : spec->labels) by_label_[LabelKey(key, value)].insert(offer);
  }
}

void OfferIndex::Erase(const Offer& offer, bool needs_secret, const std::vector<const ProxySpec*>& specs) {
  all_[needs_secret].erase(offer);
  for (const ProxySpec* spec : specs) {
    by_scheme_.at(static_cast<std::size_t>(spec->endpoint.scheme)).erase(offer);
    for (const auto& [key, value] : spec->labels) {
      const auto found = by_label_.find(LabelKey(key, value));
      if (found == by_label_.end()) continue;
      found->second.erase(offer);
      if (found->second.empty()) by_label_.erase(found);
    }
  }
}

const OfferSet& OfferIndex::with_label(std::string_view key, std::string_view value) const {
  static const OfferSet kNone;
  const auto found = by_label_.find(LabelKey(key, value));
  return found == by_label_.end() ? kNone : found->second;
}

}  // namespace holdfast
