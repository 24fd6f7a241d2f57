// What a thread of a simulated process does, on a stack of its own: it can stand still in the middle of a call while
// the world goes on, and everything is still one thread and one order.
//
//   Resume ─► the body runs ─► Yield: back to who resumed it ─► Resume ─► … ─► the body returns: done
//
// Thread: one. Requires: it is done before it is destroyed; nothing is thrown through it.

#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace holdfast::simulation {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Until it yields, or is done. Requires: it does not run, and is not done.
  void Resume();
  // Called by the body alone.
  void Yield();

  bool running() const { return running_; }
  bool done() const { return done_; }

 private:
  static void Enter(unsigned high, unsigned low);
  void SwitchTo(ucontext_t& from, ucontext_t& to, void* sanitizer_fiber);

  const std::function<void()> body_;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t its_{}, callers_{};
  void* its_sanitizer_fiber_ = nullptr;  // of the thread sanitizer, where the program is built with it
  void* callers_sanitizer_fiber_ = nullptr;
  bool running_ = false;
  bool done_ = false;
};

}  // namespace holdfast::simulation
