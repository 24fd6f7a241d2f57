#include "tools/import/gzip_source.h"

#include <zlib.h>

#include <array>

namespace holdfast::importer {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, and a gzip header
constexpr std::size_t kInputBytes = 1u << 16;

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(ByteSource* inner) : inner_(inner) { ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK; }
  ~GzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    if (!ready_) return absl::ResourceExhaustedError("no memory to decompress");
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (is_damaged_) return Damaged();
      if (const absl::Status status = Refill(); !status.ok()) return status;
      if (stream_.avail_in == 0) {
        if (between_members_) return 0;
        return absl::DataLossError("the gzip data ends in the middle: download it again");
      }
      if (between_members_ && inflateReset(&stream_) != Z_OK) return Damaged();
      between_members_ = false;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        between_members_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        is_damaged_ = true;  // told once what came before it is read
      }
    }
    return size - stream_.avail_out;
  }

 private:
  static absl::Status Damaged() { return absl::DataLossError("the gzip data is damaged: download it again"); }

  absl::Status Refill() {
    if (stream_.avail_in > 0) return absl::OkStatus();
    const absl::StatusOr<std::size_t> count = inner_->Read(input_.data(), input_.size());
    if (!count.ok()) return count.status();
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(*count);
    return absl::OkStatus();
  }

  ByteSource* inner_;
  z_stream stream_{};
  bool ready_ = false;
  bool between_members_ = false;
  bool is_damaged_ = false;
  std::array<char, kInputBytes> input_;
};

}  // namespace

bool IsGzip(std::string_view begin) { return begin.starts_with("\x1f\x8b\x08"); }

std::unique_ptr<ByteSource> MakeGzipSource(ByteSource* inner) { return std::make_unique<GzipSource>(inner); }

}  // namespace holdfast::importer
