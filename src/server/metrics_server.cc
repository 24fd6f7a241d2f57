#include "server/metrics_server.h"

#include <absl/strings/str_cat.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "server/grpc_server_address.h"
#include "server/status_metrics.h"

namespace holdfast::server {
namespace {

absl::StatusOr<ListenAddress> ParseMetricsAddress(const std::string& text) {
  absl::StatusOr<ListenAddress> address = ParseListenAddress(text);
  if (!address.ok()) {
    return absl::Status(address.status().code(), absl::StrCat("metrics.listen: ", address.status().message()));
  }
  if (address->is_unix()) {
    return absl::InvalidArgumentError("metrics.listen: metrics are shown on a TCP port: 127.0.0.1:PORT or [::1]:PORT");
  }
  return address;
}

}  // namespace

class MetricsServer::Page final : public prometheus::Collectable {
 public:
  void Show(Source source) {
    const std::lock_guard<std::mutex> lock(mutex_);
    source_ = std::move(source);
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    const Source source = [this] {
      const std::lock_guard<std::mutex> lock(mutex_);
      return source_;
    }();
    const std::optional<audit::v1::GetStatusResponse> status = source ? source() : std::nullopt;
    return MetricsOf(status ? &*status : nullptr);
  }

 private:
  mutable std::mutex mutex_;
  Source source_;
};

class MetricsServer::Http {
 public:
  // Throws what the library throws: it cannot listen.
  explicit Http(ListenAddress address) : address_(std::move(address)), exposer_(address_.text()) {
    exposer_.RegisterCollectable(page_);
    if (const std::vector<int> ports = exposer_.GetListeningPorts(); !ports.empty()) {
      address_.port = static_cast<std::uint16_t>(ports.front());
    }
  }

  Page& page() { return *page_; }
  const ListenAddress& address() const { return address_; }

 private:
  ListenAddress address_;
  const std::shared_ptr<Page> page_ = std::make_shared<Page>();
  prometheus::Exposer exposer_;  // last: its threads end before the page does
};

MetricsServer::MetricsServer(std::unique_ptr<Http> http) : http_(std::move(http)) {}
MetricsServer::~MetricsServer() = default;

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string& text) {
  absl::StatusOr<ListenAddress> address = ParseMetricsAddress(text);
  if (!address.ok()) return address.status();
  try {
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::make_unique<Http>(*std::move(address))));
  } catch (const std::exception&) {  // its text says less than this
    return absl::UnavailableError(absl::StrCat("metrics.listen: cannot listen on ", text,
                                               ": another process may have the port. Choose another, or 0 for any free "
                                               "one."));
  }
}

void MetricsServer::Show(Source source) { http_->page().Show(std::move(source)); }

std::string MetricsServer::url() const { return absl::StrCat("http://", http_->address().text(), "/metrics"); }

absl::Status CheckMetricsAddress(const std::string& text) {
  return text.empty() ? absl::OkStatus() : ParseMetricsAddress(text).status();
}

}  // namespace holdfast::server
