#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "adapters/redis/client.h"

namespace scoreline::redis {

// SHA-1 because it is the server's name for a script; nothing rests on its strength.
Script::Script(std::string_view text) : text_(text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  SCORELINE_CHECK(EVP_Digest(text.data(), text.size(), hash.data(), &length, EVP_sha1(), nullptr) == 1);
  for (unsigned i = 0; i < length; ++i) digest_ += fmt::format("{:02x}", hash[i]);
}

}  // namespace scoreline::redis
