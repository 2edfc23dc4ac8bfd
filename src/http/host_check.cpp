#include "http/host_check.h"

#include <algorithm>
#include <utility>

namespace scoreline::http {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

/// Without the port, and without the dot that ends a full domain name.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

/// An IPv6 address in brackets, or digits and dots: no domain ends in a label of digits alone.
bool is_address(std::string_view name) {
  if (name.starts_with('[')) return name.ends_with(']');
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return !last.empty() && std::all_of(last.begin(), last.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> allowed) : allowed_(std::move(allowed)) {
  for (std::string& name : allowed_) name = lower(name);
}

bool HostCheck::lets_in(std::string_view name) const {
  if (name.find('.') == std::string_view::npos || is_address(name) || name.ends_with(".localhost")) return true;
  return std::find(allowed_.begin(), allowed_.end(), name) != allowed_.end();
}

Result<void> HostCheck::check(std::string_view host, std::string_view origin) const {
  const std::string asked = lower(host);
  if (!lets_in(name_of(asked))) {
    return fail(Code::forbidden, "this server does not go by that name; a name that is right belongs into allowedHosts",
                "Host");
  }
  if (origin.empty()) return {};
  const std::string from = lower(origin);
  if (from == "http://" + asked || from == "https://" + asked) return {};
  return fail(Code::forbidden, "requests of pages from elsewhere are not taken", "Origin");
}

}  // namespace scoreline::http
