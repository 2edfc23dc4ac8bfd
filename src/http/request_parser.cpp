#include "http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <functional>
#include <optional>
#include <string>

#include "base/limits.h"
#include "http/chunk_reader.h"

namespace scoreline::http {
namespace {

namespace beast = boost::beast;
namespace wire = boost::beast::http;

Error unreadable(std::string detail) { return Error{Code::unreadable, std::move(detail), {}, {}}; }

Method method_from(wire::verb verb) {
  switch (verb) {
    case wire::verb::get: return Method::get;
    case wire::verb::head: return Method::head;
    case wire::verb::put: return Method::put;
    case wire::verb::post: return Method::post;
    case wire::verb::delete_: return Method::del;
    default: return Method::other;
  }
}

/// A stretch of the request, by place: the buffer may move before the request is whole.
struct Span {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::string_view in(std::string_view bytes) const {
    return size == 0 ? std::string_view{} : bytes.substr(offset, size);
  }
};

/// Beast's parser knows the grammar of a head; this one keeps the few fields that we use, by place, and refuses more.
/// Bodies are not shown to it: Beast 1.81 trips over a last chunk that comes in pieces.
class StrictParser final : public wire::basic_parser<true> {
 public:
  StrictParser() {
    header_limit(static_cast<std::uint32_t>(kMaxHeaderBytes));
    body_limit(boost::none);  // ours is checked as soon as the head is whole
  }

  void look_at(std::string_view bytes) { bytes_ = bytes; }

  Method method = Method::other;
  Span target;
  Span content_type;
  Span if_none_match;
  Span last_event_id;
  Span host;
  Span origin;
  bool head_whole = false;
  bool expects_continue = false;
  std::optional<Error> refusal;

 private:
  bool inside(beast::string_view text) const {
    const std::less_equal<const char*> before;
    return before(bytes_.data(), text.data()) && before(text.data() + text.size(), bytes_.data() + bytes_.size());
  }

  Span span(beast::string_view text) const {
    return {static_cast<std::size_t>(text.data() - bytes_.data()), text.size()};
  }

  void refuse(Error error, beast::error_code& ec) {
    if (!refusal) refusal = std::move(error);
    ec = wire::error::bad_value;
  }

  void on_request_impl(wire::verb verb, beast::string_view, beast::string_view text, int version,
                       beast::error_code& ec) override {
    if (version != 11) return refuse(unreadable("the version must be HTTP/1.1"), ec);
    if (text.size() > kMaxTargetBytes) {
      return refuse(
          Error{
              Code::target_too_long, "the target has more than " + std::to_string(kMaxTargetBytes) + " bytes", {}, {}},
          ec);
    }
    if (text.front() != '/' || text.find('#') != beast::string_view::npos) {
      return refuse(unreadable("the target must be a path that begins with /"), ec);
    }
    method = method_from(verb);
    target = span(text);
  }

  /// Beast joins folded lines; a value that does not stand right behind its name was folded.
  bool folded(beast::string_view name, beast::string_view value) const {
    if (!inside(value)) return true;
    const char* const colon = name.data() + name.size();
    return std::any_of(colon + 1, value.data(), [](char c) { return c != ' ' && c != '\t'; });
  }

  void on_field_impl(wire::field field, beast::string_view name, beast::string_view value,
                     beast::error_code& ec) override {
    if (folded(name, value)) return refuse(unreadable("a header must stand on one line"), ec);
    switch (field) {
      case wire::field::host:
        if (has_host_) refuse(unreadable("there must be one Host header"), ec);
        has_host_ = true;
        host = span(value);
        return;
      case wire::field::content_length:
        if (has_length_ || value.empty() || !std::all_of(value.begin(), value.end(), is_digit)) {
          refuse(unreadable("there must be one Content-Length, a whole number"), ec);
        }
        has_length_ = true;
        return;
      case wire::field::transfer_encoding:
        if (!beast::iequals(value, "chunked")) refuse(unreadable("the only Transfer-Encoding taken is chunked"), ec);
        return;
      case wire::field::content_encoding:
        if (!value.empty() && !beast::iequals(value, "identity")) {
          refuse(Error{Code::unsupported,
                       "the body must not be compressed: the only Content-Encoding taken is identity",
                       {},
                       {}},
                 ec);
        }
        return;
      case wire::field::expect: expects_continue = beast::iequals(value, "100-continue"); return;
      case wire::field::content_type: content_type = span(value); return;
      case wire::field::if_none_match: if_none_match = span(value); return;
      case wire::field::origin: origin = span(value); return;
      default:
        if (beast::iequals(name, "Last-Event-ID")) last_event_id = span(value);
        return;
    }
  }

  void on_header_impl(beast::error_code& ec) override {
    head_whole = true;
    if (!has_host_) return refuse(unreadable("the Host header is missing"), ec);
    const auto length = content_length();
    if (length && *length > kMaxBodyBytes) {
      refuse(Error{Code::too_large, "the body has more than " + std::to_string(kMaxBodyBytes) + " bytes", {}, {}}, ec);
    }
  }

  void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view, beast::error_code&) override { return 0; }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, beast::error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  void on_finish_impl(beast::error_code&) override {}

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view bytes_;
  bool has_host_ = false;
  bool has_length_ = false;
};

}  // namespace

class RequestParser::Impl {
 public:
  Impl() { reset(); }

  void reset() {
    parser_.emplace();
    chunks_ = {};
    expected_ = 0;
    parsed_ = 0;
    size_ = 0;
    error_.reset();
  }

  Step parse(std::string_view bytes) {
    if (error_) return Step::failed;
    parser_->look_at(bytes);
    if (!parser_->head_whole) {
      const Step step = parse_head(bytes);
      if (step != Step::complete) return step;
    }
    return parser_->chunked() ? parse_chunks(bytes) : parse_sized(bytes);
  }

  const StrictParser& parser() const { return *parser_; }
  const Error& error() const { return *error_; }
  std::size_t size() const { return size_; }
  std::size_t expected_size() const { return expected_; }

  Request request(std::string_view bytes) const {
    Request request;
    request.method = parser_->method;
    request.target = parser_->target.in(bytes);
    request.content_type = parser_->content_type.in(bytes);
    request.if_none_match = parser_->if_none_match.in(bytes);
    request.last_event_id = parser_->last_event_id.in(bytes);
    request.host = parser_->host.in(bytes);
    request.origin = parser_->origin.in(bytes);
    request.body = parser_->chunked() ? std::string_view(chunks_.body()) : bytes.substr(parsed_, size_ - parsed_);
    return request;
  }

 private:
  Step fail_with(Error error) {
    error_ = std::move(error);
    return Step::failed;
  }

  Step fail_with(const beast::error_code& ec, std::string_view bytes) {
    if (parser_->refusal) return fail_with(*parser_->refusal);
    if (ec == wire::error::header_limit) return head_too_large(bytes);
    return fail_with(unreadable("this is not HTTP/1.1: " + ec.message()));
  }

  Step head_too_large(std::string_view bytes) {
    if (bytes.substr(0, kMaxHeaderBytes).find('\n') == std::string_view::npos) {
      return fail_with(Error{
          Code::target_too_long, "the target has more than " + std::to_string(kMaxTargetBytes) + " bytes", {}, {}});
    }
    return fail_with(Error{
        Code::header_too_large, "the header has more than " + std::to_string(kMaxHeaderBytes) + " bytes", {}, {}});
  }

  Step parse_head(std::string_view bytes) {
    beast::error_code ec;
    const std::string_view unparsed = bytes.substr(parsed_);
    if (unparsed.empty()) return Step::need_more;
    parsed_ += parser_->put({unparsed.data(), unparsed.size()}, ec);
    const bool needs_more = ec == wire::error::need_more;
    if (ec && !needs_more) return fail_with(ec, bytes);
    if ((needs_more ? bytes.size() : parsed_) > kMaxHeaderBytes) return head_too_large(bytes);
    if (needs_more) return Step::need_more;
    if (!parser_->chunked()) expected_ = parsed_ + parser_->content_length().value_or(0);
    return Step::complete;
  }

  Step parse_sized(std::string_view bytes) {
    if (bytes.size() < expected_) return Step::need_more;
    size_ = expected_;
    return Step::complete;
  }

  Step parse_chunks(std::string_view bytes) {
    switch (chunks_.read(bytes.substr(parsed_))) {
      case ChunkReader::Step::need_more: return Step::need_more;
      case ChunkReader::Step::failed: return fail_with(unreadable("the chunks of the body are malformed"));
      case ChunkReader::Step::too_large:
        return fail_with(
            Error{Code::too_large, "the body has more than " + std::to_string(kMaxBodyBytes) + " bytes", {}, {}});
      case ChunkReader::Step::complete: break;
    }
    size_ = parsed_ + chunks_.size();
    return Step::complete;
  }

  std::optional<StrictParser> parser_;
  ChunkReader chunks_;
  std::size_t parsed_ = 0;    ///< of the request's bytes, how many Beast has taken: in the end, the head
  std::size_t expected_ = 0;  ///< of a request with a declared length
  std::size_t size_ = 0;
  std::optional<Error> error_;
};

RequestParser::RequestParser() : impl_(std::make_unique<Impl>()) {}
RequestParser::~RequestParser() = default;

RequestParser::Step RequestParser::parse(std::string_view bytes) { return impl_->parse(bytes); }
Request RequestParser::request(std::string_view bytes) const { return impl_->request(bytes); }
std::size_t RequestParser::size() const { return impl_->size(); }
bool RequestParser::keep_alive() const { return impl_->parser().keep_alive(); }
const Error& RequestParser::error() const { return impl_->error(); }
bool RequestParser::in_body() const { return impl_->parser().head_whole; }
bool RequestParser::wants_continue() const { return impl_->parser().head_whole && impl_->parser().expects_continue; }
std::size_t RequestParser::expected_size() const { return impl_->expected_size(); }
void RequestParser::reset() { impl_->reset(); }

}  // namespace scoreline::http
