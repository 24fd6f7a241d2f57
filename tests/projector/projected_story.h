// A story with the projector behind it: the rules decide, a second state follows the commit and feeds the projector,
// and what that reports becomes the story's inputs. The store is a real one with accidents (troubled_store.h).
//
// Thread: a plain object of one test; time moves only when the story says so.

#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pool/comparison.h"
#include "pool/projector.h"
#include "tests/controller/client_fixture.h"
#include "tests/projector/troubled_store.h"

namespace holdfast::testing {

class ProjectedStory : public Story, private pool::StateSource, private pool::ProjectorReports {
 public:
  explicit ProjectedStory(const Settings& settings = WithoutReserve(), bool bootstrap = true,
                          std::size_t most_changes = pool::Feed::kMostChanges);

  TroubledStore& store() { return store_; }
  pool::Projector& projector() { return *projector_; }

  // Feeds, steps and decides what is reported, until nothing moves any more.
  void Project();
  // One step of the projector, and what it reports is decided.
  Duration StepOnce();
  // The state behind the commit follows; nothing else.
  void Follow();

  // The daemon is gone and back: a new feed and a new projector on the same store. Feed and projector forget.
  void RestartProjector();
  // Whether the tail can be read back from the log.
  void KeepTail(bool kept) { tail_kept_ = kept; }

  // A whole comparison. Requires: the projector is READY.
  std::vector<pool::Difference> Compare();
  // As text, for a test's message.
  std::vector<std::string> Differences();

  std::vector<pool::AddressRow> StoredAddresses();
  pool::AddressRow Stored(const std::string& proxy_id);

 private:
  bool Read(const Look& look) override;
  void StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) override;
  void StoreWritten(Sequence applied, std::uint64_t proxies) override;
  void Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) override;
  void Unanswered(const std::string& extraction_id, const std::string& cause) override;
  void MakeFeed();
  void DecideReports();

  const std::size_t most_changes_;
  ControllerState behind_;
  std::size_t followed_ = 0;  // entries
  TroubledStore store_;
  std::unique_ptr<pool::Feed> feed_;
  std::unique_ptr<pool::Projector> projector_;
  std::deque<log::v1::Input> reports_;
  bool tail_kept_ = true;
};

}  // namespace holdfast::testing
