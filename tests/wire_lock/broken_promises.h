// Compares two states of a schema and names every promise that the later one breaks.
//
// Called by the lock tests, on the test's thread; pure. A promise is whatever a peer or a stored byte may depend on:
// the name, number, type, cardinality, presence, oneof and JSON name of a field; the values of an enum; the methods of
// a service and whether they stream; and what was reserved stays reserved. A field or an enum value may go only when
// both its number and its name are reserved. Which file a definition stands in is free, and so are comments, options
// and anything that was added.
#pragma once

#include <string>
#include <vector>

#include "tests/wire_lock/schema.h"

namespace holdfast::wire_lock {

// One line for each broken promise, empty where `now` only adds to `locked`. In both directions empty: they are equal.
std::vector<std::string> FindBrokenPromises(const Schema& locked, const Schema& now, Part part);

}  // namespace holdfast::wire_lock
