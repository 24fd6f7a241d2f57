// One transfer as it is ordered from libcurl, and as it ended: plain values between transfer_loop.h and the rules.

#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.h"
#include "base/ip_address.h"
#include "base/log_time.h"
#include "tools/checker/question.h"
#include "tools/checker/secret_book.h"

namespace holdfast::checker {

struct ProxyRoute {
  Endpoint endpoint;
  std::optional<Credential> credential;
};

struct TransferOrder {
  Question question;
  std::optional<ProxyRoute> proxy;  // absent: the direct path
  Duration timeout{};               // above zero

  // Whether the proxy is asked for a connection and does not see the request in it.
  bool IsTunnelled() const;
};

struct TransferEnd {
  CURLcode code = CURLE_OK;
  CURLproxycode proxy_code = CURLPX_OK;  // with CURLE_PROXY
  int os_error = 0;                      // errno of a failed connect
  std::uint32_t connect_status = 0;      // of the answer to CONNECT; 0: none that was HTTP
  std::uint32_t status = 0;              // of the far end's answer, or of a proxy's own to a plain request; 0: none
  std::size_t header_bytes = 0;          // of all answers, also of one to CONNECT
  bool too_much = false;                 // ended by us: more headers, or more of a CONNECT answer, than anybody needs

  std::size_t sockets = 0;             // how many dials were begun
  bool dialled = false;                // the first hop accepted the connection
  bool connected = false;              // all hops stand: nothing is left but the request
  bool tunnel_stood = false;           // the proxy said that the far end is connected; before TLS with the far end
  std::optional<AddressKind> refused;  // an address that we do not dial was among the host's
  bool own_trouble = false;            // no socket could be made: a lack of this process, nobody's fault out there

  std::optional<IpAddress> local_address;  // of the connection, where all hops stood
  Duration latency{};                      // until the first byte of the answer, or the tunnel; failed: until the end
  std::string body;                        // its beginning, bounded; empty for TARGET
};

}  // namespace holdfast::checker
