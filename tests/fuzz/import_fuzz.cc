// libFuzzer's way into the import: any bytes as a list. What must hold is in tests/import/import_harness.h.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/import/import_harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  holdfast::importer::CheckImportOfAnyBytes(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
