"""One running system a session, one browser of each engine a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsers import ENGINES, Browser, Chromium, launched
from tests.e2e.player import Player
from tests.e2e.site import Site, running

# Each of these takes a browser minutes: Chromium answers for every change, and the other engines for what is most their
# own; with --slow for all of it.
LONG = {
    "test_catalogue",
    "test_crash",
    "test_each_fault",
    "test_hangs",
    "test_offline",
    "test_open",
    "test_progress",
    "test_projects",
    "test_rot",
    "test_runtime",
    "test_scripts",
    "test_script_check",
    "test_solo",
    "test_storage",
    "test_storage_panel",
    "test_tabs",
    "test_viewer",
}
TELLING = {
    "test_a_card_says_whether_the_mod_is_here_and_whether_there_is_a_newer_one[firefox]",
    "test_a_file_gone_bad_is_found_and_fetched_again[firefox]",
    "test_a_mod_has_a_page_of_its_own_that_pulls_nothing[firefox]",
    "test_a_repository_that_is_typed_opens_as_a_preview_for_one_call[firefox]",
    "test_a_repository_that_is_typed_opens_as_a_preview_for_one_call[webkit]",
    "test_a_cached_mod_opens_with_page_runtime_and_packs_although_nobody_answers[firefox]",
    "test_a_cached_mod_opens_with_page_runtime_and_packs_although_nobody_answers[webkit]",
    "test_a_fault_of_one_file_costs_nothing_but_that_file_and_heals[firefox-cut]",
    "test_a_fault_of_one_file_costs_nothing_but_that_file_and_heals[webkit-cut]",
    "test_a_killed_pull_leaves_no_wrong_byte_and_no_leftovers[firefox-1]",
    "test_a_mod_opens_with_every_declared_file_in_the_report[firefox]",
    "test_a_mod_opens_with_every_declared_file_in_the_report[webkit]",
    "test_a_new_publish_brings_only_what_changed_and_the_old_version_goes[firefox]",
    "test_a_new_publish_brings_only_what_changed_and_the_old_version_goes[webkit]",
    "test_a_page_left_in_the_middle_of_a_pull_does_not_hold_up_the_next[firefox]",
    "test_a_page_left_in_the_middle_of_a_pull_does_not_hold_up_the_next[webkit]",
    "test_a_reload_serves_everything_from_the_cache_and_asks_the_origin_nothing[firefox]",
    "test_a_reload_serves_everything_from_the_cache_and_asks_the_origin_nothing[webkit]",
    "test_a_pasted_script_is_told_by_line_column_and_rule[firefox]",
    "test_a_pasted_script_is_told_by_line_column_and_rule[webkit]",
    "test_cancel_ends_the_transfers_and_keeps_what_had_come[firefox]",
    "test_its_packs_load_in_scopes_of_their_own_at_the_pinned_commit[webkit]",
    "test_the_back_button_brings_a_table_that_works[firefox]",
    "test_the_back_button_brings_a_table_that_works[webkit]",
    "test_a_private_window_of_firefox_keeps_files_in_indexeddb",
    "test_a_table_whose_python_died_opens_again_at_the_version_it_had[firefox]",
    "test_a_table_whose_python_died_opens_again_at_the_version_it_had[webkit]",
    "test_a_torn_journal_costs_what_was_torn_off[firefox]",
    "test_a_sample_s_script_runs_and_draws[firefox]",
    "test_a_sample_s_script_runs_and_draws[webkit]",
    "test_a_card_game_as_a_scene_script[firefox]",
    "test_a_deck_gate_that_opens_for_a_pile_that_passes[firefox]",
    "test_one_line_that_logs[firefox]",
    "test_an_error_is_told_by_the_script_s_own_line_and_column[firefox]",
    "test_bytes_that_the_registry_has_not_read_do_not_run[firefox]",
    "test_bytes_that_the_registry_has_not_read_do_not_run[webkit]",
    "test_a_script_that_hangs_is_ended_and_the_others_go_on[firefox-an endless loop]",
    "test_closing_gives_everything_back[firefox]",
    "test_firefox_at_its_quota_writes_nothing_and_says_nothing_but_we_do",
    "test_models_packed_in_every_way_are_drawn_under_the_page_s_own_policy[firefox]",
    "test_a_repository_is_linked_and_published_and_a_refused_commit_leaves_the_old_version[firefox]",
    "test_rotten_code_and_data_are_never_used[webkit]",
    "test_the_pixels_of_a_ktx2_texture_are_drawn[firefox-basis.ktx2]",
    "test_two_tabs_pull_a_mod_once_and_both_show_how_far_it_is[firefox]",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.stem in LONG and item.name not in TELLING and isinstance(item, pytest.Function):
            given = [*item.fixturenames, *(item.callspec.params.values() if hasattr(item, "callspec") else ())]
            if "firefox" in given or "webkit" in given:
                item.add_marker("slow")


@pytest.fixture(scope="session")
def running_site(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running(dist, tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def site(running_site: Site) -> Iterator[Site]:
    """The running system, without faults and with an empty request log."""
    running_site.origin.requests.reset()
    running_site.origin.budget.used = 0
    yield running_site
    running_site.origin.faults.clear()
    running_site.origin.latency_ms = 0


@pytest.fixture(scope="module", params=ENGINES)
def any_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with launched(request.param) as browser:
        yield browser


@pytest.fixture
def player(any_browser: Browser, site: Site) -> Player:
    """A player in each engine in turn."""
    any_browser.console.clear()
    return Player(any_browser, site.base)


@pytest.fixture(scope="module")
def one_chromium() -> Iterator[Chromium]:
    browser = Chromium()
    yield browser
    browser.close()


@pytest.fixture
def chromium(one_chromium: Chromium) -> Chromium:
    """Chromium itself, for what only it can do."""
    one_chromium.console.clear()
    return one_chromium


@pytest.fixture
def chromium_player(chromium: Chromium, site: Site) -> Player:
    """A player in Chromium alone."""
    return Player(chromium, site.base)
