// The names of enumerations as words: those of the generated enums, without their prefix, in lower case
// ("session_over").
//
// Thread: pure functions.

#pragma once

#include <google/protobuf/descriptor.h>

#include <string>

#include "events/vocabulary.h"

namespace holdfast::replay {

// "unspecified" for 0; the number itself where the enumeration has no such value.
std::string EnumWord(const google::protobuf::EnumDescriptor* type, int number);

std::string Word(SessionState state);
std::string Word(CloseReason reason);
std::string Word(PoolState state);
std::string Word(OwnershipState state);
std::string Word(RevokeReason reason);
std::string Word(LapseCause cause);
std::string Word(EndReason reason);
std::string Word(GrantState state);
std::string Word(WaitReason reason);

}  // namespace holdfast::replay
