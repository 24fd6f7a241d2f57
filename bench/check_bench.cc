// Checks a second of one engine over loopback, beside `curl --parallel` over the same proxies and the same judge.
//
// usage: check_bench [--checks N] [--concurrency N] [--pairs N]
//
// Each check and each transfer of curl is one GET of the judge through a proxy over a connection of its own; the engine
// also looks at the answer. Proxies (microsocks and tinyproxy) and judge are processes beside both, and take the larger
// part of the machine. Ratios of interleaved pairs, in one run.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>

#include "tests/checker/engine_fixture.h"
#include "tests/checker/real_proxies.h"

namespace holdfast::bench {
namespace {

using checker::ChildProcess;
using checker::RealProxy;
namespace wire = controlplane::v1;

struct Options {
  std::size_t checks = 4000;
  std::size_t concurrency = 200;
  int pairs = 5;
};

struct Place {
  wire::ProxyScheme scheme;
  std::uint16_t port;
};

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "check_bench: %s\n", what.c_str());
  std::exit(2);
}

class Neighbourhood {
 public:
  Neighbourhood() : judge_({HOLDFAST_JUDGE_BINARY, "--port-file", port_file_}) {
    if (!checker::WaitUntil([this] { return !checker::ReadFile(port_file_).empty(); }))
      Fail("the judge does not serve");
    for (int i = 0; i < 3; ++i) {
      proxies_.push_back(RealProxy::Microsocks({}));
      places_.push_back({wire::PROXY_SCHEME_SOCKS5H, proxies_.back().port()});
      proxies_.push_back(RealProxy::Tinyproxy({}));
      places_.push_back({wire::PROXY_SCHEME_HTTP, proxies_.back().port()});
    }
  }

  const Place& place(std::size_t number) const { return places_[number % places_.size()]; }
  std::string judge() const { return checker::ReadFile(port_file_); }

 private:
  const std::string port_file_ = checker::TestPath("judge-port");
  ChildProcess judge_;
  std::vector<RealProxy> proxies_;
  std::vector<Place> places_;
};

struct Cost {
  double a_second = 0;    // checks
  double cpu_micros = 0;  // of one check, in this process or in curl's: what is beside them is not counted
};

double CpuSeconds(int whose) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// `whose`: RUSAGE_SELF, or RUSAGE_CHILDREN, which counts a child once it has ended.
Cost CostOf(std::size_t checks, int whose, const std::function<void()>& work) {
  const double cpu_before = CpuSeconds(whose);
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto count = static_cast<double>(checks);
  return {count / elapsed.count(), (CpuSeconds(whose) - cpu_before) * 1e6 / count};
}

// Keeps `concurrency` checks under way until all are done.
void RunEngine(const Options& options, const Neighbourhood& neighbourhood) {
  const std::string judge = neighbourhood.judge();
  const auto port = static_cast<std::uint16_t>(std::stoi(judge.substr(judge.rfind(':') + 1)));
  checker::RunningEngine engine(checker::LoopbackSettings(port));
  for (std::size_t begun = 0; begun < options.checks; ++begun) {
    if (begun >= options.concurrency && !engine.WaitFor(begun - options.concurrency + 1)) Fail("a check has no end");
    const Place& place = neighbourhood.place(begun);
    engine.Submit(checker::EgressTask(place.scheme, place.port));
  }
  if (!engine.WaitFor(options.checks)) Fail("a check has no end");
  if (engine.engine().counts().passed != options.checks) Fail("not every check has passed");
}

std::string CurlConfiguration(const Options& options, const Neighbourhood& neighbourhood) {
  const std::string path = checker::TestPath("curl.conf");
  const std::string judge = neighbourhood.judge();
  std::ofstream file(path);
  for (std::size_t number = 0; number < options.checks; ++number) {
    const Place& place = neighbourhood.place(number);
    const char* const scheme = place.scheme == wire::PROXY_SCHEME_HTTP ? "http" : "socks5h";
    if (number > 0) file << "next\n";
    // Without reuse, as the checks are: a connection that stands already says nothing of its proxy.
    file << "url = \"http://" << judge << "/?nonce=" << number << "\"\nproxy = \"" << scheme
         << "://127.0.0.1:" << place.port << "\"\nheader = \"Connection: close\"\noutput = /dev/null\nfail\n";
  }
  return path;
}

void RunCurl(const Options& options, const std::string& configuration) {
  ChildProcess curl({"curl", "--silent", "--show-error", "--no-progress-meter", "--parallel", "--parallel-max",
                     std::to_string(options.concurrency), "--config", configuration});
  if (curl.Wait() != 0) Fail("curl: " + curl.Output());
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Run(const Options& options) {
  const Neighbourhood neighbourhood;
  const std::string configuration = CurlConfiguration(options, neighbourhood);
  std::vector<double> rates, cpu;
  for (int pair = 0; pair < options.pairs; ++pair) {
    const Cost engine = CostOf(options.checks, RUSAGE_SELF, [&] { RunEngine(options, neighbourhood); });
    const Cost curl = CostOf(options.checks, RUSAGE_CHILDREN, [&] { RunCurl(options, configuration); });
    rates.push_back(engine.a_second / curl.a_second);
    cpu.push_back(engine.cpu_micros / curl.cpu_micros);
    std::printf("pair %d: engine %.0f checks/s, %.0f us of CPU each; curl --parallel %.0f transfers/s, %.0f us each\n",
                pair + 1, engine.a_second, engine.cpu_micros, curl.a_second, curl.cpu_micros);
  }
  std::printf(
      "check_bench: %zu checks, %zu at once, beside curl --parallel (median): %.2f of its rate, %.2f of its CPU\n",
      options.checks, options.concurrency, Median(rates), Median(cpu));
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Options options;
  CLI::App app("Checks a second of one engine, beside curl --parallel over the same proxies.");
  app.add_option("--checks", options.checks, "of each run")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  // 300 is the most that curl takes.
  app.add_option("--concurrency", options.concurrency, "at once")->check(CLI::Range(1, 300))->capture_default_str();
  app.add_option("--pairs", options.pairs, "runs of both")->check(CLI::Range(1, 100))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return holdfast::bench::Run(options);
}
