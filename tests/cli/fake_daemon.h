// A daemon in the test's own process, on a free loopback port: what the command line is tried against.
//
// Made by each test that calls; stops with it. It is no model of the controller: it answers what the test put into it.

#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <string>

#include "tests/cli/fake_audit.h"
#include "tests/cli/fake_distribution.h"
#include "tests/cli/fake_fleet.h"
#include "tests/cli/fake_pool.h"

namespace holdfast::cli {

class FakeDaemon {
 public:
  FakeDaemon();
  ~FakeDaemon();

  // "127.0.0.1:40123".
  std::string address() const;

  FakePool pool;
  FakeFleet fleet;
  FakeAudit audit;
  FakeDistribution distribution;

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast::cli
