#include "projections/controller_state.h"

namespace holdfast {

ControllerState::ControllerState() = default;
ControllerState::ControllerState(ControllerState&&) noexcept = default;
ControllerState& ControllerState::operator=(ControllerState&&) noexcept = default;
ControllerState::~ControllerState() = default;

void ControllerState::Apply(const Event& event, const EntryPoint& entry) { projections_.Apply(event, entry); }

std::uint32_t ControllerState::Version() { return decltype(projections_)::Version(); }

std::array<std::uint8_t, 16> ControllerState::StateDigest() const {
  RowHasher hash(0);
  projections_.ForEach([&](const auto& projection) {
    const auto bytes = projection.digest().Bytes();
    hash.Text(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  });
  return hash.Finish().Bytes();
}

}  // namespace holdfast
