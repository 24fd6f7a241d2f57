// Holds docs/event_catalog.md against the code: the events, their numbers and fields, and who folds each.

#include <absl/strings/str_split.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "holdfast/log/v1/event.pb.h"
#include "projections/controller_state.h"

namespace holdfast::testing {
namespace {

struct CatalogEvent {
  std::uint32_t number = 0;
  std::vector<std::string> fields;
  std::vector<std::string> folded_by;
};
using Catalog = std::map<std::string, CatalogEvent>;

Catalog WrittenCatalog() {
  Catalog catalog;
  CatalogEvent* event = nullptr;
  std::ifstream in(HOLDFAST_SOURCE_DIR "/docs/event_catalog.md");
  for (std::string line; std::getline(in, line);) {
    // What stands before, in and after the first backticks.
    const std::vector<std::string> quoted = absl::StrSplit(line, absl::MaxSplits('`', 2));
    if (line.starts_with("### ") && quoted.size() == 3) {
      event = &catalog[quoted[1]];
      event->number = static_cast<std::uint32_t>(std::stoul(quoted[0].substr(4)));
    } else if (event != nullptr && line.starts_with("| `") && line.ends_with(" |") && quoted[2].size() > 5) {
      event->fields.push_back(quoted[1]);  // one that is explained: more than " |  |"
    } else if (event != nullptr && line.starts_with("Folded by: ")) {
      event->folded_by = absl::StrSplit(line.substr(line.find(':') + 1), absl::ByAnyChar(" ,."), absl::SkipEmpty());
    }
  }
  return catalog;
}

template <class E>
std::vector<std::string> FoldedBy() {
  std::vector<std::string> names;
  const auto note = [&]<class P>(const char* name) {
    if (Handles<P, E>) names.push_back(name);
  };
  note.template operator()<Run>("run");
  note.template operator()<Sessions>("sessions");
  note.template operator()<Pool>("pool");
  note.template operator()<Ownership>("ownership");
  note.template operator()<Snapshots>("snapshots");
  note.template operator()<Runtime>("runtime");
  note.template operator()<Outcomes>("outcomes");
  note.template operator()<Routings>("routings");
  note.template operator()<Audit>("audit");
  note.template operator()<Checkers>("checkers");
  note.template operator()<Checks>("checks");
  note.template operator()<Health>("health");
  note.template operator()<Guard>("guard");
  note.template operator()<Extractions>("extractions");
  note.template operator()<PoolStore>("pool_store");
  return names;
}

template <class E>
CatalogEvent FromCode() {
  CatalogEvent event{E::kNumber, {}, FoldedBy<E>()};
  const auto& type = *log::v1::Event::descriptor()->FindFieldByNumber(E::kNumber)->message_type();
  for (int i = 0; i < type.field_count(); ++i) event.fields.push_back(type.field(i)->name());
  return event;
}

template <std::size_t... Is>
Catalog CodesCatalog(std::index_sequence<Is...>) {
  Catalog catalog;
  ((catalog[std::string(std::variant_alternative_t<Is, EventVariant>::kName)] =
        FromCode<std::variant_alternative_t<Is, EventVariant>>()),
   ...);
  return catalog;
}

TEST(EventCatalog, ItListsEveryEventWithItsFieldsAndWhoFoldsIt) {
  const Catalog code = CodesCatalog(std::make_index_sequence<std::variant_size_v<EventVariant>>());
  const Catalog written = WrittenCatalog();

  for (const auto& [name, event] : code) {
    ASSERT_TRUE(written.contains(name)) << "docs/event_catalog.md does not tell of " << name;
    EXPECT_EQ(written.at(name).number, event.number) << name;
    EXPECT_EQ(written.at(name).fields, event.fields) << name;
    EXPECT_EQ(written.at(name).folded_by, event.folded_by) << name;
  }
  for (const auto& [name, event] : written) EXPECT_TRUE(code.contains(name)) << name << " is no event";
}

}  // namespace
}  // namespace holdfast::testing
