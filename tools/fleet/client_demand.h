// What a simulated client asks for, and how it gives back: drawn, and nothing but the generator and the options decide.
//
// Pure; each draw takes the same numbers from the generator whatever comes of it.

#pragma once

#include <string>
#include <vector>

#include "holdfast/distribution/v1/distribution.pb.h"
#include "tools/fleet/prng.h"

namespace holdfast::fleet {

// Without the ids of client and request. `held`: with a hold in any case, so that it ends by itself.
distribution::v1::ExtractRequest DrawDemand(Prng& prng, std::uint32_t most, bool held);

// The proxy_ids of each release, one after the other; an empty one names all that is left.
std::vector<std::vector<std::string>> DrawReleases(Prng& prng, const std::vector<std::string>& proxy_ids);

}  // namespace holdfast::fleet
