#include "tools/echo/judge_server.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/echo/seen_request.h"

namespace holdfast::echo {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

// How long nothing is accepted where the process has no descriptor left.
constexpr std::chrono::milliseconds kAcceptPause{50};

asio::ip::address ToAsio(const IpAddress& address) {
  if (address.is_v4()) return asio::ip::address_v4(address.v4());
  return asio::ip::address_v6(address.v6());
}

IpAddress FromAsio(const asio::ip::address& address) {
  if (address.is_v4()) return IpAddress::V4(address.to_v4().to_uint());
  return IpAddress::V6(address.to_v6().to_bytes());
}

// One connection; it lives as long as one of its callbacks does.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const tcp::endpoint& peer, const JudgeOptions& options, std::size_t& count)
      : options_(options), peer_(peer), stream_(std::move(socket)), count_(count) {
    ++count_;
  }
  ~Connection() { --count_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void ReadNext() {
    parser_.emplace();
    parser_->header_limit(options_.request_bytes);
    parser_->body_limit(options_.request_bytes);
    stream_.expires_after(options_.idle);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code fault, std::size_t) { self->OnRead(fault); });
  }

 private:
  void OnRead(const error_code& fault) {
    if (!fault) {
      const Request& request = parser_->get();
      const bool keep = request.keep_alive();
      return Answer(http::status::ok, DescribeRequest(request, FromAsio(peer_.address()), peer_.port()), keep,
                    request.method() == http::verb::head);
    }
    // The parser's own complaints are about what was sent; all else is the connection's end.
    if (fault == http::error::end_of_stream || fault == http::error::partial_message) return;
    if (fault.category() != http::make_error_code(http::error::end_of_stream).category()) return;
    Answer(http::status::bad_request, "{\"error\": \"no HTTP/1.1 request of a bounded size\"}\n", false, false);
  }

  void Answer(http::status status, std::string body, bool keep, bool head) {
    response_ = {};
    response_.version(11);
    response_.result(status);
    response_.set(http::field::content_type, "application/json");
    response_.set(http::field::cache_control, "no-store");
    response_.keep_alive(keep);
    response_.content_length(body.size());
    if (!head) response_.body() = std::move(body);
    stream_.expires_after(options_.idle);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code fault, std::size_t) {
      if (!fault && self->response_.keep_alive()) return self->ReadNext();
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  const JudgeOptions& options_;
  const tcp::endpoint peer_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  std::size_t& count_;
};

}  // namespace

JudgeServer::JudgeServer(const JudgeOptions& options) : options_(options) {}

JudgeServer::~JudgeServer() = default;

absl::Status JudgeServer::Listen() {
  const tcp::endpoint endpoint(ToAsio(options_.address), options_.port);
  error_code fault;
  acceptor_.open(endpoint.protocol(), fault);
  if (!fault) acceptor_.set_option(asio::socket_base::reuse_address(true), fault);
  if (!fault) acceptor_.bind(endpoint, fault);
  if (!fault) acceptor_.listen(asio::socket_base::max_listen_connections, fault);
  if (!fault) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot listen on ", options_.address.ToString(), " port ", options_.port,
                                             ": ", fault.message(), "; name another with --listen"));
}

std::string JudgeServer::address() const {
  const std::string host = options_.address.ToString();
  return absl::StrCat(options_.address.is_v4() ? host : "[" + host + "]", ":", port());
}

void JudgeServer::Run() {
  AcceptNext();
  context_.run();
}

void JudgeServer::Stop() { context_.stop(); }

void JudgeServer::AcceptNext() {
  acceptor_.async_accept([this](error_code fault, tcp::socket socket) {
    if (fault == asio::error::operation_aborted) return;
    if (fault) {
      // Mostly no descriptor left: at once it would only fail again.
      pause_.expires_after(kAcceptPause);
      pause_.async_wait([this](error_code) { AcceptNext(); });
      return;
    }
    error_code gone;
    const tcp::endpoint peer = socket.remote_endpoint(gone);
    if (!gone && connections_ < options_.connections_max) {
      std::make_shared<Connection>(std::move(socket), peer, options_, connections_)->ReadNext();
    }
    AcceptNext();
  });
}

}  // namespace holdfast::echo
