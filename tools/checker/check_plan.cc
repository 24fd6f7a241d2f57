#include "tools/checker/check_plan.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/client_time.h"

namespace holdfast::checker {
namespace {

using controlplane::v1::CheckTask;

constexpr std::size_t kUrlBytesMax = 8192;
constexpr Duration kTotalMax = std::chrono::minutes(10);
constexpr Duration kReserveMin = std::chrono::milliseconds(300);
constexpr Duration kReserveMax = std::chrono::milliseconds(1500);
constexpr Duration kMarginMax = std::chrono::milliseconds(50);
constexpr std::uint32_t kPortMax = 65535;

// Either what is wanted, or why not.
template <class Wanted>
using Or = std::variant<Wanted, Trouble>;

Or<ProxyRoute> RouteOf(const CheckTask& task, const PlanContext& context) {
  const std::optional<Scheme> scheme = SchemeFromNumber(task.endpoint().scheme());
  const NormalisedHost host = NormaliseHost(task.endpoint().host(), true);
  const std::uint32_t port = task.endpoint().port();
  if (!scheme || !host.ok() || port < 1 || port > kPortMax) return Trouble::kMalformedTask;
  if (context.policy.RefusesHost(host.host)) return Trouble::kRefusedAddress;
  ProxyRoute route{{*scheme, host.host, static_cast<std::uint16_t>(port)}, std::nullopt};
  if (task.secret_ref().empty()) return route;
  route.credential = context.secrets.Resolve(task.secret_ref());
  if (!route.credential) return Trouble::kUnknownSecret;
  return route;
}

Or<Question> EchoQuestion(const PlanContext& context, Scheme scheme) {
  const std::optional<HostAndPort>& echo = context.settings.echo;
  if (!echo) return Trouble::kNotConfigured;
  const bool is_ipv6 = echo->host.find(':') != std::string::npos;
  if (is_ipv6 && (scheme == Scheme::kSocks4 || scheme == Scheme::kSocks4a)) return Trouble::kNotConfigured;
  return Question{.ask = Question::Ask::kReach,
                  .url = absl::StrCat("http://", AddressText(echo->host, echo->port, ""), "/")};
}

Or<Question> TargetQuestion(const CheckTask& task, const PlanContext& context) {
  const controlplane::v1::CheckTarget& target = task.target();
  const std::optional<HostAndPort> place = ParseUrlToAsk(target.url());
  if (!place) return Trouble::kMalformedTask;
  if (!target.method().empty() && target.method() != "GET" && target.method() != "HEAD") return Trouble::kMalformedTask;
  if (context.policy.RefusesHost(place->host)) return Trouble::kRefusedAddress;
  return Question{.ask = Question::Ask::kFetch,
                  .url = target.url(),
                  .head = target.method() == "HEAD",
                  .expected_status = {target.expected_status().begin(), target.expected_status().end()}};
}

Or<Question> QuestionOf(const CheckTask& task, const PlanContext& context, Scheme scheme) {
  switch (task.level()) {
    case controlplane::v1::CHECK_LEVEL_BASIC:
      return EchoQuestion(context, scheme);
    case controlplane::v1::CHECK_LEVEL_EGRESS:
      if (context.settings.judge_url.empty()) return Trouble::kNotConfigured;
      return JudgeQuestion(context.settings, context.random);
    case controlplane::v1::CHECK_LEVEL_TARGET:
      return TargetQuestion(task, context);
    default:
      return Trouble::kUnknownLevel;
  }
}

// Nothing for a task without a timeout of its own.
std::optional<Duration> TotalOf(const CheckTask& task) {
  const std::optional<Duration> of_task = client::DurationFrom(task.timeout());
  if (!of_task || *of_task <= Duration::zero()) return std::nullopt;
  Duration total = std::min(*of_task, kTotalMax);
  const std::optional<Duration> of_target = client::DurationFrom(task.target().timeout());
  if (of_target && *of_target > Duration::zero()) total = std::min(total, *of_target);
  return total;
}

}  // namespace

std::variant<CheckPlan, Trouble> MakePlan(const CheckTask& task, const PlanContext& context) {
  const std::optional<Duration> total = TotalOf(task);
  if (!total) return Trouble::kMalformedTask;
  Or<ProxyRoute> route = RouteOf(task, context);
  if (const auto* trouble = std::get_if<Trouble>(&route)) return *trouble;
  auto& proxy = std::get<ProxyRoute>(route);
  Or<Question> question = QuestionOf(task, context, proxy.endpoint.scheme);
  if (const auto* trouble = std::get_if<Trouble>(&question)) return *trouble;
  return CheckPlan{{std::get<Question>(std::move(question)), std::move(proxy), Duration::zero()}, BudgetOf(*total)};
}

TimeBudget BudgetOf(Duration total) {
  const Duration floor = std::min(kReserveMin, total / 2);
  return {total, std::clamp(total / 5, floor, kReserveMax), std::min(kMarginMax, total / 20)};
}

Question JudgeQuestion(const CheckSettings& settings, RandomSource& random) {
  Question question{.ask = Question::Ask::kIdentify, .url = settings.judge_url, .nonce = RandomId(random)};
  const char mark = question.url.find('?') == std::string::npos ? '?' : '&';
  absl::StrAppend(&question.url, std::string(1, mark), "nonce=", question.nonce);
  return question;
}

std::optional<HostAndPort> ParseUrlToAsk(const std::string& url) {
  if (url.empty() || url.size() > kUrlBytesMax || url.find('\0') != std::string::npos) return std::nullopt;
  const std::unique_ptr<CURLU, void (*)(CURLU*)> parsed(curl_url(), curl_url_cleanup);
  if (parsed == nullptr || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const auto part = [&parsed](CURLUPart which) -> std::optional<std::string> {
    char* text = nullptr;
    if (curl_url_get(parsed.get(), which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return std::nullopt;
    const std::unique_ptr<char, void (*)(void*)> owned(text, curl_free);
    return std::string(text);
  };
  const std::optional<std::string> scheme = part(CURLUPART_SCHEME);
  const std::optional<std::string> host = part(CURLUPART_HOST);
  const std::optional<std::string> port = part(CURLUPART_PORT);
  if (!scheme || (*scheme != "http" && *scheme != "https") || !host || !port || part(CURLUPART_USER)) {
    return std::nullopt;
  }
  return ParseHostAndPort(*host + ":" + *port);
}

}  // namespace holdfast::checker
