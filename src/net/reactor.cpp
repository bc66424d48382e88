#include "net/reactor.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "net/socket.hpp"

namespace parley::net {
namespace {

constexpr std::size_t events_a_wait = 1024;
constexpr int looks_a_run = 8;
constexpr base::Duration looking_max = std::chrono::milliseconds(1);  // then the turn has enough to answer (D11)

constexpr std::uint32_t bit(Reactor::Ready what) {
  return what == Reactor::Ready::read ? EPOLLIN : EPOLLOUT;
}

// What a signal handler may touch. One reactor at a time takes signals: a process has one set of them.
struct Signals {
  std::atomic<int> bell = -1;
  std::array<std::atomic<bool>, 65> came{};
};
Signals signals;

void ring(int bell) {
  const std::uint64_t one = 1;
  (void)!::write(bell, &one, sizeof one);  // fails only where it is ringing already
}

extern "C" void on_signal(int number) {
  const int kept = errno;
  signals.came[static_cast<std::size_t>(number)] = true;
  if (const int bell = signals.bell; bell >= 0) ring(bell);
  errno = kept;
}

}  // namespace

struct Reactor::Epoll {
  int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
  int bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // watched without a Watch
  std::array<epoll_event, events_a_wait> events;
  std::size_t next = 0, count = 0;  // of the events: those not dispatched yet
  const Watch* telling = nullptr;   // whom dispatch is at; gone if it was destroyed meanwhile

  Epoll() {
    epoll_event event{EPOLLIN, {.ptr = nullptr}};
    PARLEY_ASSERT(descriptor >= 0 && bell >= 0);
    PARLEY_ASSERT(::epoll_ctl(descriptor, EPOLL_CTL_ADD, bell, &event) == 0);
  }
  ~Epoll() {
    int own = bell;
    signals.bell.compare_exchange_strong(own, -1);
    ::close(bell);
    ::close(descriptor);
  }
};

Reactor::Watch::~Watch() {
  watch_for(0);
  reactor_.forget(*this);
  close_descriptor(descriptor_);
}

void Reactor::Watch::arm(Ready what) {
  wanted_ |= bit(what);
  if ((watched_ & bit(what)) == 0) watch_for(watched_ | bit(what));
}

bool Reactor::Watch::is_armed(Ready what) const {
  return (wanted_ & bit(what)) != 0;
}

void Reactor::Watch::watch_for(std::uint32_t events) {
  const std::uint32_t before = std::exchange(watched_, events);
  if (before == events) return;
  epoll_event event{events, {.ptr = this}};
  // Of nobody: even without events the kernel would tell of an end or an error, again and again.
  const int what = before == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  PARLEY_ASSERT(::epoll_ctl(reactor_.epoll_->descriptor, what, descriptor_, &event) == 0);
}

Reactor::Reactor(base::Clock& clock, OnReady on_ready)
    : clock_(clock), on_ready_(std::move(on_ready)), epoll_(std::make_unique<Epoll>()) {}
Reactor::~Reactor() = default;

bool Reactor::look() {
  if (woken_) return true;
  if (all_told()) gather(0);
  return !all_told();
}

void Reactor::run_ready() {
  if (look()) dispatch();
}

void Reactor::run_for(base::Duration at_most) {
  using namespace std::chrono;
  constexpr std::int64_t longest = std::numeric_limits<int>::max();
  const auto rounded_up =
      at_most == base::Duration::max() ? -1 : std::min(ceil<milliseconds>(at_most).count(), longest);
  if (all_told()) {
    asleep_ = true;  // before the look at woken_: whoever sets that looks here afterwards
    gather(woken_ ? 0 : static_cast<int>(rounded_up));
    asleep_ = false;
  }
  dispatch();
}

void Reactor::gather(int timeout_ms) {
  const int count = ::epoll_wait(epoll_->descriptor, epoll_->events.data(), events_a_wait, timeout_ms);
  PARLEY_ASSERT(count >= 0 || errno == EINTR);
  epoll_->next = 0;
  epoll_->count = static_cast<std::size_t>(std::max(count, 0));
}

void Reactor::dispatch() {
  const base::Duration until = clock_.monotonic() + looking_max;
  if (all_told()) gather(0);  // what is posted, again and again, keeps nobody waiting who is ready
  tell_gathered(Unwanted::is_dropped, until);
  // What has come while those were told joins their turn, so that one block and one sync serve all of it.
  for (int looks = 0; looks < looks_a_run && all_told() && clock_.monotonic() < until; ++looks) {
    gather(0);
    if (!tell_gathered(Unwanted::is_kept, until)) return;
  }
}

bool Reactor::all_told() const {
  return epoll_->next == epoll_->count;
}

// Those for whom there is no time are told in the next turn, before anybody else.
bool Reactor::tell_gathered(Unwanted unwanted, base::Duration until) {
  bool rung = false;
  bool any = false;
  for (bool time = true; time && !all_told(); time = clock_.monotonic() < until) {
    const epoll_event& event = epoll_->events[epoll_->next++];
    if (event.data.ptr == nullptr) {
      rung |= event.events != 0;
    } else {
      any |= tell(*static_cast<Watch*>(event.data.ptr), event.events, unwanted);
    }
  }
  if (rung) {
    std::uint64_t rings = 0;
    (void)!::read(epoll_->bell, &rings, sizeof rings);
    run_signals();
  }
  if (woken_.exchange(false)) run_posted();
  return any;
}

bool Reactor::tell(Watch& watch, std::uint32_t events, Unwanted unwanted) {
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) events |= EPOLLIN | EPOLLOUT;  // a read or a write will say what it is
  const std::uint32_t not_asked_for = events & watch.watched_ & ~watch.wanted_;
  epoll_->telling = &watch;
  bool any = false;
  for (const Ready what : {Ready::read, Ready::write}) {
    if ((events & watch.wanted_ & bit(what)) == 0) continue;
    watch.wanted_ &= ~bit(what);
    any = true;
    on_ready_(watch.token_, what);
    if (epoll_->telling == nullptr) return any;
  }
  epoll_->telling = nullptr;
  if (unwanted == Unwanted::is_dropped) watch.watch_for(watch.watched_ & (~not_asked_for | watch.wanted_));
  return any;
}

void Reactor::forget(const Watch& watch) {
  if (epoll_->telling == &watch) epoll_->telling = nullptr;
  for (std::size_t i = epoll_->next; i < epoll_->count; ++i)
    if (epoll_->events[i].data.ptr == &watch) epoll_->events[i] = {0, {.ptr = nullptr}};
}

void Reactor::post(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(work));
  }
  wake();
}

void Reactor::wake() {
  woken_ = true;
  if (asleep_) ring(epoll_->bell);
}

void Reactor::run_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::scoped_lock lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& work : posted) work();
}

void Reactor::on_signals(std::initializer_list<int> numbers, std::function<void(int)> handle) {
  on_signal_ = std::move(handle);
  signals.bell = epoll_->bell;
  for (const int number : numbers) {
    signals_.push_back(number);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    PARLEY_ASSERT(::sigaction(number, &action, nullptr) == 0);
  }
}

void Reactor::run_signals() {
  for (const int number : signals_)
    if (signals.came[static_cast<std::size_t>(number)].exchange(false)) on_signal_(number);
}

}  // namespace parley::net
