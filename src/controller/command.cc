#include "controller/command.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace holdfast {
namespace {

// The same input is the same bytes: maps are written in the order of their keys.
std::string BytesOf(const log::v1::Input& input) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  input.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

}  // namespace

Command MakeCommand(const log::v1::Input& input, std::string principal, std::string peer,
                    std::unique_ptr<ReplySink> sink) {
  Command command;
  command.input = BytesOf(input);
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
