#include "tools/cli/command_fence.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/member_option.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/session_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::FenceSessionRequest;
using admin::v1::FenceSessionResponse;

struct FenceOptions {
  MemberOption member;
  std::string reason;
  bool keep_eligible = false;
  std::string session;
};

void WriteFenced(Invocation& invocation, const FenceOptions& options, const FenceSessionResponse& response) {
  std::ostream& out = invocation.environment.out;
  const controlplane::v1::SessionKind kind = options.member.session_kind();
  out << PrintableText(response.session().member_id()) << " is fenced: session "
      << PrintableText(response.session().session_id()) << " is closed (" << EnumWord(response.session().close_reason())
      << "), log sequence " << response.log_sequence() << '\n';
  if (kind == controlplane::v1::SESSION_KIND_CHECKER) {
    out << "The tasks that it had are cancelled; their checks are due again, and go to other checkers.\n";
  } else if (response.has_last_owned_until()) {
    out << "What it had may be in use until "
        << TimeWithAge(ToMicros(response.last_owned_until()), invocation.environment.now_micros())
        << "; until then nobody else is given it.\n";
  } else {
    out << "It had nothing that could still be in use.\n";
  }
  if (!options.keep_eligible) {
    out << "Later sessions of it are given nothing until `holdfast uncordon "
        << PrintableText(MemberWords(kind, response.session().member_id())) << "`.\n";
  }
}

Json FencedJson(const FenceSessionResponse& response) {
  Json json;
  json["session"] = SessionJson(response.session());
  json["last_owned_until"] = TimeJson(response.has_last_owned_until(), response.last_owned_until());
  json["log_sequence"] = response.log_sequence();
  return json;
}

Result RunFence(Invocation& invocation, const FenceOptions& options) {
  FenceSessionRequest request;
  request.set_kind(options.member.session_kind());
  request.set_member_id(options.member.id);
  request.set_reason(options.reason);
  request.set_keep_eligible(options.keep_eligible);
  request.set_expected_session_id(options.session);
  FenceSessionResponse response;
  const Result called = CallOnce(invocation, "FenceSession", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().FenceSession(context, request, &response);
  });
  if (!called.ok()) return called;
  if (invocation.json) {
    invocation.environment.out << JsonText(FencedJson(response)) << '\n';
  } else {
    WriteFenced(invocation, options, response);
  }
  return Result::Done();
}

}  // namespace

void AddFenceCommand(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("fence", "End the session of a worker or a checker at once; what it had lapses");
  auto options = std::make_shared<FenceOptions>();
  AddMemberOption(*command, options->member, "Which");
  command->add_option("--reason", options->reason, "Why, for the log")->required()->type_name("TEXT");
  command->add_flag("--keep-eligible", options->keep_eligible, "Do not cordon it: a later session is given work");
  command->add_option("--session", options->session, "Only if this is its session")->type_name("SESSION");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunFence(invocation, *options); }; });
}

}  // namespace holdfast::cli
