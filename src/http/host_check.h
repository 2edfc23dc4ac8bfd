// Whether a browser was led here by a foreign page: DNS rebinding, and requests of other origins (CWE-352).
//
// A page can only name us by a domain of its own, so hosts that nobody can register are let in as they are: IP
// addresses, names without a dot, and names below `localhost`. Other names must be among the allowed ones. A request
// that says where it comes from (Origin) must come from a page of ours.
//
// Thread safety: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace scoreline::http {

class HostCheck {
 public:
  /// `allowed`: further host names, without port; case does not matter.
  explicit HostCheck(std::vector<std::string> allowed = {});

  /// `host`: the Host header, `origin`: the Origin header, empty when absent. Errors: forbidden, field `Host` or
  /// `Origin`.
  Result<void> check(std::string_view host, std::string_view origin) const;

 private:
  bool lets_in(std::string_view name) const;

  std::vector<std::string> allowed_;  // in lower case
};

}  // namespace scoreline::http
