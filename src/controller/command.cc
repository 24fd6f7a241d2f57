#include "controller/command.h"

namespace holdfast {

Command MakeCommand(const log::v1::Input& input, std::string principal, std::string peer,
                    std::unique_ptr<ReplySink> sink) {
  Command command;
  command.input = input.SerializeAsString();
  command.principal = std::move(principal);
  command.peer = std::move(peer);
  command.sink = std::move(sink);
  command.arena = std::make_unique<google::protobuf::Arena>();
  auto* parsed = google::protobuf::Arena::CreateMessage<log::v1::Input>(command.arena.get());
  parsed->CopyFrom(input);
  command.parsed = parsed;
  return command;
}

bool ParseCommand(Command& command) {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 2048;
  command.arena = std::make_unique<google::protobuf::Arena>(options);
  auto* parsed = google::protobuf::Arena::CreateMessage<log::v1::Input>(command.arena.get());
  command.parsed = parsed;
  return parsed->ParseFromString(command.input);
}

}  // namespace holdfast
