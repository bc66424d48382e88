// The one place that includes Asio, and where it is compiled (BOOST_ASIO_SEPARATE_COMPILATION).
#include "net/reactor.hpp"

#include <boost/asio/impl/src.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

namespace parley::net {

namespace asio = boost::asio;

struct Reactor::Context {
  OnReady on_ready;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  asio::signal_set signals{io};
  std::function<void(int)> on_signal;

  explicit Context(OnReady f) : on_ready(std::move(f)) {}

  void await_signal() {
    signals.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      await_signal();
      on_signal(signal);
    });
  }
};

struct Reactor::Watch::State {
  asio::posix::stream_descriptor descriptor;
  Context& context;
  std::uint64_t token;
  bool armed[2] = {false, false};
};

Reactor::Watch::Watch(Reactor& reactor, int descriptor, std::uint64_t token)
    : state_(new State{asio::posix::stream_descriptor(reactor.context_->io, descriptor), *reactor.context_, token}) {}
Reactor::Watch::~Watch() = default;

int Reactor::Watch::descriptor() const {
  return state_->descriptor.native_handle();
}

void Reactor::Watch::arm(Ready what) {
  bool& armed = state_->armed[static_cast<int>(what)];
  if (armed) return;
  armed = true;
  const auto wait =
      what == Ready::read ? asio::posix::stream_descriptor::wait_read : asio::posix::stream_descriptor::wait_write;
  // The state is there whenever there is no error: destroying it cancels the wait.
  state_->descriptor.async_wait(wait, [state = state_.get(), what](const boost::system::error_code& error) {
    if (error == asio::error::operation_aborted) return;
    state->armed[static_cast<int>(what)] = false;
    state->context.on_ready(state->token, what);
  });
}

Reactor::Reactor(OnReady on_ready) : context_(std::make_unique<Context>(std::move(on_ready))) {}
Reactor::~Reactor() = default;

void Reactor::run_ready() {
  context_->io.poll();
}

void Reactor::run_for(base::Duration at_most) {
  if (at_most == base::Duration::max())
    context_->io.run_one();
  else
    context_->io.run_one_for(at_most);
  context_->io.poll();
}

void Reactor::post(std::function<void()> work) {
  asio::post(context_->io, std::move(work));
}

void Reactor::wake() {
  asio::post(context_->io, [] {});
}

void Reactor::on_signals(std::initializer_list<int> signals, std::function<void(int)> handle) {
  for (const int signal : signals) context_->signals.add(signal);
  context_->on_signal = std::move(handle);
  context_->await_signal();
}

}  // namespace parley::net
