// What every registration is answered with, a worker's and a checker's: the terms of one session.
//
// A plain value; read from the answer by registration.h.

#pragma once

#include <cstdint>
#include <string>

#include "client/client_time.h"

namespace holdfast::client {

struct SessionTerms {
  std::string id;
  Duration session_ttl{};
  Duration report_interval{};
  std::uint32_t max_batch = 0;
};

}  // namespace holdfast::client
