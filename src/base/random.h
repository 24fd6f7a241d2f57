// Random bytes for ids that nobody may guess. They come in with a command and are logged with it: no rule draws any.
//
// Called where commands are made. Thread: the system's source from any; others say. Promises: `Fill` fills all of it or
// ends the process. Does not: repeat itself; the simulation brings a seeded source of its own.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace holdfast {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual void Fill(std::span<std::uint8_t> bytes) = 0;
};

// The kernel's getrandom.
std::unique_ptr<RandomSource> SystemRandomSource();

// An id of 16 random bytes, as 32 lower-case hexadecimal digits.
std::string RandomId(RandomSource& source);

}  // namespace holdfast
