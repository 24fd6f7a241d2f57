// Walks through the bytes of one WAL: blocks of 32 KiB, each a row of fragments {crc u32, length u16, type u8, bytes};
// a write is one full fragment, or a first, middle ones and a last. (RocksDB's format since its beginning.)
//
// Called by rocksdb_wal_check.cc alone. Thread: as the object. Promises: any bytes end with damage found or not, and
// never past the end. Does not: know what a write holds, or decide what damage means.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

class WalScanner {
 public:
  struct Damage {
    std::size_t write_offset = 0;  // where the write begins that is not whole
    std::size_t offset = 0;        // of its first fragment that is not right
    bool cut_off = false;          // the bytes end before the fragment does
    bool length_is_a_lie = false;  // cut off by its length alone: with what is there, its checksum is right
    std::optional<std::size_t> intact_write_after;  // a later whole beginning of a write: this one was once complete
  };

  // Stops after `limit` whole writes. `begin`: of a fragment.
  explicit WalScanner(std::string_view bytes, std::size_t begin = 0, std::size_t limit = SIZE_MAX);

  const std::optional<Damage>& damage() const { return damage_; }
  // The bytes of the last whole write; empty: none.
  std::string last_write() const;

 private:
  enum class Step { kGoOn, kEnd, kDamaged };
  struct Piece {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  Step ReadFragment();
  Step AtZeros();
  Step TakeFragment(std::uint8_t type, std::size_t length);
  Step Damaged(bool cut_off);
  bool ChecksumIsRight(std::size_t header, std::size_t length) const;
  std::optional<std::size_t> FindWriteAfter(std::size_t offset) const;
  std::size_t LeftInBlock(std::size_t offset) const;

  const std::string_view bytes_;
  std::size_t offset_ = 0;
  bool within_write_ = false;
  std::vector<Piece> open_;  // fragments of the write under way
  std::vector<Piece> last_;  // of the last whole write
  std::size_t whole_writes_ = 0;
  std::optional<Damage> damage_;
};

}  // namespace holdfast
