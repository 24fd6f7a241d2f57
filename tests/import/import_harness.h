// What must hold for any bytes whatever, given to the importer as a list: shared by the fuzzer and the tests.
//
// Ends the process (CHECK) where it does not. Pure but for that.

#pragma once

#include <string_view>

namespace holdfast::importer {

// The counts add up to the lines; the result depends neither on how the bytes arrive nor on a second look; every item
// is normalised, printable and unexpired; no credential stands in an item or a rejection; importing again adds nothing.
// The first byte chooses whether the format is detected or given.
void CheckImportOfAnyBytes(std::string_view bytes);

}  // namespace holdfast::importer
