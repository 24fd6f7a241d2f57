#include "tools/checker/finding.h"

#include <cerrno>

namespace holdfast::checker {
namespace {

using namespace controlplane::v1;  // OutcomePhase and OutcomeError, with their long-named values

constexpr std::uint32_t kUnauthorized = 401;  // what tinyproxy says to a wrong password, and 407 to none
constexpr std::uint32_t kProxyAuthenticationRequired = 407;

bool IsDialFailure(const TransferEnd& end) {
  switch (end.code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return true;
    case CURLE_OPERATION_TIMEDOUT:
      return !end.dialled && !end.connected;
    default:
      return false;
  }
}

OutcomePhase BehindTheProxy(const TransferOrder& order) {
  return order.IsTunnelled() ? OUTCOME_PHASE_TUNNEL : OUTCOME_PHASE_RESPONSE_HEADERS;
}

OutcomePhase PhaseOf(const TransferOrder& order, const TransferEnd& end) {
  if (IsDialFailure(end)) return OUTCOME_PHASE_DIAL;
  if (end.connected || end.tunnel_stood) return BehindTheProxy(order);
  return order.proxy ? OUTCOME_PHASE_PROXY_HANDSHAKE : OUTCOME_PHASE_DIAL;
}

OutcomeError OfConnect(int os_error) {
  switch (os_error) {
    case ECONNREFUSED:
      return OUTCOME_ERROR_REFUSED;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
      return OUTCOME_ERROR_RESET;
    case ETIMEDOUT:
      return OUTCOME_ERROR_TIMEOUT;
    default:
      return OUTCOME_ERROR_UNREACHABLE;
  }
}

// SOCKS4 has one code for all refusals but identd's.
OutcomeError OfSocks(CURLproxycode code) {
  switch (code) {
    case CURLPX_NO_AUTH:
    case CURLPX_USER_REJECTED:
    case CURLPX_IDENTD:
    case CURLPX_IDENTD_DIFFER:
    case CURLPX_LONG_USER:
    case CURLPX_LONG_PASSWD:
      return OUTCOME_ERROR_AUTH;
    case CURLPX_CLOSED:
    case CURLPX_RECV_ADDRESS:
    case CURLPX_RECV_AUTH:
    case CURLPX_RECV_CONNECT:
    case CURLPX_RECV_REQACK:
    case CURLPX_SEND_AUTH:
    case CURLPX_SEND_CONNECT:
    case CURLPX_SEND_REQUEST:
      return OUTCOME_ERROR_RESET;
    case CURLPX_REPLY_CONNECTION_REFUSED:
    case CURLPX_REPLY_NOT_ALLOWED:
    case CURLPX_REQUEST_FAILED:
      return OUTCOME_ERROR_REFUSED;
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE:
    case CURLPX_REPLY_HOST_UNREACHABLE:
    case CURLPX_REPLY_NETWORK_UNREACHABLE:
      return OUTCOME_ERROR_UNREACHABLE;
    case CURLPX_REPLY_TTL_EXPIRED:
      return OUTCOME_ERROR_TIMEOUT;
    default:
      return OUTCOME_ERROR_PROTOCOL;
  }
}

// Of an answer to CONNECT that gave no tunnel, or of none.
OutcomeError OfConnectAnswer(const TransferEnd& end) {
  switch (end.connect_status) {
    case 0:
      return end.header_bytes == 0 ? OUTCOME_ERROR_RESET : OUTCOME_ERROR_PROTOCOL;
    case 400:
    case 403:
    case 405:
      return OUTCOME_ERROR_REFUSED;
    case kUnauthorized:
    case kProxyAuthenticationRequired:
      return OUTCOME_ERROR_AUTH;
    case 502:
    case 503:
      return OUTCOME_ERROR_UNREACHABLE;
    case 504:
      return OUTCOME_ERROR_TIMEOUT;
    default:
      return OUTCOME_ERROR_PROTOCOL;
  }
}

OutcomeError ErrorOf(const TransferOrder& order, const TransferEnd& end) {
  switch (end.code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
      return OUTCOME_ERROR_DNS;
    case CURLE_COULDNT_CONNECT:
      return OfConnect(end.os_error);
    case CURLE_OPERATION_TIMEDOUT:
      return end.sockets == 0 ? OUTCOME_ERROR_DNS : OUTCOME_ERROR_TIMEOUT;
    case CURLE_PROXY:
      return OfSocks(end.proxy_code);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_PEER_FAILED_VERIFICATION:
      return OUTCOME_ERROR_TLS;
    case CURLE_RECV_ERROR:
      if (PhaseOf(order, end) == OUTCOME_PHASE_PROXY_HANDSHAKE) return OfConnectAnswer(end);
      return OUTCOME_ERROR_RESET;
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return OUTCOME_ERROR_RESET;
    default:
      return OUTCOME_ERROR_PROTOCOL;
  }
}

// No address, port or permission to send is this machine's lack, whatever the other end is like.
bool IsLackOfOurs(int os_error) { return os_error == EADDRNOTAVAIL || os_error == EACCES || os_error == EPERM; }

Trouble TroubleOf(const TransferEnd& end) {
  switch (end.code) {
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_SSL_CACERT_BADFILE:
      return Trouble::kResources;
    case CURLE_URL_MALFORMAT:
      return Trouble::kMalformedTask;
    case CURLE_PROXY:
      return end.proxy_code == CURLPX_RESOLVE_HOST ? Trouble::kResolver : Trouble::kNone;
    case CURLE_COULDNT_CONNECT:
      if (end.sockets == 0 && end.own_trouble) return Trouble::kResources;
      if (end.sockets == 0 && end.refused) return Trouble::kRefusedAddress;
      return IsLackOfOurs(end.os_error) ? Trouble::kResources : Trouble::kNone;
    default:
      return Trouble::kNone;
  }
}

// Whether the answer is what the question asks for; a kIdentify leaves the report in the finding.
bool Satisfies(const Question& question, const TransferEnd& end, Finding& finding) {
  switch (question.ask) {
    case Question::Ask::kReach:
      return true;
    case Question::Ask::kFetch:
      return question.Expects(end.status);
    case Question::Ask::kIdentify:
      if (end.status == 200) finding.report = ParseJudgeReport(end.body, question.nonce);
      return finding.report.has_value();
  }
  return false;
}

// Whether a plain request was answered by the proxy itself, for want of the right credential. A judge never says 401.
bool IsAboutTheAccount(const TransferOrder& order, std::uint32_t status) {
  if (!order.proxy || order.IsTunnelled()) return false;
  if (status == kProxyAuthenticationRequired) return true;
  return status == kUnauthorized && order.question.ask == Question::Ask::kIdentify;
}

}  // namespace

Finding Find(const TransferOrder& order, const TransferEnd& end) {
  Finding finding;
  finding.trouble = TroubleOf(end);
  finding.phase = PhaseOf(order, end);
  if (end.code != CURLE_OK) {
    finding.error = ErrorOf(order, end);
    return finding;
  }
  finding.phase = BehindTheProxy(order);
  finding.good = Satisfies(order.question, end, finding);
  finding.error = finding.good ? OUTCOME_ERROR_NONE : OUTCOME_ERROR_PROTOCOL;
  if (!finding.good && IsAboutTheAccount(order, end.status)) {
    finding.phase = OUTCOME_PHASE_PROXY_HANDSHAKE;
    finding.error = OUTCOME_ERROR_AUTH;
  }
  return finding;
}

}  // namespace holdfast::checker
