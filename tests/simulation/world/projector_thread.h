// The projector's thread of a simulated daemon: the real projector and feed, on a fiber of their own, so that the
// daemon goes on, or crashes, while a call to the store is under way.
//
//   made (the feed is attached) ─ Begin ─► steps ─ sleeps as long as it wants, or until the feed has work ─► steps …
//   destroyed: the call under way is cut off, nothing more is reported
//
// Owned by the simulated controller, gone with its process. Thread: one. Its reports are inputs, as the daemon's are.
// An intent that cannot be asked for is told as unanswered, and as one that nothing will ever come of.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pool/projector.h"
#include "tests/simulation/world/committed.h"
#include "tests/simulation/world/disk.h"
#include "tests/simulation/world/fiber.h"
#include "tests/simulation/world/store_connection.h"

namespace holdfast::simulation {

class ProjectorThread final : public pool::StateSource, public pool::ProjectorReports {
 public:
  struct Outlet {
    std::function<LogTime()> now;
    std::function<void(const log::v1::Input&)> submit;
    std::function<Micros()> paused_until;  // of the process
  };
  ProjectorThread(World& world, StoreServer& server, Committed& committed, const Disk& disk, Outlet outlet);
  ~ProjectorThread() override;

  // Requires: the start of this run is committed.
  void Begin();
  const pool::Projector& projector() const { return projector_; }

  // ---- StateSource, ProjectorReports
  // ---------------------------------------------------------------------------------
  bool Read(const Look& look) override;
  void StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) override;
  void StoreWritten(Sequence applied, std::uint64_t proxies) override;
  void Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) override;
  void Unanswered(const std::string& extraction_id, const std::string& cause) override;

 private:
  void Run();
  void Work();
  bool WaitUntil(Micros when);
  void Sleep(Duration length);
  void ResumeAt(Micros when);
  void Submit(const log::v1::Input& input);
  absl::StatusOr<pool::Changes> ReadTail(Sequence after, Sequence upto) const;

  World& world_;
  Committed& committed_;
  const Disk& disk_;
  const Outlet outlet_;
  StoreConnection connection_;
  pool::Feed feed_;
  pool::Projector projector_;
  Fiber fiber_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false: what is scheduled does nothing any more
  bool gone_ = false;
  bool begun_ = false;
  bool work_ = false;      // since it looked last
  bool sleeping_ = false;  // not in a call
  std::uint64_t resume_serial_ = 0;
};

}  // namespace holdfast::simulation
