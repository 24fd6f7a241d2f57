#include "tools/checker/easy_transfer.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/check.h"
#include "tools/checker/judge_report.h"

namespace holdfast::checker {
namespace {

constexpr std::size_t kHeaderBytesMax = 64 * 1024;
constexpr std::size_t kBodyBytesMax = 64 * 1024;
// libcurl reads an answer to CONNECT byte by byte for as long as bytes are there, and calls OnProgress for each: a
// proxy that never stops talking would keep the thread.
constexpr std::size_t kProgressCallsMax = 4 * kHeaderBytesMax;
constexpr char kUserAgent[] = "holdfast-checker";

// An option that this libcurl does not know would be a promise that is not kept.
template <class Value>
void Set(CURL* handle, CURLoption option, Value value) {
  HOLDFAST_CHECK(curl_easy_setopt(handle, option, value) == CURLE_OK);
}

std::string Escaped(CURL* handle, const std::string& text) {
  const std::unique_ptr<char, void (*)(void*)> escaped(
      curl_easy_escape(handle, text.data(), static_cast<int>(text.size())), curl_free);
  HOLDFAST_CHECK(escaped != nullptr);
  return escaped.get();
}

// Credentials go into the URL, escaped: in libcurl before 8.8 the options for them undo escapes in what was never
// escaped, so that a '%' in a password would be lost.
std::string UrlOf(CURL* handle, const ProxyRoute& route) {
  const std::string address = AddressText(route.endpoint.host, route.endpoint.port, "");
  std::string account;
  if (route.credential) {
    account = Escaped(handle, route.credential->username) + ":" +
              Escaped(handle, route.credential->password.value_or("")) + "@";
  }
  return std::string(SchemeName(route.endpoint.scheme)) + "://" + account + address;
}

std::size_t TlsBeforeTunnel(const TransferOrder& order) {
  return order.proxy && order.proxy->endpoint.scheme == Scheme::kHttps ? 1 : 0;
}

}  // namespace

bool TransferOrder::IsTunnelled() const {
  if (!proxy) return false;
  const bool is_http_proxy = proxy->endpoint.scheme == Scheme::kHttp || proxy->endpoint.scheme == Scheme::kHttps;
  return !is_http_proxy || question.ask == Question::Ask::kReach || question.url.substr(0, 6) == "https:";
}

EasyTransfer::EasyTransfer(const TransferOrder& order, const AddressPolicy& policy, const std::string& ca_file,
                           Done done)
    : policy_(policy),
      exempt_(!order.proxy && order.question.IsOurs()),
      keeps_body_(order.question.ask == Question::Ask::kIdentify),
      tls_before_tunnel_(TlsBeforeTunnel(order)),
      done_(std::move(done)),
      handle_(curl_easy_init()) {
  HOLDFAST_CHECK(handle_ != nullptr);
  SetUpQuestion(order.question);
  SetUpProxy(order);
  SetUpBounds(order, ca_file);
  SetUpCallbacks();
}

// Its sockets may be closed only here, which calls back: before any member is gone.
EasyTransfer::~EasyTransfer() { curl_easy_cleanup(handle_); }

EasyTransfer& EasyTransfer::Of(CURL* handle) {
  char* self = nullptr;
  HOLDFAST_CHECK(curl_easy_getinfo(handle, CURLINFO_PRIVATE, &self) == CURLE_OK && self != nullptr);
  return *reinterpret_cast<EasyTransfer*>(self);
}

void EasyTransfer::SetUpQuestion(const Question& question) {
  Set(handle_, CURLOPT_URL, question.url.c_str());
  Set(handle_, CURLOPT_USERAGENT, kUserAgent);
  if (question.ask == Question::Ask::kReach) Set(handle_, CURLOPT_CONNECT_ONLY, 1L);
  if (question.head) Set(handle_, CURLOPT_NOBODY, 1L);
}

void EasyTransfer::SetUpProxy(const TransferOrder& order) {
  // Both are set in any case: where they are not, libcurl asks the environment.
  Set(handle_, CURLOPT_NOPROXY, "");
  Set(handle_, CURLOPT_PROXY, order.proxy ? UrlOf(handle_, *order.proxy).c_str() : "");
  if (!order.proxy) return;
  if (order.IsTunnelled()) Set(handle_, CURLOPT_HTTPPROXYTUNNEL, 1L);
  Set(handle_, CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC));
  Set(handle_, CURLOPT_SOCKS5_AUTH, static_cast<long>(CURLAUTH_BASIC));
}

void EasyTransfer::SetUpBounds(const TransferOrder& order, const std::string& ca_file) {
  Set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(handle_, CURLOPT_FOLLOWLOCATION, 0L);
  Set(handle_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(handle_, CURLOPT_FRESH_CONNECT, 1L);
  Set(handle_, CURLOPT_FORBID_REUSE, 1L);
  Set(handle_, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  Set(handle_, CURLOPT_NOSIGNAL, 1L);
  // A resolver that hangs must not be waited for when its check is over.
  Set(handle_, CURLOPT_QUICK_EXIT, 1L);
  // The direct path is to show whether the resolver works now.
  if (!order.proxy) Set(handle_, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(order.timeout).count();
  Set(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(milliseconds, 1)));
  if (!ca_file.empty()) {
    Set(handle_, CURLOPT_CAINFO, ca_file.c_str());
    Set(handle_, CURLOPT_PROXY_CAINFO, ca_file.c_str());
  }
  // With a folder of certificates libcurl would read them all anew for each connection.
  Set(handle_, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  Set(handle_, CURLOPT_PROXY_CAPATH, static_cast<char*>(nullptr));
}

void EasyTransfer::SetUpCallbacks() {
  void* const self = this;
  Set(handle_, CURLOPT_PRIVATE, self);
  Set(handle_, CURLOPT_OPENSOCKETFUNCTION, &OnOpenSocket);
  Set(handle_, CURLOPT_OPENSOCKETDATA, self);
  Set(handle_, CURLOPT_CLOSESOCKETFUNCTION, &OnCloseSocket);
  Set(handle_, CURLOPT_CLOSESOCKETDATA, self);
  Set(handle_, CURLOPT_HEADERFUNCTION, &OnHeader);
  Set(handle_, CURLOPT_HEADERDATA, self);
  Set(handle_, CURLOPT_WRITEFUNCTION, &OnBody);
  Set(handle_, CURLOPT_WRITEDATA, self);
  Set(handle_, CURLOPT_XFERINFOFUNCTION, &OnProgress);
  Set(handle_, CURLOPT_XFERINFODATA, self);
  Set(handle_, CURLOPT_NOPROGRESS, 0L);
  Set(handle_, CURLOPT_PREREQFUNCTION, &OnConnected);
  Set(handle_, CURLOPT_PREREQDATA, self);
  Set(handle_, CURLOPT_SSL_CTX_FUNCTION, &OnTls);
  Set(handle_, CURLOPT_SSL_CTX_DATA, self);
}

TransferEnd EasyTransfer::Finish(CURLcode code) {
  end_.code = has_enough_ && code == CURLE_WRITE_ERROR ? CURLE_OK : code;
  long proxy_code = 0;
  curl_easy_getinfo(handle_, CURLINFO_PROXY_ERROR, &proxy_code);
  end_.proxy_code = static_cast<CURLproxycode>(proxy_code);
  end_.os_error = static_cast<int>(Number(CURLINFO_OS_ERRNO));
  end_.connect_status = Number(CURLINFO_HTTP_CONNECTCODE);
  end_.status = Number(CURLINFO_RESPONSE_CODE);
  end_.tunnel_stood = end_.connected || end_.connect_status / 100 == 2 || tls_begun_ > tls_before_tunnel_;
  curl_off_t first_byte = 0, total = 0;
  curl_easy_getinfo(handle_, CURLINFO_STARTTRANSFER_TIME_T, &first_byte);
  curl_easy_getinfo(handle_, CURLINFO_TOTAL_TIME_T, &total);
  end_.latency = Duration(end_.code == CURLE_OK && first_byte > 0 ? first_byte : total);
  return std::move(end_);
}

std::uint32_t EasyTransfer::Number(CURLINFO which) const {
  long number = 0;
  curl_easy_getinfo(handle_, which, &number);
  return static_cast<std::uint32_t>(number);
}

// ---- what libcurl calls ---------------------------------------------------------------------------------------------

curl_socket_t EasyTransfer::OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<EasyTransfer*>(self);
  if (!transfer.exempt_) {
    if (const auto refused = transfer.policy_.Refuses(address->addr)) {
      transfer.end_.refused = refused;
      return CURL_SOCKET_BAD;
    }
  }
  const int made = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (made < 0) {
    // An address family that this machine does not have is no lack of descriptors.
    transfer.end_.own_trouble = transfer.end_.own_trouble || errno != EAFNOSUPPORT;
    return CURL_SOCKET_BAD;
  }
  ++transfer.end_.sockets;
  return made;
}

int EasyTransfer::OnCloseSocket(void* self, curl_socket_t socket) {
  auto& transfer = *static_cast<EasyTransfer*>(self);
  // libcurl does not tell how far a timed-out connection got; the kernel does.
  sockaddr_storage peer;
  socklen_t size = sizeof peer;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) == 0) transfer.end_.dialled = true;
  return close(socket);
}

std::size_t EasyTransfer::OnHeader(char*, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<EasyTransfer*>(self);
  transfer.end_.header_bytes += size * count;
  transfer.end_.too_much = transfer.end_.header_bytes > kHeaderBytesMax;
  return transfer.end_.too_much ? 0 : size * count;
}

std::size_t EasyTransfer::OnBody(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<EasyTransfer*>(self);
  const std::size_t length = size * count;
  transfer.body_bytes_ += length;
  transfer.has_enough_ = transfer.body_bytes_ > kBodyBytesMax;
  if (transfer.has_enough_) return 0;
  if (transfer.keeps_body_) transfer.end_.body.append(bytes, length);
  return length;
}

int EasyTransfer::OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<EasyTransfer*>(self);
  if (transfer.end_.connected || ++transfer.progress_calls_ <= kProgressCallsMax) return 0;
  transfer.end_.too_much = true;
  return 1;
}

int EasyTransfer::OnConnected(void* self, char*, char* local_ip, int, int) {
  auto& transfer = *static_cast<EasyTransfer*>(self);
  transfer.end_.connected = true;
  if (local_ip != nullptr) transfer.end_.local_address = ParseAddress(local_ip);
  return CURL_PREREQFUNC_OK;
}

CURLcode EasyTransfer::OnTls(CURL*, void*, void* self) {
  ++static_cast<EasyTransfer*>(self)->tls_begun_;
  return CURLE_OK;
}

}  // namespace holdfast::checker
