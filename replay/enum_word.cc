#include "replay/enum_word.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include "holdfast/admin/v1/admin.pb.h"
#include "holdfast/audit/v1/audit.pb.h"
#include "holdfast/log/v1/event.pb.h"

namespace holdfast::replay {
namespace {

// "LapseCause" gives "LAPSE_CAUSE_": the prefix that every value carries.
std::string PrefixOf(const google::protobuf::EnumDescriptor* type) {
  std::string prefix;
  for (const char c : type->name()) {
    if (absl::ascii_isupper(static_cast<unsigned char>(c)) && !prefix.empty()) prefix += '_';
    prefix += absl::ascii_toupper(static_cast<unsigned char>(c));
  }
  return prefix + "_";
}

}  // namespace

std::string EnumWord(const google::protobuf::EnumDescriptor* type, int number) {
  const google::protobuf::EnumValueDescriptor* value = type->FindValueByNumber(number);
  if (value == nullptr) return std::to_string(number);
  const std::string prefix = PrefixOf(type);
  const std::string& name = value->name();
  return absl::AsciiStrToLower(absl::StartsWith(name, prefix) ? name.substr(prefix.size()) : name);
}

std::string Word(SessionState state) {
  return EnumWord(controlplane::v1::SessionState_descriptor(), static_cast<int>(state));
}
std::string Word(CloseReason reason) { return EnumWord(admin::v1::CloseReason_descriptor(), static_cast<int>(reason)); }
std::string Word(PoolState state) { return EnumWord(admin::v1::PoolState_descriptor(), static_cast<int>(state)); }
std::string Word(OwnershipState state) {
  return EnumWord(admin::v1::OwnershipState_descriptor(), static_cast<int>(state));
}
std::string Word(RevokeReason reason) {
  return EnumWord(audit::v1::RevokeReason_descriptor(), static_cast<int>(reason));
}
std::string Word(LapseCause cause) { return EnumWord(log::v1::LapseCause_descriptor(), static_cast<int>(cause)); }
std::string Word(EndReason reason) { return EnumWord(audit::v1::EndReason_descriptor(), static_cast<int>(reason)); }
std::string Word(GrantState state) {
  return EnumWord(controlplane::v1::GrantState_descriptor(), static_cast<int>(state));
}
std::string Word(WaitReason reason) { return EnumWord(log::v1::WaitReason_descriptor(), static_cast<int>(reason)); }

}  // namespace holdfast::replay
