// Users, passwords, databases, certificates.
#include <cstdlib>

#include "faults/redis_client/client_fixture.h"

namespace scoreline::redis {
namespace {

using test::RedisServer;

class RedisClientLogin : public ClientTest {};

std::string at(const RedisServer& server) { return "127.0.0.1:" + std::to_string(server.port()); }

TEST_F(RedisClientLogin, UserOfAnAccessListIsLetIn) {
  RedisServer server;
  const auto admin = client_of(server);
  ASSERT_EQ(say(*admin, "ACL SETUSER app on >s3cret ~lb:* +@all -config"), "OK");
  const auto client = client_of("redis://app:s3cret@" + at(server) + "/2");
  EXPECT_EQ(say(*client, "SET lb:x 1"), "OK");
  EXPECT_EQ(say(*admin, "GET lb:x"), "nil");  // another database
  const auto refused = run(*client, "SET other 1");
  EXPECT_CODE(Code::storage_failed, refused);
  EXPECT_NE(refused.error().detail.find("NOPERM"), std::string::npos);
}

TEST_F(RedisClientLogin, WrongAndMissingPasswordsAreToldAndNotShown) {
  RedisServer server;
  ASSERT_EQ(say(*client_of(server), "CONFIG SET requirepass right"), "OK");
  EXPECT_EQ(say(*client_of("redis://:right@" + at(server)), "SET a 1"), "OK");
  const auto wrong = run(*client_of("redis://:wr0ng@" + at(server)), "GET a");
  EXPECT_CODE(Code::storage_failed, wrong);
  EXPECT_NE(wrong.error().detail.find("WRONGPASS"), std::string::npos);
  EXPECT_EQ(wrong.error().detail.find("wr0ng"), std::string::npos);
  const auto missing = run(*client_of(server), "GET a");
  EXPECT_CODE(Code::storage_failed, missing);
  EXPECT_NE(missing.error().detail.find("NOAUTH"), std::string::npos);
}

/// A server with a certificate for `localhost` by an authority of its own.
class RedisClientTls : public ClientTest {
 protected:
  void SetUp() override {
    const std::string script = "cd '" + folder.path().string() + R"(' && {
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.crt \
        -subj /CN=ca -days 2
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out csr -subj /CN=server
      printf 'subjectAltName=DNS:localhost' > names
      openssl x509 -req -in csr -CA ca.crt -CAkey ca.key -CAcreateserial -out crt -days 2 -extfile names
    } > log 2>&1)";
    ASSERT_EQ(std::system(script.c_str()), 0);
    server.emplace("redis-server",
                   std::vector<std::string>{"--tls-port", std::to_string(tls_port), "--tls-cert-file", path("crt"),
                                            "--tls-key-file", path("key"), "--tls-ca-cert-file", path("ca.crt"),
                                            "--tls-auth-clients", "no"});
  }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  std::unique_ptr<Client> client_at(const std::string& host, const std::string& query) {
    return client_of("rediss://" + host + ":" + std::to_string(tls_port) + query);
  }

  test::ScratchFolder folder;
  int tls_port = test::free_port();
  std::optional<RedisServer> server;
};

TEST_F(RedisClientTls, ServerOfATrustedAuthorityIsTalkedTo) {
  const auto client = client_at("localhost", "?ca=" + path("ca.crt"));
  EXPECT_EQ(say(*client, "SET a 1"), "OK");
  const std::string megabyte(1'000'000, 'x');
  const std::vector<Command> commands(5, Command{"k", {"ECHO", megabyte}});
  const auto replies = client->run(commands).value();
  for (const auto& reply : replies) EXPECT_EQ(reply.text, megabyte);
  server->crash();
  EXPECT_CODE(Code::storage_failed, run(*client, "GET a"));
  server->start();
  EXPECT_TRUE(eventually([&] { return run(*client, "GET a").has_value(); }));
}

TEST_F(RedisClientTls, StrangeAuthorityAndWrongNameAreRefused) {
  const auto strange = run(*client_at("localhost", ""), "GET a");
  EXPECT_CODE(Code::storage_failed, strange);
  EXPECT_NE(strange.error().detail.find("certificate"), std::string::npos) << strange.error().detail;
  const auto misnamed = run(*client_at("127.0.0.1", "?ca=" + path("ca.crt")), "GET a");
  EXPECT_CODE(Code::storage_failed, misnamed);
  EXPECT_NE(misnamed.error().detail.find("mismatch"), std::string::npos) << misnamed.error().detail;
}

TEST_F(RedisClientTls, PlainServerAndMissingFileAreErrors) {
  const auto plain = client_of("rediss://localhost:" + std::to_string(server->port()) + "?ca=" + path("ca.crt"));
  EXPECT_CODE(Code::storage_failed, run(*plain, "GET a"));
  const auto missing = open_client(parse_url("rediss://localhost?ca=/nowhere").value(), {}, clock, random);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::usage);
}

}  // namespace
}  // namespace scoreline::redis
