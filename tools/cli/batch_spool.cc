#include "tools/cli/batch_spool.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

namespace holdfast::cli {
namespace {

absl::Status Fault(const char* what) {
  return absl::UnavailableError(std::string("cannot ") + what + " the temporary file of the import: " +
                                std::strerror(errno) + ". Free space in TMPDIR or /tmp");
}

bool Write(std::FILE* file, const void* bytes, std::size_t size) {
  return size == 0 || std::fwrite(bytes, 1, size, file) == size;
}
bool Read(std::FILE* file, void* bytes, std::size_t size) {
  return size == 0 || std::fread(bytes, 1, size, file) == size;
}

}  // namespace

absl::StatusOr<BatchSpool> BatchSpool::Create() {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return Fault("make");
  return BatchSpool(file);
}

absl::Status BatchSpool::Append(const ImportBatch& batch) {
  const std::string message = batch.request.SerializeAsString();
  const std::uint64_t sizes[2] = {message.size(), batch.origins.size()};
  const bool written = Write(file_.get(), sizes, sizeof sizes) && Write(file_.get(), message.data(), message.size()) &&
                       Write(file_.get(), batch.origins.data(), batch.origins.size() * sizeof(ImportOrigin));
  return written ? absl::OkStatus() : Fault("write");
}

absl::Status BatchSpool::Rewind() {
  if (std::fflush(file_.get()) != 0) return Fault("write");
  return std::fseek(file_.get(), 0, SEEK_SET) == 0 ? absl::OkStatus() : Fault("read");
}

absl::StatusOr<std::optional<ImportBatch>> BatchSpool::Next() {
  std::uint64_t sizes[2];
  if (!Read(file_.get(), sizes, sizeof sizes)) {
    if (std::feof(file_.get())) return std::nullopt;
    return Fault("read");
  }
  ImportBatch batch;
  std::string message(sizes[0], '\0');
  batch.origins.resize(sizes[1]);
  const bool read = Read(file_.get(), message.data(), message.size()) &&
                    Read(file_.get(), batch.origins.data(), batch.origins.size() * sizeof(ImportOrigin)) &&
                    batch.request.ParseFromString(message);
  if (!read) return Fault("read");
  return batch;
}

}  // namespace holdfast::cli
