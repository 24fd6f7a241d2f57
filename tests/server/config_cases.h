// Configurations as the tests of the configuration write them, and what is said against them.

#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "server/config_load.h"

namespace holdfast::server {

// The defaults, and these over them. Each is taken.
inline Config With(std::initializer_list<std::string_view> assignments) {
  Config config;
  for (const std::string_view assignment : assignments) {
    const absl::Status status = SetConfigValue(assignment, config);
    EXPECT_TRUE(status.ok()) << status;
  }
  return config;
}

// What does not fit together in it; empty where all does.
inline std::string Unfit(std::initializer_list<std::string_view> assignments) {
  return std::string(CheckConfig(With(assignments)).message());
}

// Why a file of this text is refused; it changes nothing.
inline std::string Refusal(std::string_view text) {
  Config config;
  const absl::Status status = LoadConfigText(text, "daemon.json", config);
  EXPECT_FALSE(status.ok()) << text;
  EXPECT_EQ(config, Config{}) << "a refused file changed something";
  return std::string(status.message());
}

}  // namespace holdfast::server
