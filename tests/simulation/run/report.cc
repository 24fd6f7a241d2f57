#include "tests/simulation/run/report.h"

#include <iomanip>

namespace holdfast::simulation {

std::string RepeatCommand(const RunOptions& options) {
  return "holdfast-sim --seed " + std::to_string(options.seed) + " --steps " + std::to_string(options.steps);
}

void PrintRates(const RunResult& result, std::ostream& out) {
  out << "fault rates, per ten thousand (the others are 0):\n";
  for (const auto& [name, rate] : result.rates) out << "  " << std::setw(5) << rate << "  " << name << "\n";
}

void PrintReached(const Reached& reached, std::ostream& out) {
  std::string group;
  for (const auto& [key, times] : reached.counts()) {
    if (key.first != group) out << key.first << ":\n";
    group = key.first;
    out << "  " << std::setw(8) << times << "  " << key.second << "\n";
  }
}

void PrintViolation(const RunResult& result, std::ostream& out) {
  out << "seed " << result.options.seed << ", step " << result.steps_done << ", "
      << static_cast<double>(result.simulated) / kSecond << " s simulated: " << result.violation->checker
      << " found wanting:\n  " << result.violation->text << "\n";
  if (!result.last_entries.empty()) out << "the last entries:\n";
  for (const std::string& line : result.last_entries) out << "  " << line.substr(0, 400) << "\n";
  out << "repeat it: " << RepeatCommand(result.options) << "\n";
}

nlohmann::ordered_json JsonOf(const Reached& reached) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [key, times] : reached.counts()) json[key.first][key.second] = times;
  return json;
}

nlohmann::ordered_json JsonOf(const RunResult& result) {
  nlohmann::ordered_json json;
  json["seed"] = result.options.seed;
  json["steps"] = result.steps_done;
  json["sound"] = !result.violation.has_value();
  json["simulated_seconds"] = static_cast<double>(result.simulated) / kSecond;
  json["quiet_seconds"] = static_cast<double>(result.quiet_for) / kSecond;
  json["entries"] = result.entries;
  json["starts"] = result.starts;
  json["chain_hash"] = result.chain_hash;
  json["fault_rates"] = nlohmann::ordered_json::object();
  for (const auto& [name, rate] : result.rates) json["fault_rates"][name] = rate;
  json["reached"] = JsonOf(result.reached);
  if (result.violation) {
    json["violation"] = {{"checker", result.violation->checker}, {"text", result.violation->text}};
    json["last_entries"] = result.last_entries;
    json["repeat"] = RepeatCommand(result.options);
  }
  return json;
}

}  // namespace holdfast::simulation
