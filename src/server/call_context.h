// What the services stand on: one value that the daemon makes and every service keeps.
//
// Thread: the references are for any thread; they outlive every service.

#pragma once

#include "base/random.h"
#include "base/settings.h"
#include "server/controller_loop.h"
#include "server/extraction_waits.h"
#include "server/shed_admission.h"
#include "server/shed_sessions.h"
#include "server/stream_hub.h"

namespace holdfast::server {

struct CallContext {
  ControllerLoop& loop;
  StreamHub& streams;
  ExtractionWaits& extractions;
  Admission& admission;
  ShedSessions& shed;
  RandomSource& random;
  Settings settings;  // in force
};

}  // namespace holdfast::server
