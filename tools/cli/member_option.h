// The member that a command acts on: MEMBER and --kind worker|checker, and how it is typed again.
//
// Called by drain, fence, cordon and uncordon. Pure. Agents and providers are not named here: nothing that these
// commands do concerns them.

#pragma once

#include <string>

#include "controlplane/v1/types.pb.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

struct MemberOption {
  std::string id;
  std::string kind = "worker";

  controlplane::v1::SessionKind session_kind() const;
};

// `which` describes the argument. `member` outlives the parsing.
void AddMemberOption(CLI::App& command, MemberOption& member, const std::string& which);

// What is typed behind such a command: "worker-1", "checker-1 --kind checker".
std::string MemberWords(controlplane::v1::SessionKind kind, const std::string& id);

}  // namespace holdfast::cli
