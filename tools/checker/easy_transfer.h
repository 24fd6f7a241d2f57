// One libcurl easy handle: set up from an order, watched while it runs, read at its end.
//
// Used by TransferLoop alone, on its thread. Promises: libcurl takes no proxy and no credential from the environment or
// from a file, follows no redirect, speaks HTTP/1.1 only, reuses no connection, dials no address that the policy
// refuses (looked at when the socket is made), and takes in a bounded number of bytes. Credentials go to libcurl and
// nowhere else. It must stay where it is: libcurl holds its address.

#pragma once

#include <curl/curl.h>

#include <functional>
#include <string>

#include "tools/checker/address_policy.h"
#include "tools/checker/transfer.h"

namespace holdfast::checker {

class EasyTransfer {
 public:
  using Done = std::function<void(const TransferEnd& end)>;

  // Requires: `policy` and `ca_file` outlive it.
  EasyTransfer(const TransferOrder& order, const AddressPolicy& policy, const std::string& ca_file, Done done);
  ~EasyTransfer();
  EasyTransfer(const EasyTransfer&) = delete;
  EasyTransfer& operator=(const EasyTransfer&) = delete;

  CURL* handle() const { return handle_; }
  static EasyTransfer& Of(CURL* handle);

  // How it ended. The handle is of no use afterwards. Requires: it left its multi handle.
  TransferEnd Finish(CURLcode code);
  const Done& done() const { return done_; }

 private:
  void SetUpQuestion(const Question& question);
  void SetUpProxy(const TransferOrder& order);
  void SetUpBounds(const TransferOrder& order, const std::string& ca_file);
  void SetUpCallbacks();
  std::uint32_t Number(CURLINFO which) const;

  static curl_socket_t OnOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int OnCloseSocket(void* self, curl_socket_t socket);
  static std::size_t OnHeader(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* bytes, std::size_t size, std::size_t count, void* self);
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  static int OnConnected(void* self, char* peer_ip, char* local_ip, int peer_port, int local_port);
  static CURLcode OnTls(CURL* handle, void* context, void* self);

  const AddressPolicy& policy_;
  const bool exempt_;      // no address is refused
  const bool keeps_body_;  // else it is read and dropped
  const std::size_t tls_before_tunnel_;
  const Done done_;
  CURL* const handle_;
  TransferEnd end_;
  std::size_t progress_calls_ = 0;
  std::size_t tls_begun_ = 0;
  std::size_t body_bytes_ = 0;
  bool has_enough_ = false;  // of the body
};

}  // namespace holdfast::checker
