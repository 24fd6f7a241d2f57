// From libcurl's end of a transfer to phase and error: a row for each way to end.

#include "tools/checker/finding.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace holdfast::checker {
namespace {

namespace wire = controlplane::v1;

TransferOrder OrderOf(Question::Ask ask, Scheme scheme, const std::string& url = "http://198.51.100.1/") {
  return {{.ask = ask, .url = url, .nonce = "abc"}, ProxyRoute{{scheme, "203.0.113.1", 8080}, std::nullopt}, {}};
}

const TransferOrder kTunnel = OrderOf(Question::Ask::kReach, Scheme::kHttp);
const TransferOrder kSocks = OrderOf(Question::Ask::kFetch, Scheme::kSocks5);
const TransferOrder kPlain = OrderOf(Question::Ask::kFetch, Scheme::kHttp);
const TransferOrder kHttps = OrderOf(Question::Ask::kFetch, Scheme::kHttps, "https://198.51.100.1/");

std::string Words(const Finding& finding) {
  return wire::OutcomePhase_Name(finding.phase).substr(sizeof("OUTCOME_PHASE_") - 1) + " " +
         wire::OutcomeError_Name(finding.error).substr(sizeof("OUTCOME_ERROR_") - 1);
}

// One dial was begun unless the row says otherwise.
TransferEnd Ended(CURLcode code) {
  TransferEnd end;
  end.code = code;
  end.sockets = 1;
  return end;
}

TransferEnd Refused(int os_error) {
  TransferEnd end = Ended(CURLE_COULDNT_CONNECT);
  end.os_error = os_error;
  return end;
}

TransferEnd OfSocks(CURLproxycode code) {
  TransferEnd end = Ended(CURLE_PROXY);
  end.proxy_code = code;
  return end;
}

TransferEnd OfConnect(std::uint32_t status) {
  TransferEnd end = Ended(CURLE_RECV_ERROR);
  end.connect_status = status;
  end.header_bytes = 20;
  return end;
}

TransferEnd Behind(CURLcode code) {
  TransferEnd end = Ended(code);
  end.dialled = end.connected = end.tunnel_stood = true;
  return end;
}

TEST(Finding, ADialThatFailsIsOfItsOwnPhaseAndNamesWhy) {
  TransferEnd no_socket = Ended(CURLE_OPERATION_TIMEDOUT);
  no_socket.sockets = 0;

  EXPECT_EQ(Words(Find(kTunnel, Ended(CURLE_COULDNT_RESOLVE_PROXY))), "DIAL DNS");
  EXPECT_EQ(Words(Find(kTunnel, no_socket)), "DIAL DNS") << "the time went by without an address to dial";
  EXPECT_EQ(Words(Find(kTunnel, Ended(CURLE_OPERATION_TIMEDOUT))), "DIAL TIMEOUT");
  EXPECT_EQ(Words(Find(kTunnel, Refused(ECONNREFUSED))), "DIAL REFUSED");
  EXPECT_EQ(Words(Find(kTunnel, Refused(ECONNRESET))), "DIAL RESET");
  EXPECT_EQ(Words(Find(kTunnel, Refused(ETIMEDOUT))), "DIAL TIMEOUT");
  EXPECT_EQ(Words(Find(kTunnel, Refused(ENETUNREACH))), "DIAL UNREACHABLE");
  EXPECT_EQ(Words(Find(kTunnel, Refused(EHOSTUNREACH))), "DIAL UNREACHABLE");
}

TEST(Finding, AHandshakeThatFailsNamesWhatTheProxySaid) {
  TransferEnd silent = Ended(CURLE_OPERATION_TIMEDOUT);
  silent.dialled = true;
  TransferEnd closed = OfConnect(0);
  closed.header_bytes = 0;
  TransferEnd talkative = Ended(CURLE_WRITE_ERROR);
  talkative.too_much = true;

  EXPECT_EQ(Words(Find(kTunnel, silent)), "PROXY_HANDSHAKE TIMEOUT");
  EXPECT_EQ(Words(Find(kTunnel, closed)), "PROXY_HANDSHAKE RESET");
  EXPECT_EQ(Words(Find(kTunnel, talkative)), "PROXY_HANDSHAKE PROTOCOL");
  EXPECT_EQ(Words(Find(kTunnel, Ended(CURLE_ABORTED_BY_CALLBACK))), "PROXY_HANDSHAKE PROTOCOL");
  EXPECT_EQ(Words(Find(kTunnel, Ended(CURLE_SSL_CONNECT_ERROR))), "PROXY_HANDSHAKE TLS");
  EXPECT_EQ(Words(Find(kHttps, Ended(CURLE_PEER_FAILED_VERIFICATION))), "PROXY_HANDSHAKE TLS");
}

TEST(Finding, AnAnswerToConnectIsReadByItsStatus) {
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(0))), "PROXY_HANDSHAKE PROTOCOL") << "bytes came, and no status";
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(400))), "PROXY_HANDSHAKE REFUSED");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(403))), "PROXY_HANDSHAKE REFUSED");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(405))), "PROXY_HANDSHAKE REFUSED");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(401))), "PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(407))), "PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(502))), "PROXY_HANDSHAKE UNREACHABLE");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(503))), "PROXY_HANDSHAKE UNREACHABLE");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(504))), "PROXY_HANDSHAKE TIMEOUT");
  EXPECT_EQ(Words(Find(kTunnel, OfConnect(302))), "PROXY_HANDSHAKE PROTOCOL");
}

TEST(Finding, ASocksReplyIsReadByItsCode) {
  for (const CURLproxycode code :
       {CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD, CURLPX_IDENTD_DIFFER, CURLPX_LONG_USER}) {
    EXPECT_EQ(Words(Find(kSocks, OfSocks(code))), "PROXY_HANDSHAKE AUTH") << code;
  }
  for (const CURLproxycode code : {CURLPX_CLOSED, CURLPX_RECV_CONNECT, CURLPX_RECV_AUTH, CURLPX_SEND_REQUEST}) {
    EXPECT_EQ(Words(Find(kSocks, OfSocks(code))), "PROXY_HANDSHAKE RESET") << code;
  }
  for (const CURLproxycode code : {CURLPX_REPLY_CONNECTION_REFUSED, CURLPX_REPLY_NOT_ALLOWED, CURLPX_REQUEST_FAILED}) {
    EXPECT_EQ(Words(Find(kSocks, OfSocks(code))), "PROXY_HANDSHAKE REFUSED") << code;
  }
  for (const CURLproxycode code :
       {CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE}) {
    EXPECT_EQ(Words(Find(kSocks, OfSocks(code))), "PROXY_HANDSHAKE UNREACHABLE") << code;
  }
  EXPECT_EQ(Words(Find(kSocks, OfSocks(CURLPX_REPLY_TTL_EXPIRED))), "PROXY_HANDSHAKE TIMEOUT");
  for (const CURLproxycode code : {CURLPX_BAD_VERSION, CURLPX_UNKNOWN_MODE, CURLPX_REPLY_COMMAND_NOT_SUPPORTED,
                                   CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, CURLPX_UNKNOWN_FAIL}) {
    EXPECT_EQ(Words(Find(kSocks, OfSocks(code))), "PROXY_HANDSHAKE PROTOCOL") << code;
  }
}

TEST(Finding, BehindTheProxyATunnelAndAPlainRequestAreToldApart) {
  EXPECT_EQ(Words(Find(kSocks, Behind(CURLE_OPERATION_TIMEDOUT))), "TUNNEL TIMEOUT");
  EXPECT_EQ(Words(Find(kSocks, Behind(CURLE_GOT_NOTHING))), "TUNNEL RESET");
  EXPECT_EQ(Words(Find(kSocks, Behind(CURLE_RECV_ERROR))), "TUNNEL RESET");
  EXPECT_EQ(Words(Find(kSocks, Behind(CURLE_SEND_ERROR))), "TUNNEL RESET");
  EXPECT_EQ(Words(Find(kSocks, Behind(CURLE_UNSUPPORTED_PROTOCOL))), "TUNNEL PROTOCOL") << "HTTP/0.9";
  EXPECT_EQ(Words(Find(kPlain, Behind(CURLE_OPERATION_TIMEDOUT))), "RESPONSE_HEADERS TIMEOUT");
  EXPECT_EQ(Words(Find(kPlain, Behind(CURLE_GOT_NOTHING))), "RESPONSE_HEADERS RESET");
  EXPECT_EQ(Words(Find(kPlain, Behind(CURLE_PARTIAL_FILE))), "RESPONSE_HEADERS RESET");
  EXPECT_EQ(Words(Find(kPlain, Behind(CURLE_WEIRD_SERVER_REPLY))), "RESPONSE_HEADERS PROTOCOL");
}

TEST(Finding, TlsWithTheFarEndIsBehindTheTunnelThoughNothingIsConnectedYet) {
  TransferEnd end = Ended(CURLE_SSL_CONNECT_ERROR);
  end.dialled = end.tunnel_stood = true;
  TransferEnd silent = Ended(CURLE_OPERATION_TIMEDOUT);
  silent.dialled = silent.tunnel_stood = true;

  EXPECT_EQ(Words(Find(kHttps, end)), "TUNNEL TLS");
  EXPECT_EQ(Words(Find(kHttps, silent)), "TUNNEL TIMEOUT");
}

TEST(Finding, WhatTheCheckerLacksSaysNothingOfTheProxy) {
  TransferEnd no_descriptor = Ended(CURLE_COULDNT_CONNECT);
  no_descriptor.sockets = 0;
  no_descriptor.own_trouble = true;
  TransferEnd refused = Ended(CURLE_COULDNT_CONNECT);
  refused.sockets = 0;
  refused.refused = AddressKind::kLoopback;

  EXPECT_EQ(Find(kTunnel, no_descriptor).trouble, Trouble::kResources);
  EXPECT_EQ(Find(kTunnel, refused).trouble, Trouble::kRefusedAddress);
  EXPECT_EQ(Find(kTunnel, Refused(EADDRNOTAVAIL)).trouble, Trouble::kResources) << "no port left";
  EXPECT_EQ(Find(kTunnel, Refused(EPERM)).trouble, Trouble::kResources) << "a firewall of this machine";
  EXPECT_EQ(Find(kTunnel, Ended(CURLE_SSL_CACERT_BADFILE)).trouble, Trouble::kResources);
  EXPECT_EQ(Find(kTunnel, Ended(CURLE_OUT_OF_MEMORY)).trouble, Trouble::kResources);
  EXPECT_EQ(Find(kSocks, OfSocks(CURLPX_RESOLVE_HOST)).trouble, Trouble::kResolver);
}

TEST(Finding, ARefusedAddressBesideOneThatWasDialledIsNoTrouble) {
  TransferEnd end = Refused(ECONNREFUSED);
  end.refused = AddressKind::kPrivate;

  EXPECT_EQ(Find(kTunnel, end).trouble, Trouble::kNone);
  EXPECT_EQ(Words(Find(kTunnel, end)), "DIAL REFUSED");
}

TEST(Finding, WhatWentWellIsGoodByWhatWasAsked) {
  TransferEnd answered = Behind(CURLE_OK);
  answered.status = 200;
  answered.body = R"({"nonce": "abc", "address": "203.0.113.9", "headers": {}})";
  const TransferOrder identify = OrderOf(Question::Ask::kIdentify, Scheme::kHttp);
  TransferEnd other = answered;
  other.status = 404;

  EXPECT_TRUE(Find(kTunnel, Behind(CURLE_OK)).good);
  EXPECT_TRUE(Find(kPlain, answered).good);
  EXPECT_TRUE(Find(identify, answered).good);
  EXPECT_EQ(Find(identify, answered).report->address.ToString(), "203.0.113.9");
  EXPECT_FALSE(Find(kPlain, other).good);
  EXPECT_FALSE(Find(identify, other).good);
  EXPECT_EQ(Words(Find(kPlain, other)), "RESPONSE_HEADERS PROTOCOL");
  EXPECT_EQ(Words(Find(kTunnel, Behind(CURLE_OK))), "TUNNEL NONE");
  EXPECT_EQ(Words(Find(kPlain, answered)), "RESPONSE_HEADERS NONE");
}

TEST(Finding, A407IsTheProxysUnlessItIsWhatTheTargetIsExpectedToSay) {
  TransferEnd end = Behind(CURLE_OK);
  end.status = 407;
  TransferOrder expecting = kPlain;
  expecting.question.expected_status = {407};

  EXPECT_EQ(Words(Find(kPlain, end)), "PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(Words(Find(kSocks, end)), "TUNNEL PROTOCOL") << "inside a tunnel it is the target's";
  EXPECT_TRUE(Find(expecting, end).good);
  end.status = 401;
  EXPECT_EQ(Words(Find(OrderOf(Question::Ask::kIdentify, Scheme::kHttp), end)), "PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(Words(Find(kPlain, end)), "RESPONSE_HEADERS PROTOCOL") << "a target may ask for an account of its own";
}

}  // namespace
}  // namespace holdfast::checker
