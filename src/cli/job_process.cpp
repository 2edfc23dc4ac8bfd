#include "cli/job_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace scoreline::cli {
namespace {

constexpr std::size_t kMaxLine = 1'000;

/// A pipe whose ends no other process inherits. {-1, -1} when there is none to be had.
struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read = -1, write = -1;
};

int take(int& fd) { return std::exchange(fd, -1); }

void close_now(int& fd) {
  if (fd >= 0) ::close(take(fd));
}

/// Signals are as a program of its own finds them: none blocked, none ignored.
void set_attributes(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
}

std::vector<std::string> variables_with(const JobProcess::Variables& more) {
  std::vector<std::string> variables;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view text(*each);
    const bool replaced = std::any_of(more.begin(), more.end(), [&](const auto& variable) {
      return text.substr(0, text.find('=')) == variable.first;
    });
    if (!replaced) variables.emplace_back(text);
  }
  for (const auto& [name, value] : more) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<std::unique_ptr<JobProcess>> JobProcess::start(const std::vector<std::string>& command, std::string input,
                                                      const Variables& more) {
  Pipe in, err;
  if (in.read < 0 || err.read < 0) return fail(Code::internal, "no more files can be opened");
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  ::posix_spawnattr_init(&attributes);
  set_attributes(attributes);
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, in.read, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, err.write, STDERR_FILENO);
  const std::vector<std::string> variables = variables_with(more);
  std::unique_ptr<JobProcess> process(new JobProcess);
  const int failed = ::posix_spawnp(&process->pid_, command.front().c_str(), &files, &attributes,
                                    pointers_to(command).data(), pointers_to(variables).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    process->pid_ = -1;
    return fail(Code::usage, fmt::format("{} cannot be started: {}", command.front(), std::strerror(failed)),
                "COMMAND");
  }
  process->exit_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, process->pid_, 0));
  if (process->exit_fd_ < 0) return fail(Code::internal, "no more files can be opened");
  process->input_ = std::move(input);
  process->input_fd_ = take(in.write);
  process->error_fd_ = take(err.read);
  for (const int fd : {process->input_fd_, process->error_fd_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  process->feed();
  return process;
}

JobProcess::~JobProcess() {
  if (pid_ > 0) {
    signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (int* fd : {&exit_fd_, &input_fd_, &error_fd_}) close_now(*fd);
}

void JobProcess::signal(int number) {
  if (pid_ > 0) ::kill(-pid_, number);
}

/// What its pipe takes now. A command that does not want it all is none the worse.
void JobProcess::feed() {
  while (fed_ < input_.size()) {
    const ssize_t written = ::write(input_fd_, input_.data() + fed_, input_.size() - fed_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written <= 0) break;
    fed_ += static_cast<std::size_t>(written);
  }
  close_now(input_fd_);
}

/// Hands on what it has written to its standard error, and remembers the last line of it.
void JobProcess::listen() {
  std::array<char, 4096> bytes;
  while (true) {
    const ssize_t size = ::read(error_fd_, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return close_now(error_fd_);
    for (const char c : std::string_view(bytes.data(), static_cast<std::size_t>(size))) {
      if (c != '\n' && line_.size() < kMaxLine) line_.push_back(c);
      if (c == '\n' && !line_.empty()) last_line_ = std::exchange(line_, {});
    }
    for (ssize_t told = 0; told < size;) {
      const ssize_t written = ::write(STDERR_FILENO, bytes.data() + told, static_cast<std::size_t>(size - told));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      told += written;
    }
  }
}

std::optional<JobProcess::Ended> JobProcess::wait_for(std::chrono::milliseconds at_most) {
  pollfd files[] = {{exit_fd_, POLLIN, 0}, {input_fd_, POLLOUT, 0}, {error_fd_, POLLIN, 0}};
  if (::poll(files, 3, static_cast<int>(at_most.count())) <= 0) return std::nullopt;
  if (files[1].revents != 0) feed();
  if (files[2].revents != 0) listen();
  return files[0].revents != 0 ? ended() : std::nullopt;
}

std::optional<JobProcess::Ended> JobProcess::ended() {
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) return Ended{false, "its end could not be waited for"};
  pid_ = -1;
  if (error_fd_ >= 0) listen();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Ended{true, {}};
  if (!line_.empty()) last_line_ = line_;
  if (!last_line_.empty()) return Ended{false, last_line_};
  if (WIFSIGNALED(status)) return Ended{false, fmt::format("ended by signal {}", WTERMSIG(status))};
  return Ended{false, fmt::format("exited with {}", WEXITSTATUS(status))};
}

}  // namespace scoreline::cli
