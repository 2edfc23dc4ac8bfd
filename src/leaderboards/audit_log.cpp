#include "leaderboards/audit_log.h"

#include <array>
#include <utility>

namespace scoreline::leaderboards {
namespace {

constexpr std::array<std::pair<AuditAction, std::string_view>, 10> kNames{{
    {AuditAction::hide_player, "hide-player"},
    {AuditAction::restore_player, "restore-player"},
    {AuditAction::erase_player, "erase-player"},
    {AuditAction::void_match, "void-match"},
    {AuditAction::define_leaderboard, "define-leaderboard"},
    {AuditAction::drop_leaderboard, "drop-leaderboard"},
    {AuditAction::open_season, "open-season"},
    {AuditAction::close_season, "close-season"},
    {AuditAction::rebuild_board, "rebuild-board"},
    {AuditAction::repair_board, "repair-board"},
}};

}  // namespace

std::string_view to_string(AuditAction action) {
  for (const auto& [known, name] : kNames) {
    if (known == action) return name;
  }
  return {};
}

Result<AuditAction> parse_audit_action(std::string_view text) {
  for (const auto& [action, name] : kNames) {
    if (name == text) return action;
  }
  return fail(Code::damaged, "the audit log has an action that is not known: " + std::string(text));
}

}  // namespace scoreline::leaderboards
