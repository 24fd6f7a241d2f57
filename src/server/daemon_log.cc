#include "server/daemon_log.h"

#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <string>

namespace holdfast::server {
namespace {

// One line is one message: whoever reads them line by line must not be led astray.
std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return line;
}

void Write(spdlog::level::level_enum level, std::string_view text) {
  const std::string line = OneLine(text);
  spdlog::log(level, spdlog::string_view_t(line.data(), line.size()));
}

void WriteForGrpc(gpr_log_func_args* args) {
  const std::string text = "grpc: " + std::string(args->message);
  if (args->severity == GPR_LOG_SEVERITY_ERROR) return LogWarning(text);
  LogDebug(text);
}

}  // namespace

void SetUpLogging(std::string_view level) {
  auto logger = std::make_shared<spdlog::logger>("holdfastd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(std::string(level)));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_verbosity(level == "debug" ? GPR_LOG_SEVERITY_INFO : GPR_LOG_SEVERITY_ERROR);
  gpr_set_log_function(&WriteForGrpc);
}

void LogDebug(std::string_view text) { Write(spdlog::level::debug, text); }
void LogInfo(std::string_view text) { Write(spdlog::level::info, text); }
void LogWarning(std::string_view text) { Write(spdlog::level::warn, text); }
void LogError(std::string_view text) { Write(spdlog::level::err, text); }

}  // namespace holdfast::server
