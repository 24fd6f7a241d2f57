// SHA-256 over one context that is fetched once and used again and again: a short input costs little more than its
// compression.
//
// Thread: an object belongs to one thread at a time; Sha256Of is for any thread (each has a context of its own).
// Promises: Finish leaves the object ready for the next input. Does not: report errors. A digest of this library can
// only fail for want of memory or of the algorithm, and either ends the process (CHECK).

#pragma once

#include <memory>
#include <string_view>

#include "base/hash256.h"

struct evp_md_ctx_st;

namespace holdfast {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& Update(std::string_view bytes);
  // The hash of everything since the last Finish; begins anew.
  Hash256 Finish();
  // Requires: nothing was given to Update since the last Finish.
  Hash256 Of(std::string_view bytes) { return Update(bytes).Finish(); }

 private:
  struct FreeContext {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, FreeContext> context_;
};

Hash256 Sha256Of(std::string_view bytes);

}  // namespace holdfast
