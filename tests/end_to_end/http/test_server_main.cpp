// A server for tests in other languages: an empty world with one dead letter, and queues, behind real sockets, until
// standard input ends.
//   http_test_server --routes            prints `METHOD path` of every route
//   http_test_server [RESERVED_FILES]    prints the port; at the end, whether every request was finished
#include <iostream>
#include <string>

#include "live_server.h"

int main(int argc, char** argv) {
  using namespace scoreline;
  if (argc > 1 && std::string(argv[1]) == "--routes") {
    for (const http::Route& route : http::routes()) {
      std::cout << http::to_string(route.method) << ' ' << route.pattern << '\n';
    }
    return 0;
  }
  http::Deadlines deadlines;
  deadlines.head = std::chrono::seconds{2};
  http::ServerOptions options = test::LiveServer::options_with(deadlines);
  if (argc > 1) options.reserved_files = std::stoul(argv[1]);
  test::LiveServer server(options);
  // So that the contract's examples find one.
  const ingest::DeadLetter letter{{{"match-results", 0}, 0, {}, "{}"}, 2, {Code::invalid, "is missing", "points", {}}};
  if (!server.dead_letters.add(std::span(&letter, 1), server.world.clock.now())) return 1;
  std::cout << server.server.port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  std::cout << (server.server.stop(std::chrono::seconds{5}) ? "finished" : "cut off") << std::endl;
}
