#include "tools/checker/transfer_loop.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/check.h"

namespace holdfast::checker {
namespace {

constexpr int kEventsAtOnce = 256;
constexpr std::int64_t kLongestWaitMilliseconds = 60'000;

CURLM* MakeMulti() {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  HOLDFAST_CHECK(initialised == CURLE_OK);
  CURLM* const multi = curl_multi_init();
  HOLDFAST_CHECK(multi != nullptr);
  return multi;
}

std::uint32_t EventsOf(int what) {
  std::uint32_t events = 0;
  if ((what & CURL_POLL_IN) != 0) events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
  return events;
}

int SelectBitsOf(std::uint32_t events) {
  int bits = 0;
  if ((events & (EPOLLIN | EPOLLHUP)) != 0) bits |= CURL_CSELECT_IN;
  if ((events & (EPOLLOUT | EPOLLHUP)) != 0) bits |= CURL_CSELECT_OUT;
  if ((events & EPOLLERR) != 0) bits |= CURL_CSELECT_ERR;
  return bits;
}

// A write to a connection that the other end has closed must not end the process.
void IgnoreBrokenPipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

TransferLoop::TransferLoop(const AddressPolicy& policy, std::string ca_file, BootClock clock)
    : policy_(policy),
      ca_file_(std::move(ca_file)),
      clock_(std::move(clock)),
      multi_(MakeMulti()),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  HOLDFAST_CHECK(poll_ >= 0 && wake_ >= 0);
  epoll_event event{.events = EPOLLIN, .data = {.fd = wake_}};
  HOLDFAST_CHECK(epoll_ctl(poll_, EPOLL_CTL_ADD, wake_, &event) == 0);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &OnSocket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &OnTimeout);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  thread_ = std::thread([this] { Run(); });
}

TransferLoop::~TransferLoop() {
  Stop();
  curl_multi_cleanup(multi_);
  close(wake_);
  close(poll_);
}

void TransferLoop::Post(Task task) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  posted_.push_back(std::move(task));
  if (posted_.size() == 1) eventfd_write(wake_, 1);
}

client::Scheduler::TimerId TransferLoop::RunAt(client::BootTime at, Task task) {
  const TimerId timer = ++last_timer_;
  timers_.emplace(TimerKey(at, timer), std::move(task));
  timer_times_.emplace(timer, at);
  return timer;
}

void TransferLoop::Cancel(TimerId timer) {
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase(TimerKey(found->second, timer));
  timer_times_.erase(found);
}

TransferLoop::TransferId TransferLoop::Begin(const TransferOrder& order, EasyTransfer::Done done) {
  const TransferId id = ++last_transfer_;
  auto transfer = std::make_unique<EasyTransfer>(order, policy_, ca_file_, std::move(done));
  CURL* const handle = transfer->handle();
  transfers_.emplace(id, std::move(transfer));
  ids_.emplace(handle, id);
  HOLDFAST_CHECK(curl_multi_add_handle(multi_, handle) == CURLM_OK);
  return id;
}

void TransferLoop::Abandon(TransferId transfer) {
  if (transfers_.contains(transfer)) Remove(transfer);
}

void TransferLoop::Remove(TransferId transfer) {
  const auto found = transfers_.find(transfer);
  curl_multi_remove_handle(multi_, found->second->handle());
  ids_.erase(found->second->handle());
  transfers_.erase(found);
}

void TransferLoop::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    eventfd_write(wake_, 1);
  }
  if (thread_.joinable()) thread_.join();
  while (!transfers_.empty()) Remove(transfers_.begin()->first);
  // What tasks own may post or cancel when it is dropped: outside the lock, and not into the map that is being emptied.
  std::vector<Task> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  std::map<TimerKey, Task> timers;
  timers.swap(timers_);
  timer_times_.clear();
}

void TransferLoop::Run() {
  IgnoreBrokenPipes();
  while (RunPosted()) {
    RunDueTimers();
    TakeEnded();
    WaitForSockets();
  }
}

bool TransferLoop::RunPosted() {
  std::vector<Task> tasks;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    tasks.swap(posted_);
  }
  for (Task& task : tasks) {
    task();
    task = nullptr;
  }
  return true;
}

void TransferLoop::RunDueTimers() {
  const client::BootTime now = clock_();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto first = timers_.begin();
    const Task task = std::move(first->second);
    timer_times_.erase(first->first.second);
    timers_.erase(first);
    task();
  }
  if (libcurl_due_ && *libcurl_due_ <= now) {
    libcurl_due_.reset();
    TellLibcurl(CURL_SOCKET_TIMEOUT, 0);
  }
}

int TransferLoop::WaitMilliseconds() const {
  std::optional<client::BootTime> due = libcurl_due_;
  if (!timers_.empty() && (!due || timers_.begin()->first.first < *due)) due = timers_.begin()->first.first;
  if (!due) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*due - clock_()).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, kLongestWaitMilliseconds));
}

void TransferLoop::WaitForSockets() {
  std::array<epoll_event, kEventsAtOnce> events;
  const int count = epoll_wait(poll_, events.data(), kEventsAtOnce, WaitMilliseconds());
  HOLDFAST_CHECK(count >= 0 || errno == EINTR);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == wake_) {
      eventfd_t ignored;
      eventfd_read(wake_, &ignored);
    } else {
      TellLibcurl(events[i].data.fd, SelectBitsOf(events[i].events));
    }
  }
}

void TransferLoop::TellLibcurl(int socket, int what) {
  int running = 0;
  // A socket that an earlier event of the same wait has ended is none of libcurl's any more, and no fault.
  const CURLMcode code = curl_multi_socket_action(multi_, socket, what, &running);
  HOLDFAST_CHECK(code == CURLM_OK || code == CURLM_BAD_SOCKET);
}

void TransferLoop::TakeEnded() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const handle = message->easy_handle;
    const CURLcode code = message->data.result;  // the message is gone with the handle
    curl_multi_remove_handle(multi_, handle);
    const auto id = ids_.find(handle);
    const auto found = transfers_.find(id->second);
    const std::unique_ptr<EasyTransfer> transfer = std::move(found->second);
    transfers_.erase(found);
    ids_.erase(id);
    transfer->done()(transfer->Finish(code));
  }
}

// ---- what libcurl calls ---------------------------------------------------------------------------------------------

int TransferLoop::OnSocket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  const int poll = static_cast<TransferLoop*>(self)->poll_;
  if (what == CURL_POLL_REMOVE) {
    // It may be closed already: then epoll has forgotten it by itself.
    epoll_ctl(poll, EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  epoll_event event{.events = EventsOf(what), .data = {.fd = socket}};
  if (epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) != 0 && errno == ENOENT) {
    epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
  }
  return 0;
}

int TransferLoop::OnTimeout(CURLM*, long milliseconds, void* self) {
  auto& loop = *static_cast<TransferLoop*>(self);
  loop.libcurl_due_.reset();
  if (milliseconds >= 0) loop.libcurl_due_ = loop.clock_() + std::chrono::milliseconds(milliseconds);
  return 0;
}

}  // namespace holdfast::checker
