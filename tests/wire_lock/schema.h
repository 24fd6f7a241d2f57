// A set of compiled .proto files that the lock tests can walk: the descriptors that a build made, a committed lock, or
// a folder of .proto files.
//
// Called by the lock tests alone, on the test's thread. A Schema owns its descriptors: what it hands out lives as long
// as it does. It keeps names, numbers and types; comments and file options play no part.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"

namespace holdfast::wire_lock {

// Which promise a file belongs to: the wire contract, or the stored format of the log.
enum class Part { kWire, kLog };

class Schema {
 public:
  // INVALID_ARGUMENT where the set does not link (a file that is missing, a name that is not defined).
  static absl::StatusOr<Schema> FromSet(const google::protobuf::FileDescriptorSet& set);
  // A serialised FileDescriptorSet with its imports. NOT_FOUND, DATA_LOSS, or as FromSet.
  static absl::StatusOr<Schema> FromFile(const std::filesystem::path& path);
  // Every .proto file under `folder`, compiled now. `scratch` is a file that may be overwritten.
  static absl::StatusOr<Schema> FromFolder(const std::filesystem::path& folder, const std::filesystem::path& scratch);

  // The files of one part, in the order of their names; well-known types belong to neither part.
  std::vector<const google::protobuf::FileDescriptor*> Files(Part part) const;
  const google::protobuf::DescriptorPool& pool() const { return *pool_; }

 private:
  Schema() : pool_(std::make_unique<google::protobuf::DescriptorPool>()) {}

  std::unique_ptr<google::protobuf::DescriptorPool> pool_;
  std::vector<const google::protobuf::FileDescriptor*> files_;
};

}  // namespace holdfast::wire_lock
