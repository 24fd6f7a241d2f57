// Metrics over HTTP, for Prometheus and what speaks like it: GET /metrics.
//
//   Start (before the log is recovered) ─► Show: who is asked ─► destroyed before the daemon stops
//
// Thread: one at a time; the source is called on the server's own two, one scrape each. Promises: a scrape never waits
// longer than its source; it costs what GetStatus costs, not the size of the pool. Does not: authenticate or encrypt,
// so it is on loopback only, as the daemon's own port.

#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/audit/v1/audit.pb.h"

namespace holdfast::server {

class MetricsServer {
 public:
  using Source = std::function<std::optional<audit::v1::GetStatusResponse>()>;

  // text: "127.0.0.1:PORT" or "[::1]:PORT"; port 0: any free one. InvalidArgument, FailedPrecondition: no such address,
  // or not of loopback; Unavailable: it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& text);
  ~MetricsServer();

  // Asked at each scrape from now on. Before, and where it answers nullopt: nothing is known but that nothing is
  // served.
  void Show(Source source);

  std::string url() const;  // "http://127.0.0.1:9464/metrics"

 private:
  class Page;
  class Http;

  explicit MetricsServer(std::unique_ptr<Http> http);

  std::unique_ptr<Http> http_;
};

// What Start refuses, without listening. Empty: metrics are switched off, which is well.
absl::Status CheckMetricsAddress(const std::string& text);

}  // namespace holdfast::server
