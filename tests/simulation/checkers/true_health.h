// What is true of a proxy of a simulated world, whatever anybody says of it.
//
// Thread: a plain value.

#pragma once

#include <set>
#include <string>

#include "controlplane/v1/types.pb.h"

namespace holdfast::simulation {

struct TrueHealth {
  bool alive = true;    // takes connections and speaks its protocol
  bool answers = true;  // what is sent through it comes out
  controlplane::v1::Anonymity anonymity = controlplane::v1::ANONYMITY_ELITE;
  std::set<std::string> unreachable;  // ids of routings whose targets it does not reach
};

}  // namespace holdfast::simulation
