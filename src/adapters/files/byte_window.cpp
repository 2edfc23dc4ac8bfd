#include "adapters/files/byte_window.h"

#include "base/limits.h"

namespace scoreline::files {
namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<bool> ByteWindow::more() {
  if (at_end_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kBlock);
  auto count = read_(std::span(buffer_).subspan(before));
  buffer_.resize(before + count.value_or(0));
  if (!count) return fail(std::move(count.error()));
  bytes_read_ += *count;
  at_end_ = *count == 0;
  return !at_end_;
}

void ByteWindow::skip(std::size_t count) {
  SCORELINE_CHECK(count <= buffer_.size() - begin_);
  begin_ += count;
}

Result<TakenLine> take_line(ByteWindow& window, std::string& keep) {
  keep.clear();
  bool too_long = false;
  bool any = false;
  while (true) {
    const std::string_view bytes = window.bytes();
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    any = any || !bytes.empty();
    const std::size_t room = kMaxLineBytes + 1 - keep.size();  // one more than allowed: a CR may still go
    too_long = too_long || part.size() > room;
    keep.append(part.substr(0, room));
    if (end != std::string_view::npos) {
      window.skip(end + 1);
      break;
    }
    window.skip(bytes.size());
    const auto more = window.more();
    if (!more) return fail(more.error());
    if (!*more) break;
  }
  if (!too_long && !keep.empty() && keep.back() == '\r') keep.pop_back();
  too_long = too_long || keep.size() > kMaxLineBytes;
  return TakenLine{std::string_view(keep).substr(0, kMaxLineBytes), too_long, !any};
}

Result<void> skip_byte_order_mark(ByteWindow& window) {
  while (window.bytes().size() < kByteOrderMark.size()) {
    const auto more = window.more();
    if (!more) return fail(more.error());
    if (!*more) return {};
  }
  if (window.bytes().starts_with(kByteOrderMark)) window.skip(kByteOrderMark.size());
  return {};
}

}  // namespace scoreline::files
