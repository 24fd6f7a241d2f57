#include "tools/cli/command_cordon.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/json_text.h"
#include "tools/cli/member_option.h"
#include "tools/cli/printable_text.h"

namespace holdfast::cli {
namespace {

struct CordonOptions {
  MemberOption member;
  std::string reason;
};

void WriteSet(Invocation& invocation, const CordonOptions& options, bool eligible, std::uint64_t sequence) {
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    const Json json = {{"kind", EnumWord(options.member.session_kind())},
                       {"member_id", options.member.id},
                       {"eligible", eligible},
                       {"log_sequence", sequence}};
    out << JsonText(json) << '\n';
    return;
  }
  const std::string words = PrintableText(MemberWords(options.member.session_kind(), options.member.id));
  out << PrintableText(options.member.id)
      << (eligible ? " may be given work again" : " is given nothing new until `holdfast uncordon " + words + "`")
      << "; log sequence " << sequence << '\n';
}

Result RunSet(Invocation& invocation, const CordonOptions& options, bool eligible) {
  admin::v1::SetEligibilityRequest request;
  request.set_kind(options.member.session_kind());
  request.set_member_id(options.member.id);
  request.set_eligible(eligible);
  request.set_reason(options.reason);
  admin::v1::SetEligibilityResponse response;
  const Result called = CallOnce(invocation, "SetEligibility", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().SetEligibility(context, request, &response);
  });
  if (called.ok()) WriteSet(invocation, options, eligible, response.log_sequence());
  return called;
}

void Add(CLI::App& app, Action& chosen, bool eligible) {
  CLI::App* command =
      eligible ? app.add_subcommand("uncordon", "Let a worker or a checker be given work again")
               : app.add_subcommand("cordon",
                                    "Give a worker or a checker nothing new, in this session and later ones; it "
                                    "keeps what it has");
  auto options = std::make_shared<CordonOptions>();
  AddMemberOption(*command, options->member, "Which, seen already or not");
  command->add_option("--reason", options->reason, "Why, for the log")->required(!eligible)->type_name("TEXT");
  command->callback([&chosen, options, eligible] {
    chosen = [options, eligible](Invocation& invocation) { return RunSet(invocation, *options, eligible); };
  });
}

}  // namespace

void AddCordonCommands(CLI::App& app, Action& chosen) {
  Add(app, chosen, false);
  Add(app, chosen, true);
}

}  // namespace holdfast::cli
