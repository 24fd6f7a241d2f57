// The judge's endpoint: HTTP/1.1 over TCP, each request answered with what was seen of it (seen_request.h).
//
// Made, run and stopped on one thread; Stop() also from any other. Promises: at most connections_max connections, each
// with bounded memory (a request's head and body) and a bounded life while it is silent; what is no HTTP is answered
// 400 and closed. A connection that never says anything is what a BASIC check makes, and no fault. Does not speak TLS
// and does not log what it sees: put a TLS terminator in front of it, and only one that adds no header.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "tools/echo/judge_options.h"

namespace holdfast::echo {

class JudgeServer {
 public:
  explicit JudgeServer(const JudgeOptions& options);
  ~JudgeServer();

  // Error: the address cannot be listened on; it says which and why.
  absl::Status Listen();
  // "127.0.0.1:41234". Requires: Listen() was OK.
  std::string address() const;
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  // Serves until Stop(). Requires: Listen() was OK.
  void Run();
  void Stop();

 private:
  void AcceptNext();

  const JudgeOptions options_;
  std::size_t connections_ = 0;  // stands before context_, whose end is the end of every connection
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::acceptor acceptor_{context_};
  boost::asio::steady_timer pause_{context_};
};

}  // namespace holdfast::echo
