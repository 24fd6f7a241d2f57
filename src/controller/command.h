// An input on its way to be decided: what came, from whom, and where the answer goes.
//
// Life cycle: made by a handler (or by the controller for its own inputs), offered to the sequencer, answered once,
// after the commit of its entry. Thread: moves between threads, belongs to one at a time.

#pragma once

#include <google/protobuf/arena.h>

#include <memory>
#include <string>

#include "controller/decision.h"
#include "holdfast/log/v1/input.pb.h"

namespace holdfast {

// Where an answer goes. Called once at most, on the dispatcher's thread; destroyed without a call when the process
// stops.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  virtual void Deliver(Reply reply) = 0;
};

struct Command {
  std::string input;  // a serialised log.v1.Input: what is stored and hashed
  std::unique_ptr<google::protobuf::Arena> arena;
  const log::v1::Input* parsed = nullptr;  // of `input`, on the arena
  std::string principal;
  std::string peer;                 // for limits and sums a peer: the connection where the principal is anybody
  std::unique_ptr<ReplySink> sink;  // may be null

  // Bytes that it holds while it waits.
  std::size_t size() const { return input.size() * 3 + 256; }
};

// Serialises an input and keeps it parsed.
Command MakeCommand(const log::v1::Input& input, std::string principal, std::string peer,
                    std::unique_ptr<ReplySink> sink);

// Parses a serialised input; false: it is not one.
bool ParseCommand(Command& command);

inline constexpr char kControllerPrincipal[] = "controller";
inline constexpr char kLoopbackPrincipal[] = "loopback";

}  // namespace holdfast
