// What the command line asks for on the side of the clients: how many, how much they take and how long they keep it.
// A plain value; part of FleetOptions.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace holdfast::fleet {

struct ClientOptions {
  std::uint32_t clients = 0;
  std::uint32_t most = 10;                                          // machines of one extraction
  std::chrono::microseconds keep = std::chrono::milliseconds(200);  // around; 0: gives back at once
  std::chrono::microseconds settle = std::chrono::microseconds(0);  // how long to settle at the end; 0: not at all
};

// What CLI11 fills before it is looked at closer.
struct RawClientOptions {
  ClientOptions options;
  std::string keep = "200ms";
  std::string settle = "0";
};

void DescribeClientOptions(CLI::App& app, RawClientOptions& raw);

// What is wrong with the texts, or nothing; then raw.options is whole.
std::optional<std::string> ReadClientOptions(RawClientOptions& raw);

}  // namespace holdfast::fleet
