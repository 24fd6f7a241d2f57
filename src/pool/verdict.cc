#include <array>

#include "pool/pool_store.h"

namespace holdfast::pool {
namespace {

constexpr std::array<std::string_view, 10> kVerdictNames = {"done",         "repeat",       "stale_epoch", "behind",
                                                            "ahead",        "other_log",    "resyncing",   "empty",
                                                            "missing_part", "not_resyncing"};

}  // namespace

std::string_view VerdictName(Verdict verdict) { return kVerdictNames[static_cast<std::size_t>(verdict)]; }

}  // namespace holdfast::pool
