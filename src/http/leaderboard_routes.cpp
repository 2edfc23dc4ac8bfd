#include <utility>

#include "base/limits.h"
#include "http/definition_json.h"
#include "http/json_text.h"
#include "http/problem.h"
#include "http/routes.h"
#include "http/writer_change.h"

namespace scoreline::http {
namespace {

using leaderboards::LeaderboardName;

Result<leaderboards::Definition> read_definition_call(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  if (auto type = body_type(call.request, false); !type) return fail(std::move(type.error()));
  return read_definition(call.request.body, call.params[0]);
}

struct SeasonCall {
  LeaderboardName leaderboard;
  leaderboards::Season season;
};

Result<SeasonCall> read_season_call(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  if (auto type = body_type(call.request, false); !type) return fail(std::move(type.error()));
  if (const auto record = call.context.service.catalogue().find(call.params[0]); !record) return fail(record.error());
  auto season = read_season(call.request.body);
  if (!season) return fail(std::move(season.error()));
  return SeasonCall{LeaderboardName::trusted(std::string(call.params[0])), std::move(*season)};
}

}  // namespace

Result<Response> list_leaderboards(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  std::string out = R"({"leaderboards":[)";
  bool first = true;
  for (const auto& definition : call.context.service.catalogue().definitions()) {
    if (!std::exchange(first, false)) out += ',';
    append_definition(out, definition);
  }
  return json(out + "]}");
}

Result<Response> get_leaderboard(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  const auto record = call.context.service.catalogue().find(call.params[0]);
  if (!record) return fail(record.error());
  std::string out;
  append_definition(out, (*record)->definition);
  return json(std::move(out));
}

void put_leaderboard(const Call& call, Responder responder) {
  auto definition = read_definition_call(call);
  if (!definition) return responder.send(problem(definition.error()));
  change_on_writer(call, std::move(responder),
                   [definition = std::move(*definition)](leaderboards::Service& service) -> Result<Response> {
                     const auto created = service.put_definition(definition);
                     if (!created) return fail(created.error());
                     std::string out;
                     append_definition(out, definition);
                     return json(std::move(out), *created ? 201 : 200);
                   });
}

void drop_leaderboard(const Call& call, Responder responder) {
  const auto known = call.target.allow_only({});
  if (!known) return responder.send(problem(known.error()));
  const auto record = call.context.service.catalogue().find(call.params[0]);
  if (!record) return responder.send(problem(record.error()));
  change_on_writer(call, std::move(responder),
                   [name = (*record)->definition.name](leaderboards::Service& service) -> Result<Response> {
                     if (auto dropped = service.drop(name); !dropped) return fail(std::move(dropped.error()));
                     return json(R"({"dropped":")" + name.text() + "\"}");
                   });
}

Result<Response> list_seasons(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  const auto record = call.context.service.catalogue().find(call.params[0]);
  if (!record) return fail(record.error());
  std::string out = R"({"seasons":[)";
  bool first = true;
  for (const auto& season : (*record)->seasons) {
    if (!std::exchange(first, false)) out += ',';
    append_season(out, season, call.context.service.clock().now());
  }
  return json(out + "]}");
}

void open_season(const Call& call, Responder responder) {
  auto asked = read_season_call(call);
  if (!asked) return responder.send(problem(asked.error()));
  change_on_writer(call, std::move(responder),
                   [asked = std::move(*asked)](leaderboards::Service& service) -> Result<Response> {
                     const auto before = service.catalogue().find(asked.leaderboard.text());
                     const bool there = before && find_season(**before, asked.season.id) != nullptr;
                     if (auto opened = service.open_season(asked.leaderboard, asked.season); !opened) {
                       return fail(std::move(opened.error()));
                     }
                     std::string out;
                     append_season(out, asked.season, service.clock().now());
                     return json(std::move(out), there ? 200 : 201);
                   });
}

}  // namespace scoreline::http
