// Metrics: what stands in them, and that they are there over HTTP, of the real daemon too.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "server/metrics_server.h"
#include "server/status_metrics.h"
#include "tests/events/temporary_directory.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/daemon_process.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using audit::v1::GetStatusResponse;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// "name{label="word",…}" and its value.
std::map<std::string, double> SeriesOf(const GetStatusResponse* status) {
  std::map<std::string, double> series;
  for (const prometheus::MetricFamily& family : MetricsOf(status)) {
    for (const prometheus::ClientMetric& metric : family.metric) {
      std::string name = family.name, comma = "{";
      for (const auto& label : metric.label) {
        name += comma + label.name + "=\"" + label.value + "\"";
        comma = ",";
      }
      if (comma == ",") name += "}";
      EXPECT_TRUE(series.emplace(name, metric.gauge.value).second) << name << " is there twice";
    }
  }
  return series;
}

double SumOf(const std::map<std::string, double>& series, const std::string& name) {
  double sum = 0;
  for (const auto& [key, value] : series) sum += key.starts_with(name + "{") ? value : 0;
  return sum;
}

// What a server on loopback answers to GET of that URL; empty: nothing, or it is not there.
std::string Get(const std::string& url) {
  const std::string begin = "http://127.0.0.1:";
  const std::size_t slash = url.find('/', begin.size());
  if (!url.starts_with(begin) || slash == std::string::npos) return "";
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(begin.size()))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  const std::string request = "GET " + url.substr(slash) + " HTTP/1.0\r\n\r\n";
  if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(socket, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char bytes[4096];
    for (ssize_t count = 0; (count = recv(socket, bytes, sizeof bytes, 0)) > 0;) answer.append(bytes, count);
  }
  close(socket);
  return answer;
}

TEST(Metrics, SayWhatTheStatusSays) {
  GetStatusResponse status;
  status.set_serving(true);
  status.set_software_version("0.1.0");
  status.set_rules_version(7);
  status.set_log_id("abc");
  status.mutable_hold_off_until()->set_seconds(5);
  status.set_alarms(2);
  (*status.mutable_sessions())["worker/active"] = 12;
  (*status.mutable_proxies())["extracted/extracted"] = 3;
  (*status.mutable_unchecked_age())["egress"].set_seconds(90);
  status.set_last_sequence(500);
  status.set_pool_applied_sequence(480);
  status.set_pool_condition("ready");
  status.mutable_pool_lag()->set_nanos(250'000'000);
  status.mutable_clock_offset()->set_seconds(-2);
  (*status.mutable_extractions())["doubted"] = 1;

  const std::map<std::string, double> series = SeriesOf(&status);

  const std::map<std::string, double> expected = {
      {"holdfast_serving", 1},
      {"holdfast_holding_off", 1},
      {R"(holdfast_build_info{version="0.1.0",rules_version="7",log_id="abc"})", 1},
      {"holdfast_alarms", 2},
      {R"(holdfast_sessions{kind="worker",state="active"})", 12},
      {R"(holdfast_sessions{kind="checker",state="active"})", 0},
      {R"(holdfast_proxies{pool="extracted",ownership="extracted"})", 3},
      {R"(holdfast_unchecked_age_seconds{level="egress"})", 90},
      {R"(holdfast_unchecked_age_seconds{level="basic"})", 0},
      {"holdfast_log_last_sequence", 500},
      {"holdfast_pool_lag_entries", 20},
      {"holdfast_pool_lag_seconds", 0.25},
      {R"(holdfast_pool_condition{condition="ready"})", 1},
      {R"(holdfast_pool_condition{condition="away"})", 0},
      {"holdfast_clock_offset_seconds", -2},
      {R"(holdfast_extractions{phase="doubted"})", 1},
      {R"(holdfast_extractions{phase="standing"})", 0}};
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(series.contains(name)) << name;
    EXPECT_DOUBLE_EQ(series.at(name), value) << name;
  }
}

TEST(Metrics, OfADaemonThatCannotBeAskedSayOnlyThatItDoesNotServe) {
  EXPECT_EQ(SeriesOf(nullptr), (std::map<std::string, double>{{"holdfast_serving", 0}}));
}

TEST(Metrics, CountEverySessionAndEveryProxyOnceAndHaveTheSameSeriesAlways) {
  TestDaemon daemon;
  const std::optional<GetStatusResponse> before = daemon.daemon().StatusWithin(std::chrono::seconds(30));
  daemon.Import(6);
  TestWorker worker(daemon, "worker-1"), idle(daemon, "worker-2");
  const auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  idle.Register();

  const std::optional<GetStatusResponse> status = daemon.daemon().StatusWithin(std::chrono::seconds(30));

  ASSERT_TRUE(before && status);
  const auto empty = SeriesOf(&*before), series = SeriesOf(&*status);
  EXPECT_EQ(SumOf(series, "holdfast_proxies"), 6);
  EXPECT_EQ(SumOf(series, "holdfast_sessions"), 2);
  std::set<std::string> names, names_before;
  for (const auto& [name, value] : series) names.insert(name);
  for (const auto& [name, value] : empty) names_before.insert(name);
  EXPECT_EQ(names, names_before);
}

TEST(Metrics, AreThoseThatAreDocumented) {
  std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/docs/operations/metrics.md");
  std::set<std::string> documented, there;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `holdfast_")) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    if (name.find_first_of(" {") == std::string::npos) documented.insert(name);  // not what to alert on
  }
  const GetStatusResponse status;
  for (const prometheus::MetricFamily& family : MetricsOf(&status)) {
    there.insert(family.name);
    EXPECT_FALSE(family.help.empty()) << family.name;
  }
  EXPECT_EQ(there, documented);
}

TEST(MetricsServer, ShowsThatTheDaemonRecoversAndThenWhatItIs) {
  TestDaemon daemon;
  daemon.Import(4);
  auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.ok()) << server.status();

  const std::string before = Get((*server)->url());
  (*server)->Show([&] { return daemon.daemon().StatusWithin(std::chrono::seconds(30)); });
  const std::string after = Get((*server)->url());

  EXPECT_THAT(before,
              AllOf(HasSubstr("200 OK"), HasSubstr("\nholdfast_serving 0"), Not(HasSubstr("holdfast_proxies"))));
  EXPECT_THAT(after, AllOf(HasSubstr("\n# TYPE holdfast_proxies gauge"), HasSubstr("\nholdfast_serving 1"),
                           HasSubstr("\nholdfast_proxies{pool=\"available\",ownership=\"unowned\"} 4")));
}

TEST(MetricsServer, ListensOnLoopbackAlone) {
  EXPECT_EQ(MetricsServer::Start("0.0.0.0:0").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CheckMetricsAddress("192.0.2.1:9464").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CheckMetricsAddress("unix:/run/metrics").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckMetricsAddress("localhost:9464").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckMetricsAddress("[::1]:9464").ok());
  EXPECT_TRUE(CheckMetricsAddress("").ok());
}

TEST(MetricsServer, SaysThatAPortIsTaken) {
  auto first = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(first.ok());
  std::string taken = (*first)->url().substr(std::string("http://").size());
  taken.resize(taken.find('/'));

  const absl::Status status = MetricsServer::Start(taken).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("metrics.listen"), HasSubstr(taken)));
}

TEST(DaemonProgram, ShowsItsMetricsWhereItIsToldToAndEndsWell) {
  testing::TemporaryDirectory directory;
  DaemonProcess process(directory.path(),
                        {"--data-dir", directory.File("log"), "--listen", "127.0.0.1:0", "--port-file",
                         directory.File("port"), "--bootstrap", "--set", "metrics.listen=127.0.0.1:0"});
  ASSERT_NE(process.WaitForLine(directory.File("port")), "") << process.Errors();
  const std::string said = process.Errors();
  const std::size_t at = said.find("http://");
  ASSERT_NE(at, std::string::npos) << said;

  const std::string answer = Get(said.substr(at, said.find('\n', at) - at));
  process.Signal(SIGTERM);

  EXPECT_THAT(answer, AllOf(HasSubstr("200 OK"), HasSubstr("holdfast_pool_lag_seconds 0")));
  EXPECT_EQ(process.Wait(), 0);
}

}  // namespace
}  // namespace holdfast::server
