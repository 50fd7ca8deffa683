"""The URLs of all pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages import (
    bot,
    bots,
    calendars,
    compare,
    crawlers,
    cup_desk,
    cup_exports,
    cup_ledger,
    cup_settings,
    cups,
    docs,
    exhibitions,
    feeds,
    home,
    integrity_report,
    ladder,
    ladder_csv,
    ladders,
    lobby_actions,
    match,
    matches,
    members,
    my_bots,
    new_ladder,
    people,
    pictures,
    remote_bots,
    replay,
    rules,
    search,
    seasons,
    seat_log,
    staff,
    statistics,
    table,
    tutorial,
    upload,
    version,
)

audit_urls: list[URLPattern] = [
    path("ladders/<slug:slug>/integrity/", integrity_report.integrity_report, name="integrity_report"),
    path("ladders/<slug:slug>/ledger.jsonl", integrity_report.ledger, name="ledger"),
    path("ladders/<slug:slug>/correct/merge/", integrity_report.merge, name="merge"),
    path("ladders/<slug:slug>/correct/k/", integrity_report.new_k, name="new_k"),
    path("matches/<int:match_id>/correct/", integrity_report.withdraw, name="withdraw"),
]


compare_urls: list[URLPattern] = [
    path("compare/", compare.choose, name="compare"),
    path("compare/<slug:first>/<slug:second>/", compare.comparison, name="comparison"),
]


cup_urls: list[URLPattern] = [
    path("cups/", cups.cups, name="cups"),
    path("cups/new/", cup_settings.new_cup, name="new_cup"),
    path("cups/<slug:slug>/", cups.cup, name="cup"),
    path("cups/<slug:slug>/desk/", cup_desk.cup_desk, name="cup_desk"),
    path("cups/<slug:slug>/desk/settings/", cup_settings.change_cup, name="change_cup"),
    path("cups/<slug:slug>/desk/pause/", cup_desk.pause_cup, name="pause_cup"),
    path("cups/<slug:slug>/desk/resume/", cup_desk.resume_cup, name="resume_cup"),
    path("cups/<slug:slug>/desk/cancel/", cup_desk.cancel_cup, name="cancel_cup"),
    path("cups/<slug:slug>/desk/entries/<slug:bot>/", cup_desk.remove_entrant, name="remove_entrant"),
    path("cups/<slug:slug>/desk/rounds/<int:number>/<int:index>/", cup_desk.rule_on_table, name="rule_on_table"),
    path("cups/<slug:slug>/desk/organizers/", cup_desk.add_organizer, name="add_organizer"),
    path("cups/<slug:slug>/desk/organizers/<int:person_id>/", cup_desk.remove_organizer, name="remove_organizer"),
    path("cups/<slug:slug>/desk/workers/", cup_desk.reserve_workers, name="reserve_workers"),
    path("cups/<slug:slug>/rounds/<int:number>/", cups.one_round, name="cup_round"),
    path("cups/<slug:slug>/ledger/", cup_ledger.ledger, name="cup_ledger"),
    path("cups/<slug:slug>/ledger.json", cup_exports.ledger, name="cup_ledger_json"),
    path("cups/<slug:slug>/standings.csv", cup_exports.standings, name="cup_standings_csv"),
    path("cups/<slug:slug>/results.csv", cup_exports.results, name="cup_results_csv"),
    path("cups/<slug:slug>/enter/", cups.enter, name="enter_cup"),
    path("cups/<slug:slug>/withdraw/", cups.withdraw, name="withdraw_from_cup"),
    path("cups/<slug:slug>/report/", staff.report_cup, name="report_cup"),
    path("cups/calendar.ics", calendars.cups_calendar, name="cups_calendar"),
    path("cups/<slug:slug>/calendar.ics", calendars.cup_calendar, name="cup_calendar"),
]


members_urls: list[URLPattern] = [
    path("ladders/<slug:slug>/standings.csv", ladder_csv.standings, name="ladder_standings_csv"),
    path("ladders/<slug:slug>/members/", members.members, name="ladder_members"),
    path("ladders/<slug:slug>/members/<int:person_id>/remove/", members.remove_member, name="remove_member"),
    path("ladders/<slug:slug>/members/accept/", members.accept, name="accept_membership"),
    path("ladders/<slug:slug>/members/bots/", members.enroll, name="enroll_bots"),
    path("ladders/<slug:slug>/members/link/", members.new_link, name="new_invitation"),
    path("ladders/invitations/<str:token>/", members.accept_invitation, name="accept_invitation"),
    path("staff/ladders/new/", new_ladder.new_ladder, name="new_ladder"),
]


lobby_urls: list[URLPattern] = [
    path("play/", lobby_actions.lobby, name="lobby"),
    path("play/parts/", lobby_actions.lobby_parts, name="lobby_parts"),
    path("play/now/", lobby_actions.play_now, name="play_now"),
    path("play/offer/", lobby_actions.create_game, name="create_game"),
    path("play/open-games/<int:game_id>/join/", lobby_actions.join_game, name="join_game"),
    path("play/open-games/<int:game_id>/leave/", lobby_actions.leave_game, name="leave_game"),
    path("play/open-games/<int:game_id>/withdraw/", lobby_actions.withdraw_game, name="withdraw_game"),
    path("play/links/<str:token>/", lobby_actions.game_link, name="game_link"),
    path("play/look/", lobby_actions.find_opponent, name="find_opponent"),
    path("play/stop/", lobby_actions.cancel_search, name="cancel_search"),
    path("play/challenge/<slug:slug>/", lobby_actions.challenge_bot, name="challenge_bot"),
    path("play/challenge/people/<str:username>/", lobby_actions.challenge_person, name="challenge_person"),
    path("play/challenges/<int:challenge_id>/answer/", lobby_actions.answer_challenge, name="answer_challenge"),
    path("staff/chat/", staff.reported_lines, name="reported_lines"),
    path("staff/chat/<int:line_id>/", staff.settle_line, name="settle_line"),
    path("staff/guests/<int:seat_id>/", staff.settle_guest_name, name="settle_guest_name"),
    path("matches/<int:match_id>/guests/<int:seat>/report/", staff.report_guest_name, name="report_guest_name"),
    path("play/tables/<int:match_id>/", table.sit, name="live_table"),
    path("play/tables/<int:match_id>/moves/", table.moves, name="table_moves"),
    path("play/tables/<int:match_id>/answer/", table.answer, name="answer"),
    path("play/tables/<int:match_id>/act/", table.act, name="act"),
    path("play/tables/<int:match_id>/rematch/", table.rematch, name="rematch"),
]


staff_urls: list[URLPattern] = [
    path("staff/", staff.staff, name="staff"),
    path("staff/bots/<int:bot_id>/", staff.bot, name="moderate_bot"),
    path("staff/trail/", staff.trail, name="trail"),
    path("staff/cups/", staff.reported_cups, name="reported_cups"),
    path("staff/cups/<int:cup_id>/", staff.moderate_cup, name="moderate_cup"),
]


exhibition_urls: list[URLPattern] = [
    path("exhibitions/", exhibitions.exhibitions, name="exhibitions"),
    path("exhibitions/<int:exhibition_id>/", exhibitions.exhibition, name="exhibition"),
    path("exhibitions/<int:exhibition_id>/cancel/", exhibitions.cancel, name="cancel_exhibition"),
    path("exhibitions/<int:exhibition_id>/answer/", exhibitions.answer, name="answer_exhibition"),
    path("ladders/<slug:slug>/test/", exhibitions.test, name="exhibition_test"),
    path("ladders/<slug:slug>/compare/", exhibitions.compare, name="exhibition_comparison"),
    path("ladders/<slug:slug>/schedule/", exhibitions.schedule, name="exhibition_schedule"),
]


owner_urls: list[URLPattern] = [
    path("bots/new/", upload.upload, name="upload"),
    path("bots/new/remote/", remote_bots.register, name="register_remote"),
    path("bots/mine/", my_bots.mine, name="my_bots"),
    path("bots/starter/<slug:slug>.zip", upload.starter, name="starter"),
    path("bots/<slug:slug>/upload/", upload.new_version, name="new_version"),
    path("bots/<slug:slug>/declare/", remote_bots.declare, name="declare_remote"),
    path("bots/<slug:slug>/settings/", my_bots.settings, name="bot_settings"),
    path("bots/<slug:slug>/ladders/", my_bots.choose_ladders, name="choose_ladders"),
    path("bots/<slug:slug>/resume/", my_bots.resume, name="resume"),
    path("bots/<slug:slug>/retire/", my_bots.retire, name="retire"),
    path("bots/<slug:slug>/restore/", my_bots.restore, name="restore"),
    path("bots/<slug:slug>/source/publish/", my_bots.publish_source, name="publish_source"),
    path("bots/<slug:slug>/source/hide/", my_bots.hide_source, name="hide_source"),
    path("bots/<slug:slug>/versions/<int:number>/", version.version, name="version"),
    path("bots/<slug:slug>/versions/<int:number>/activate/", my_bots.activate, name="activate"),
    path("bots/<slug:slug>/versions/<int:number>/source/", version.read_source, name="source"),
    path("bots/<slug:slug>/versions/<int:number>/download", version.download_source, name="download_source"),
    path("matches/<int:match_id>/seats/<int:index>/log/", seat_log.log, name="seat_log"),
    path("matches/<int:match_id>/seats/<int:index>/log.json", seat_log.download_log, name="seat_log_json"),
]


people_urls: list[URLPattern] = [
    path("people/<str:username>/", people.person, name="person"),
]


bot_urls: list[URLPattern] = [
    path("bots/<slug:slug>/waits/", bot.waits, name="waits"),
    path("bots/<slug:slug>/feed.atom", feeds.bot_feed, name="bot_feed"),
    path("ladders/<slug:slug>/feed.atom", feeds.ladder_feed, name="ladder_feed"),
]


search_urls: list[URLPattern] = [
    path("search/", search.search, name="search"),
    path("search/suggestions/", search.suggest, name="suggestions"),
]


season_urls: list[URLPattern] = [
    path("ladders/<slug:slug>/seasons/", seasons.all_seasons, name="seasons"),
    path("ladders/<slug:slug>/seasons/open/", seasons.open_next, name="open_season"),
    path("ladders/<slug:slug>/seasons/<int:number>/", seasons.one_season, name="season"),
    path("ladders/<slug:slug>/seasons/<int:number>/close/", seasons.close, name="close_season"),
    path("ladders/<slug:slug>/seasons/<int:number>/deals.jsonl", seasons.deals, name="season_deals"),
]


docs_urls: list[URLPattern] = [
    path("docs/", docs.page, {"slug": ""}, name="docs"),
    path("docs.md", docs.markdown, {"slug": ""}, name="docs_markdown"),
    path("docs/<path:slug>.md", docs.markdown, name="docs_markdown_page"),
    path("docs/search/", docs.search, name="docs_search"),
    path("docs/images/<str:name>", docs.image, name="docs_image"),
    path("docs/<path:slug>/", docs.page, name="docs_page"),
]


statistics_urls: list[URLPattern] = [
    path("ladders/<slug:slug>/statistics/", statistics.statistics, name="statistics"),
    path("ladders/<slug:slug>/statistics/head-to-head/", statistics.head_to_head, name="head_to_head"),
    path("ladders/<slug:slug>/bots/<slug:bot>/", statistics.membership, name="membership"),
    path("staff/collusion/", statistics.collusion_index, name="collusion_index"),
    path("staff/collusion/<slug:slug>/", statistics.collusion, name="collusion"),
    path("staff/collusion/cups/<slug:slug>/", statistics.cup_collusion, name="cup_collusion"),
]


tutorial_urls: list[URLPattern] = [
    path("rules/<slug:slug>/tutorial/", tutorial.tutorial, name="tutorial"),
]


crawler_urls: list[URLPattern] = [
    path("pictures/site.png", pictures.picture, {"kind": "site"}, name="site_picture"),
    path("pictures/rules/<slug:slug>.png", pictures.picture, {"kind": "rules"}, name="rules_picture"),
    path("pictures/ladders/<slug:slug>.png", pictures.picture, {"kind": "ladder"}, name="ladder_picture"),
    path("pictures/bots/<slug:slug>.png", pictures.picture, {"kind": "bot"}, name="bot_picture"),
    path("pictures/people/<str:username>.png", pictures.picture, {"kind": "person"}, name="person_picture"),
    path("pictures/cups/<slug:slug>.png", pictures.picture, {"kind": "cup"}, name="cup_picture"),
    path("pictures/matches/<int:match_id>.png", pictures.picture, {"kind": "match"}, name="match_picture"),
    path("icons/<int:size>.png", pictures.icon, name="icon"),
    path("favicon.ico", pictures.favicon, name="favicon"),
    path("manifest.webmanifest", crawlers.manifest, name="manifest"),
    path("robots.txt", crawlers.robots, name="robots"),
    path("llms.txt", crawlers.llms, name="llms"),
    path("sitemap.xml", crawlers.sitemap, name="sitemap"),
]


app_name = "pages"

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("ladders/", ladders.ladders, name="ladders"),
    path("ladders/<slug:slug>/", ladder.ladder, name="ladder"),
    *audit_urls,
    *compare_urls,
    *cup_urls,
    *members_urls,
    *staff_urls,
    *lobby_urls,
    *exhibition_urls,
    *people_urls,
    *bot_urls,
    *search_urls,
    *crawler_urls,
    *season_urls,
    *statistics_urls,
    path("bots/", bots.bots, name="bots"),
    *owner_urls,
    path("bots/<slug:slug>/", bot.bot, name="bot"),
    path("bots/<slug:slug>/report/", staff.report, name="report"),
    path("staff/sandboxes/", staff.sandboxes, name="sandboxes"),
    path("staff/reports/", staff.reports, name="reports"),
    path("staff/reports/<int:bot_id>/", staff.settle, name="settle"),
    path("matches/", matches.matches, name="matches"),
    path("matches/<int:match_id>/", match.match, name="match"),
    path("matches/<int:match_id>/rounds/", match.rounds, name="rounds"),
    path("embed/<int:match_id>/", match.embed, name="embed"),
    path("matches/<int:match_id>/record", replay.record, name="record"),
    path("matches/<int:match_id>/replay.json", replay.replay, name="replay"),
    path("rules/", rules.rules, name="rules"),
    *tutorial_urls,
    path("rules/<slug:slug>/", rules.game_rules, name="game_rules"),
    path("rules/<slug:slug>.md", rules.markdown, name="rules_markdown"),
    *docs_urls,
    path("about/", home.about, name="about"),
]
