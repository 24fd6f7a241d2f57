// A listener on 127.0.0.1 that behaves as badly as a test needs it to: for what no real proxy does on request.
//
// Made and destroyed by the test; serves on a thread of its own, any number of connections.

#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>
#include <thread>

namespace holdfast::checker {

class ScriptedPeer {
 public:
  enum class Manners : std::uint8_t {
    kHang,   // accepts and never says a word
    kClose,  // accepts and closes
    kSay,    // reads something, says its text, ends its side
    kFlood,  // reads something, says its text, and goes on saying it
  };

  explicit ScriptedPeer(Manners manners, std::string text = "");
  ~ScriptedPeer();

  std::uint16_t port() const { return port_; }
  std::size_t accepted() const { return accepted_; }
  // Connections that the other end has let go of; only with kHang.
  std::size_t left() const { return left_; }

 private:
  void AcceptNext();

  const Manners manners_;
  const std::string text_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::acceptor acceptor_{context_};
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> accepted_{0};
  std::atomic<std::size_t> left_{0};
  std::thread thread_;
};

// A SOCKS4 and SOCKS4a proxy for IPv4 destinations, which comes out at 127.0.0.2. `user`: the only user id that it
// serves; empty: any.
class Socks4Relay {
 public:
  explicit Socks4Relay(std::string user = "");
  ~Socks4Relay();

  std::uint16_t port() const { return port_; }

 private:
  void AcceptNext();

  const std::string user_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::acceptor acceptor_{context_};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace holdfast::checker
