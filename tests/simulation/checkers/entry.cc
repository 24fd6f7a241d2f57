#include "tests/simulation/checkers/entry.h"

namespace holdfast::simulation {
namespace {

template <class Message>
std::string FieldName(int number) {
  const auto* field = Message::descriptor()->FindFieldByNumber(number);
  return field == nullptr ? "none" : field->name();
}

}  // namespace

std::string EventNameOf(const log::v1::Event& event) { return FieldName<log::v1::Event>(event.event_case()); }
std::string InputNameOf(const log::v1::Input& input) { return FieldName<log::v1::Input>(input.input_case()); }

}  // namespace holdfast::simulation
