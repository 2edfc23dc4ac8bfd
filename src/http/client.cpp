#include "http/client.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/url/parse.hpp>
#include <optional>

namespace scoreline::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using beast::error_code;

constexpr std::uint64_t kMaxAnswerBytes = 64 * 1024 * 1024;

wire::verb verb_of(Method method) {
  switch (method) {
    case Method::get: return wire::verb::get;
    case Method::head: return wire::verb::head;
    case Method::put: return wire::verb::put;
    case Method::post: return wire::verb::post;
    case Method::del: return wire::verb::delete_;
    case Method::other: return wire::verb::options;
  }
  return wire::verb::options;
}

}  // namespace

std::string_view ClientResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (beast::iequals({key.data(), key.size()}, {name.data(), name.size()})) return value;
  }
  return {};
}

class Client::Impl {
 public:
  Impl(std::string host, std::string port, std::chrono::milliseconds deadline)
      : host_(std::move(host)), port_(std::move(port)), deadline_(deadline) {}

  Result<ClientResponse> send(const ClientRequest& request) {
    stream_alive_ = stream_alive_ && still_open();
    if (!stream_alive_) {
      if (auto connected = connect(); !connected) return fail(std::move(connected.error()));
    }
    stream_->expires_after(deadline_);
    auto answer = exchange(request);
    if (!answer) stream_alive_ = false;
    return answer;
  }

 private:
  /// Runs one asynchronous operation to its end: only those have deadlines.
  template <typename Start>
  error_code wait_for(Start start) {
    error_code result = asio::error::would_block;
    start([&result](error_code ec, auto&&...) { result = ec; });
    context_.restart();
    context_.run();
    return result;
  }

  /// A server hangs up on idle connections; sending into one would leave the outcome unknown for nothing.
  bool still_open() {
    char byte = 0;
    error_code ec;
    auto& socket = stream_->socket();
    socket.non_blocking(true, ec);
    socket.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, ec);
    return ec == asio::error::would_block;
  }

  Result<void> connect() {
    error_code ec;
    tcp::resolver resolver(context_);
    const auto endpoints = resolver.resolve(host_, port_, ec);
    if (!ec) {
      stream_.emplace(context_);
      stream_->expires_after(deadline_);
      ec = wait_for([&](auto done) { stream_->async_connect(endpoints, done); });
    }
    if (ec) {
      return fail(Code::not_ready, "cannot connect to " + host_ + ":" + port_ + ": " + ec.message(), "server");
    }
    stream_->socket().set_option(tcp::no_delay(true), ec);
    buffer_.clear();
    stream_alive_ = true;
    return {};
  }

  Result<ClientResponse> exchange(const ClientRequest& request) {
    wire::request<wire::string_body> message(verb_of(request.method), request.target, 11);
    message.set(wire::field::host, (host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]") + ":" + port_);
    for (const auto& [name, value] : request.headers) message.set(name, value);
    if (!request.body.empty()) {
      message.set(wire::field::content_type, request.content_type);
      message.body() = request.body;
    }
    message.prepare_payload();
    error_code ec = wait_for([&](auto done) { wire::async_write(*stream_, message, done); });
    // A server that refuses a request may answer before it has read all of it: look for the answer all the same.
    wire::response_parser<wire::string_body> parser;
    parser.body_limit(kMaxAnswerBytes);
    if (request.method == Method::head) parser.skip(true);
    const error_code read = wait_for([&](auto done) { wire::async_read(*stream_, buffer_, parser, done); });
    if (read) {
      if (!ec) ec = read;
      const bool late = ec == beast::error::timeout;
      return fail(Code::unknown_outcome,
                  late ? "no answer in time" : "the connection broke before the answer: " + ec.message(), "server");
    }
    if (ec || !parser.get().keep_alive()) stream_alive_ = false;
    ClientResponse response;
    response.status = static_cast<int>(parser.get().result_int());
    for (const auto& field : parser.get()) {
      response.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    response.body = std::move(parser.get().body());
    return response;
  }

  const std::string host_;
  const std::string port_;
  const std::chrono::milliseconds deadline_;
  asio::io_context context_{1};
  std::optional<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  bool stream_alive_ = false;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Client> Client::to(std::string_view url, std::chrono::milliseconds deadline) {
  const auto refuse = [&] {
    return fail(Code::usage, "must be a URL like http://127.0.0.1:8080, not '" + std::string(url) + "'", "server");
  };
  const auto parsed = boost::urls::parse_uri(boost::core::string_view(url.data(), url.size()));
  if (!parsed || parsed->scheme() != "http" || parsed->host_address().empty() || parsed->has_userinfo()) {
    return refuse();
  }
  if (parsed->has_query() || parsed->has_fragment() ||
      (parsed->encoded_path() != "" && parsed->encoded_path() != "/")) {
    return refuse();
  }
  const std::string port = parsed->has_port() && !parsed->port().empty() ? std::string(parsed->port()) : "80";
  return Client(std::make_unique<Impl>(parsed->host_address(), port, deadline));
}

Result<ClientResponse> Client::send(const ClientRequest& request) { return impl_->send(request); }

std::string percent_encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace scoreline::http
