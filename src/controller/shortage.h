// What a client lacks is asked back from workers, from those that carry most for their weight, and kept with nobody for
// a while so that the client finds it when it asks again (shares.h: ReservedAddresses).
//
// Pure, as all rules (decide.h). Cost: the number of workers once, then a logarithm for each address that is asked back
// and for each of at most 4,096 that do not fit.

#pragma once

#include <vector>

#include "controller/extract_choice.h"

namespace holdfast {

// lacking: addresses that the request wants and could not be given. Of what is asked back already for a client nothing
// is asked back twice.
void ReclaimShortage(const ControllerState& state, const distribution::v1::ExtractRequest& request,
                     const ExtractFilter& filter, std::size_t lacking, const DecisionPoint& point,
                     std::vector<Event>& events);

}  // namespace holdfast
