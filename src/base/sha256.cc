#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace holdfast {
namespace {

// Fetched once for the process and never freed: a fetch for each hash would cost four times the hash.
const EVP_MD* Algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

}  // namespace

void Sha256::FreeContext::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  HOLDFAST_CHECK(context_ != nullptr);
  HOLDFAST_CHECK(Algorithm() != nullptr);
  HOLDFAST_CHECK(EVP_DigestInit_ex2(context_.get(), Algorithm(), nullptr) == 1);
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::Update(std::string_view bytes) {
  HOLDFAST_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  return *this;
}

Hash256 Sha256::Finish() {
  Hash256 hash;
  HOLDFAST_CHECK(EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) == 1);
  // Without an algorithm the context keeps the one it has: nothing is fetched or allocated.
  HOLDFAST_CHECK(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) == 1);
  return hash;
}

Hash256 Sha256Of(std::string_view bytes) {
  thread_local Sha256 hasher;
  return hasher.Of(bytes);
}

}  // namespace holdfast
