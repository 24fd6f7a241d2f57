#include "server/shed_admission.h"

#include <string>

#include "base/crc32c.h"

namespace holdfast::server {
namespace {

using std::chrono::milliseconds;

// Half of a base to one and a half, by the caller's id: the same caller always waits the same, no two crowds do.
Duration Spread(Duration base, std::string_view caller) {
  return base / 2 + Duration(Crc32c(caller) % static_cast<std::uint64_t>(base.count()));
}

Duration RetryBase(CallClass call_class) {
  switch (call_class) {
    case CallClass::kRuntime:
      return milliseconds(500);
    case CallClass::kRegister:
      return milliseconds(2000);
    default:
      return milliseconds(1000);
  }
}

// What grows the log and can wait; what keeps the state right cannot.
bool NeedsRoom(CallClass call_class) {
  return call_class == CallClass::kImport || call_class == CallClass::kExtract || call_class == CallClass::kRegister ||
         call_class == CallClass::kOutcomes;
}

}  // namespace

void Admission::SetDisk(std::uint64_t free_bytes, std::uint64_t least_bytes) {
  free_bytes_ = free_bytes;
  least_bytes_ = least_bytes;
}

std::optional<Rejection> Admission::Refuse(CallClass call_class, std::string_view caller) const {
  if (!disk_low()) return std::nullopt;
  if (!NeedsRoom(call_class)) return std::nullopt;
  Rejection rejection;
  rejection.reason = RejectReason::kOverloaded;
  rejection.message = "the controller's disk is nearly full (" + std::to_string(free_bytes_.load() >> 20) +
                      " MiB free, log.min_free is " + std::to_string(least_bytes_.load() >> 20) +
                      " MiB): it takes no imports, registrations, extractions or outcomes until there is room again";
  rejection.retry_after = Spread(std::chrono::seconds(10), caller);
  return rejection;
}

std::optional<Admission::Registration> Admission::EnterRegistration() {
  if (registrations_.fetch_add(1) >= most_registrations_) {
    registrations_.fetch_sub(1);
    return std::nullopt;
  }
  return Registration(&registrations_);
}

Rejection Admission::Overloaded(CallClass call_class, std::string_view caller) {
  Rejection rejection;
  rejection.reason = RejectReason::kOverloaded;
  rejection.message = "the controller has more to do than it can queue; try again after retry_after";
  rejection.retry_after = Spread(RetryBase(call_class), caller);
  return rejection;
}

}  // namespace holdfast::server
