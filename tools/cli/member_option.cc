#include "tools/cli/member_option.h"

#include <CLI/CLI.hpp>

#include "tools/cli/command_options.h"

namespace holdfast::cli {

using controlplane::v1::SessionKind;

SessionKind MemberOption::session_kind() const { return *ParseEnumWord<SessionKind>(kind); }

void AddMemberOption(CLI::App& command, MemberOption& member, const std::string& which) {
  const std::vector<std::string> kinds = {EnumWord(controlplane::v1::SESSION_KIND_WORKER),
                                          EnumWord(controlplane::v1::SESSION_KIND_CHECKER)};
  command.add_option("MEMBER", member.id, which)->required();
  command.add_option("--kind", member.kind, "What it is; without it a worker")
      ->type_name(ChoicesText(kinds))
      ->check(OneOf(kinds));
}

std::string MemberWords(SessionKind kind, const std::string& id) {
  return kind == controlplane::v1::SESSION_KIND_WORKER ? id : id + " --kind " + EnumWord(kind);
}

}  // namespace holdfast::cli
