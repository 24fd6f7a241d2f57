// Plain gzip, undone on the way: what is behind it is a list like any other, whatever its name says.
//
// Promises: memory does not depend on the size of the file; several members one after another are one text, as gzip
// itself has it; a cut or damaged file is DATA_LOSS after the bytes that were good. Only one layer is undone.

#pragma once

#include <memory>

#include "tools/import/byte_source.h"

namespace holdfast::importer {

// Whether a file that begins so is gzip.
bool IsGzip(std::string_view begin);

// inner outlives it.
std::unique_ptr<ByteSource> MakeGzipSource(ByteSource* inner);

}  // namespace holdfast::importer
