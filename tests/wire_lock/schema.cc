#include "tests/wire_lock/schema.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace holdfast::wire_lock {
namespace {

namespace fs = std::filesystem;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;

class FirstError : public google::protobuf::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const google::protobuf::Message*, ErrorLocation,
                const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(file, ": ", element, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::vector<std::string> ProtoFilesUnder(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".proto") names.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Runs protoc and waits for it. It prints what is wrong with the files on stderr itself.
absl::Status RunProtoc(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HOLDFAST_PROTOC);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, HOLDFAST_PROTOC, nullptr, nullptr, pointers.data(), environ);
  if (error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("cannot start ", HOLDFAST_PROTOC, "; install protobuf-compiler"));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError("protoc refused the .proto files; its own lines above say where");
}

}  // namespace

absl::StatusOr<Schema> Schema::FromSet(const FileDescriptorSet& set) {
  Schema schema;
  for (const FileDescriptorProto& file : set.file()) {
    FirstError error;
    const FileDescriptor* built = schema.pool_->BuildFileCollectingErrors(file, &error);
    if (built == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the descriptor set does not link: ", error.text(), "; make it with protoc --include_imports"));
    }
    schema.files_.push_back(built);
  }
  std::sort(schema.files_.begin(), schema.files_.end(),
            [](const FileDescriptor* a, const FileDescriptor* b) { return a->name() < b->name(); });
  return schema;
}

absl::StatusOr<Schema> Schema::FromFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return absl::NotFoundError(absl::StrCat(path.string(), " cannot be read; build holdfast_descriptors"));
  FileDescriptorSet set;
  if (!set.ParseFromIstream(&stream)) {
    return absl::DataLossError(absl::StrCat(path.string(), " is not a descriptor set; make it with protoc"));
  }
  return FromSet(set);
}

absl::StatusOr<Schema> Schema::FromFolder(const fs::path& folder, const fs::path& scratch) {
  if (!fs::is_directory(folder)) {
    return absl::NotFoundError(absl::StrCat(folder.string(), " is not a folder of .proto files"));
  }
  std::vector<std::string> arguments = {"-I" + folder.string(), "--include_imports",
                                        "--descriptor_set_out=" + scratch.string()};
  for (std::string& name : ProtoFilesUnder(folder)) arguments.push_back(std::move(name));
  if (absl::Status status = RunProtoc(std::move(arguments)); !status.ok()) return status;
  return FromFile(scratch);
}

std::vector<const FileDescriptor*> Schema::Files(Part part) const {
  std::vector<const FileDescriptor*> files;
  for (const FileDescriptor* file : files_) {
    if (absl::StartsWith(file->package(), "google.")) continue;
    const bool is_log = absl::StartsWith(file->package() + ".", "holdfast.log.");
    if (is_log == (part == Part::kLog)) files.push_back(file);
  }
  return files;
}

}  // namespace holdfast::wire_lock
