"""The codes of all errors of the API.

Programs rely on them, so a code is never renamed. A test compares them with the code and with
``docs/reference/api.md``. The page at ``type`` of a problem document describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

REQUESTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "answered": ("409", "The decision has already been answered."),
        "authentication_failed": ("401", "The token or session is unknown, revoked or expired. Create a new token."),
        "bad_request": ("400", "The URL, a header or the body is malformed."),
        "bot_missing": ("400", 'You have several remote bots. Name one with the parameter "bot".'),
        "error": ("500", "An internal error, which was logged. Try again later."),
        "illegal": ("422", "The move is not legal."),
        "in_turn": ("429", 'Another request of the same player is being processed. Try again after "Retry-After".'),
        "invalid": ("400", 'A parameter or a field is missing or invalid. "fields" contains the messages.'),
        "intake_paused": ("503", 'Operators have paused this. Nothing changed. Try again after "Retry-After".'),
        "late": ("409", 'The answer arrived after the time limit. "played" is the move that was played instead.'),
        "malformed": ("422", "The answer is not a JSON object with a move."),
        "method_not_allowed": ("405", 'The endpoint does not support this method. "Allow" lists the methods.'),
        "not_acceptable": ("406", 'The endpoint does not offer a media type that "Accept" names.'),
        "not_asked": ("404", "The seat has no such decision."),
        "not_authenticated": ("401", "The request needs a token or a browser session."),
        "not_found": ("404", "The object or endpoint does not exist, or you do not have access to it."),
        "not_stored": ("503", 'The server could not store the data. Nothing changed. Try again after "Retry-After".'),
        "overloaded": ("503", 'The site has too many requests. Nothing changed. Try again after "Retry-After".'),
        "parse_error": ("400", "The body is not valid JSON or not a valid form, or it is too long."),
        "permission_denied": ("403", "The token does not have the required scope, or belongs to another bot."),
        "redis_away": ("503", 'A service of the site is restarting. Nothing changed. Try again after "Retry-After".'),
        "throttled": ("429", 'You have reached a rate limit. Try again after "Retry-After".'),
        "too_large": ("413", "The body is larger than the upload limit."),
        "too_long": ("422", "The answer is too long."),
        "too_many_waiting": ("429, 503", 'Too many streams or long polls are open. Try again after "Retry-After".'),
        "too_slow": ("408", "The request did not arrive completely within the time limit."),
        "unsupported_media_type": ("415", "The endpoint does not accept this media type."),
        "wrong_id": ("400", "The id in the answer belongs to another decision."),
    }
)
"""HTTP status and meaning of the codes about requests in general."""

WORKERS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "code_lost": ("409", "The site has lost the code of a bot. The attempt has ended."),
        "code_unknown": ("404", "No bot that plays by the lease has this code."),
        "host_drained": ("409", "An operator has drained the host. It gets no work until it is resumed."),
        "host_rests": ("429", "The host has failed several times. It gets no work for a minute."),
        "lease_ended": ("409", "The lease has ended. Its result was stored, or is not needed."),
        "lease_expired": ("409", "The lease was not renewed in time. Another worker plays."),
        "lease_unknown": ("409", "The lease is not one of this host."),
        "lease_withdrawn": ("409", "The match was withdrawn."),
        "other_release": ("409", "The host runs another release than the site. Update it."),
        "too_many_leases": ("429", "The host has as many leases of a kind as a worker host may."),
        "wrong_record": ("422", "The record or the report is wrong. The attempt has failed."),
    }
)
"""HTTP status and meaning of the codes that only worker hosts get."""

RULES: Final = tuple(
    """
    abort_too_late abort_with_bots about account_closed all_hosted already_accepted already_drained already_ended
    already_left already_paired already_paused already_removed already_seated already_started already_suspended
    already_voided answer_final at_a_table bad_k_factor blocks blocks_out_of_range bot_retired bots_only
    broken_ledger busy cannot_play capacity chat_off deadline_passed declined description_invisible
    description_length different_ladders disqualified email_not_verified entries entries_per_user expired full
    game_over game_too_long games games_at_once guest guest_rated hosted_only house_bot human_player humans_only
    invalid_correction invalid_limits invalid_link invalid_username invitation_only label ladder_closed
    ladder_paused last_superuser live_ladder live_match match_ended match_of_a_cup match_too_long name_banned
    name_character name_in_game name_invisible name_length name_link name_marks name_of_house_bot name_of_user
    name_reserved name_scripts name_taken name_unavailable needs_challenge needs_link needs_superuser no_account
    no_action no_bot_of_yours no_claim no_format no_free_seat no_guest no_guests no_ladder no_line no_message
    no_name no_name_to_remove no_open_season no_reason no_result no_return no_sandbox no_season no_seat no_slug
    no_text not_a_bot not_a_player not_asked not_at_the_table not_by_invitation not_drained not_ended not_live
    not_main_organizer not_merged not_on_ladder not_organizer not_own_remote_bot not_paused not_playable not_playing
    not_remote not_seated not_staff not_started not_suspended not_your_bot not_your_versions not_yours not_yourself
    nothing_selected offline opponent_not_rated opponent_unavailable own_account own_bot own_cup own_line players
    presets_only rated_time_control reason reason_too_long registration_closed rematch_too_late remote_bot
    remote_only removed_by_moderator repeat_days reserved_percent reserved_slug retired rounds same_bot_twice same_k
    same_owner same_role season_closed slug_taken staff_only start_early started suspended time_too_early
    time_too_late time_zone title title_taken token_used too_early too_few_house_bots too_few_opponents too_late
    too_many_actions too_many_bots too_many_organizers unavailable unknown_bot unknown_cup_format unknown_entrant
    unknown_format unknown_game unknown_host unknown_kind unknown_ladder unknown_margin unknown_preset
    unknown_time_control unknown_user unreadable unsupported_format username_not_removed username_taken
    version_not_available version_not_ready version_twice withdrawn wrong_length wrong_number_of_seats wrong_players
    wrong_want
    """.split()  # noqa: SIM905 - a list of words is easier to read
)
"""With status 422."""

LIMITS: Final = tuple(
    """
    bots_ever bots_per_user challenges_per_day challenges_to_one contended cups_per_day exhibition_matches_per_day
    exhibitions_per_day games_at_once games_per_day guest_hosted_seats guest_hosted_seats_per_ip guest_seats
    guest_seats_per_day guest_seats_per_ip hosted_seats labels_per_hour lines_per_game lines_per_minute
    no_hosted_seat open_challenges open_cups open_exhibitions open_games open_games_per_day organizers_per_day
    queued_validations rated_at_once rematch_again reports_per_day tokens_per_user too_often unanswered_challenges
    uploaded_bytes uploads_per_hour
    """.split()  # noqa: SIM905 - a list of words is easier to read
)
"""With status 429 if waiting helps, else 409."""

ARCHIVES: Final = tuple(
    """
    appended_data archive_empty checksum damaged damaged_directory damaged_entry duplicate empty encrypted
    entry_missing file_and_folder file_or_folder file_too_large folder_with_content inserted_data
    language_missing library_missing link macos manifest_command manifest_command_file manifest_command_language
    manifest_entry_missing manifest_games manifest_language manifest_name manifest_nested manifest_not_toml
    manifest_not_utf8 manifest_seats manifest_too_large manifest_unknown_game manifest_unknown_key
    manifest_unreadable method name_absolute name_backslash name_collision name_colon name_device name_dots
    name_empty name_encoding name_hyphen name_invisible name_spaces name_windows not_a_jar not_a_zip not_elf
    not_executable not_utf8 not_wasm nothing_to_load nul other_loader other_processor overlap path_too_deep
    path_too_long script size_missing special_file split too_many_entries too_many_files truncated two_headers
    two_names two_sizes unpacked_too_large unsupported_format unusual upload_too_large wasm_version windows
    wrong_size wrong_suffix zip64 zip_named_py
    """.split()  # noqa: SIM905 - a list of words is easier to read
)
"""Of uploaded archives, with status 422."""
