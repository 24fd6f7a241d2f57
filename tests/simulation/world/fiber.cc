#include "tests/simulation/world/fiber.h"

#include <cstdint>
#include <utility>

#include "base/check.h"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace holdfast::simulation {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // taken from the system only where it is touched

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(new std::byte[kStackBytes]) {
  HOLDFAST_CHECK(getcontext(&its_) == 0);
  its_.uc_stack.ss_sp = stack_.get();
  its_.uc_stack.ss_size = kStackBytes;
  its_.uc_link = &callers_;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&its_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self & 0xffffffffu));
#ifdef __SANITIZE_THREAD__
  its_sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  HOLDFAST_CHECK(done_ || !running_);
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(its_sanitizer_fiber_);
#endif
}

void Fiber::Enter(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
  self->body_();
  self->done_ = true;
  self->SwitchTo(self->its_, self->callers_, self->callers_sanitizer_fiber_);
}

void Fiber::SwitchTo(ucontext_t& from, ucontext_t& to, [[maybe_unused]] void* sanitizer_fiber) {
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(sanitizer_fiber, 0);
#endif
  HOLDFAST_CHECK(swapcontext(&from, &to) == 0);
}

void Fiber::Resume() {
  HOLDFAST_CHECK(!running_ && !done_);
  running_ = true;
#ifdef __SANITIZE_THREAD__
  callers_sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
  SwitchTo(callers_, its_, its_sanitizer_fiber_);
  running_ = false;
}

void Fiber::Yield() {
  HOLDFAST_CHECK(running_);
  SwitchTo(its_, callers_, callers_sanitizer_fiber_);
}

}  // namespace holdfast::simulation
