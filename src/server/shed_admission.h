// Which calls are turned away before they are queued, and what those hear that the queue turns away.
//
// Called by every handler. Thread: any. Promises: an acknowledgement or a runtime report is never refused here; a
// retry_after is spread over its callers by their ids, so that they do not come back together. Does not: bound the
// queue (command_queue.h), or know identities.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "controller/decision.h"
#include "server/command_queue.h"

namespace holdfast::server {

class Admission {
 public:
  // Room in the waiting room of registrations; leaves it when destroyed.
  class Registration {
   public:
    explicit Registration(std::atomic<std::size_t>* waiting) : waiting_(waiting) {}
    Registration(Registration&& other) noexcept : waiting_(other.waiting_) { other.waiting_ = nullptr; }
    Registration& operator=(Registration&&) = delete;
    ~Registration() {
      if (waiting_ != nullptr) waiting_->fetch_sub(1);
    }

   private:
    std::atomic<std::size_t>* waiting_;
  };

  explicit Admission(std::size_t most_registrations) : most_registrations_(most_registrations) {}

  // Bytes that are free where the log stands, against what must be. Told by the daemon's housekeeping.
  void SetDisk(std::uint64_t free_bytes, std::uint64_t least_bytes);
  bool disk_low() const { return free_bytes_.load() < least_bytes_.load(); }
  std::uint64_t free_bytes() const { return free_bytes_.load(); }

  // While the disk is low: imports, registrations, extractions and outcomes. nullopt: go on.
  std::optional<Rejection> Refuse(CallClass call_class, std::string_view caller) const;
  // nullopt: as many registrations wait as may.
  std::optional<Registration> EnterRegistration();
  std::size_t waiting_registrations() const { return registrations_.load(); }

  // What a call hears that was turned away.
  static Rejection Overloaded(CallClass call_class, std::string_view caller);

 private:
  const std::size_t most_registrations_;
  std::atomic<std::size_t> registrations_{0};
  std::atomic<std::uint64_t> free_bytes_{UINT64_MAX};
  std::atomic<std::uint64_t> least_bytes_{0};
};

}  // namespace holdfast::server
