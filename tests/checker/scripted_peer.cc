#include "tests/checker/scripted_peer.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

#include "tests/checker/real_proxies.h"

namespace holdfast::checker {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::uint16_t ListenOnLoopback(tcp::acceptor& acceptor) {
  acceptor.open(tcp::v4());
  acceptor.bind({asio::ip::address_v4::loopback(), 0});
  acceptor.listen();
  return acceptor.local_endpoint().port();
}

class PeerConnection : public std::enable_shared_from_this<PeerConnection> {
 public:
  PeerConnection(tcp::socket socket, ScriptedPeer::Manners manners, const std::string& text,
                 std::atomic<std::size_t>& left)
      : socket_(std::move(socket)), manners_(manners), text_(text), left_(left) {}

  void Read() {
    socket_.async_read_some(asio::buffer(bytes_), [self = shared_from_this()](error_code fault, std::size_t) {
      if (fault) {
        ++self->left_;
        return;
      }
      self->manners_ == ScriptedPeer::Manners::kHang ? self->Read() : self->Say();
    });
  }

 private:
  void Say() {
    asio::async_write(socket_, asio::buffer(text_), [self = shared_from_this()](error_code fault, std::size_t) {
      if (fault) return;
      if (self->manners_ == ScriptedPeer::Manners::kFlood) return self->Say();
      error_code ignored;
      self->socket_.shutdown(tcp::socket::shutdown_send, ignored);
      self->Drain();
    });
  }

  // To close with bytes unread would reset the connection, and what was said could be lost.
  void Drain() {
    socket_.async_read_some(asio::buffer(bytes_), [self = shared_from_this()](error_code fault, std::size_t) {
      if (!fault) self->Drain();
    });
  }

  tcp::socket socket_;
  const ScriptedPeer::Manners manners_;
  const std::string& text_;
  std::atomic<std::size_t>& left_;
  std::array<char, 4096> bytes_;
};

// One client of the SOCKS4 relay: reads the request as it comes, connects, and pumps both ways.
class RelayConnection : public std::enable_shared_from_this<RelayConnection> {
 public:
  RelayConnection(tcp::socket socket, const std::string& user)
      : client_(std::move(socket)), server_(client_.get_executor()), user_(user) {}

  void ReadRequest() {
    client_.async_read_some(asio::buffer(chunk_), [self = shared_from_this()](error_code fault, std::size_t count) {
      if (fault) return;
      self->request_.append(self->chunk_.data(), count);
      self->IsWhole() ? self->Connect() : self->ReadRequest();
    });
  }

 private:
  static constexpr std::size_t kHead = 8;
  static constexpr char kGranted = 90;
  static constexpr char kRefused = 91;
  static constexpr char kOtherUser = 93;

  bool NamesHost() const { return request_.substr(4, 3) == std::string(3, '\0') && request_[7] != '\0'; }
  bool IsWhole() const {
    if (request_.size() < kHead) return false;
    const std::size_t user_end = request_.find('\0', kHead);
    if (user_end == std::string::npos) return false;
    return !NamesHost() || request_.find('\0', user_end + 1) != std::string::npos;
  }

  void Connect() {
    const auto byte = [this](std::size_t at) { return static_cast<std::uint8_t>(request_[at]); };
    const std::size_t user_end = request_.find('\0', kHead);
    if (!user_.empty() && request_.substr(kHead, user_end - kHead) != user_) return Answer(kOtherUser);
    asio::ip::address_v4 address({byte(4), byte(5), byte(6), byte(7)});
    error_code fault;
    if (NamesHost()) {
      // The tests name hosts by their address, which SOCKS4a sends as text.
      address = asio::ip::make_address_v4(request_.c_str() + user_end + 1, fault);
    }
    const auto port = static_cast<std::uint16_t>((byte(2) << 8) | byte(3));
    if (!fault) server_.open(tcp::v4(), fault);
    if (!fault) server_.bind({asio::ip::make_address_v4(kProxyAddress), 0}, fault);
    if (!fault) server_.connect({address, port}, fault);
    Answer(fault ? kRefused : kGranted);
  }

  void Answer(char code) {
    answer_ = {'\0', code, '\0', '\0', '\0', '\0', '\0', '\0'};
    asio::async_write(client_, asio::buffer(answer_), [self = shared_from_this(), code](error_code fault, std::size_t) {
      if (fault || code != kGranted) return;
      self->Pump(self->client_, self->server_, self->upward_);
      self->Pump(self->server_, self->client_, self->downward_);
    });
  }

  void Pump(tcp::socket& from, tcp::socket& to, std::array<char, 4096>& bytes) {
    from.async_read_some(asio::buffer(bytes), [&, self = shared_from_this()](error_code fault, std::size_t count) {
      error_code ignored;
      if (fault) {
        to.shutdown(tcp::socket::shutdown_send, ignored);
        return;
      }
      asio::async_write(to, asio::buffer(bytes, count), [&, self](error_code lost, std::size_t) {
        if (!lost) self->Pump(from, to, bytes);
      });
    });
  }

  tcp::socket client_;
  tcp::socket server_;
  const std::string& user_;
  std::array<char, 512> chunk_;
  std::string request_;
  std::array<char, 8> answer_;
  std::array<char, 4096> upward_;
  std::array<char, 4096> downward_;
};

}  // namespace

ScriptedPeer::ScriptedPeer(Manners manners, std::string text) : manners_(manners), text_(std::move(text)) {
  port_ = ListenOnLoopback(acceptor_);
  AcceptNext();
  thread_ = std::thread([this] { context_.run(); });
}

ScriptedPeer::~ScriptedPeer() {
  context_.stop();
  thread_.join();
}

void ScriptedPeer::AcceptNext() {
  acceptor_.async_accept([this](error_code fault, tcp::socket socket) {
    if (fault) return;
    ++accepted_;
    if (manners_ != Manners::kClose) {
      std::make_shared<PeerConnection>(std::move(socket), manners_, text_, left_)->Read();
    }
    AcceptNext();
  });
}

Socks4Relay::Socks4Relay(std::string user) : user_(std::move(user)) {
  port_ = ListenOnLoopback(acceptor_);
  AcceptNext();
  thread_ = std::thread([this] { context_.run(); });
}

Socks4Relay::~Socks4Relay() {
  context_.stop();
  thread_.join();
}

void Socks4Relay::AcceptNext() {
  acceptor_.async_accept([this](error_code fault, tcp::socket socket) {
    if (fault) return;
    std::make_shared<RelayConnection>(std::move(socket), user_)->ReadRequest();
    AcceptNext();
  });
}

}  // namespace holdfast::checker
