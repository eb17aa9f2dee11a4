"""The catalogue: search, favourites, ratings, spotlight, collections, sitemap and each mod's page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.origin import LocalOrigin
from server.search import words
from tests.repositories import publish, synthetic_mod
from tests.server.conftest import Registry
from tests.server.test_registration import MANIFEST, manifest, problem

Publish = Callable[[str, str], dict[str, Any]]


@pytest.fixture
def paying(registry: Registry) -> Iterator[httpx.Client]:
    """An author with a membership."""
    with registry.client(member=True) as client:
        yield client


def register(client: httpx.Client, owner: str, repo: str) -> dict[str, Any]:
    answer = client.post("/api/mods", json={"owner": owner, "repo": repo})
    assert answer.status_code == 200, answer.text
    record: dict[str, Any] = answer.json()
    return record


def hide(client: httpx.Client, record: dict[str, Any]) -> None:
    assert client.patch(f"/api/mods/{record['id']}", json={"private": True}).status_code == 200


def search(client: httpx.Client, text: str, owner: str) -> list[str]:
    """Repositories of one owner that a search finds, best first."""
    found = client.get("/api/mods", params={"q": text, "limit": 100}).json()["items"]
    return [mod["repo"] for mod in found if mod["owner"] == owner]


# Search


def test_search_forgives_typos_accents_and_case_but_not_everything(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "carcassonne-like", {"a.webp": 10}, name="Châteaux & Cloisters")
    publish_mod(owner, "carcassonne-like")
    for text in (
        "chateaux",
        "CHÂTEAUX",
        "cloister",
        "cloisetrs",
        "cliosters",
        "chateuax",
        "chat",
        "loister",
        "carcasonne",
    ):
        assert search(visitor, text, owner) == ["carcassonne-like"], text
    for text in ("castles", "zzz", "cloisters zzz", "chapeau", "!!!"):
        assert search(visitor, text, owner) == [], text


def test_the_best_match_comes_first(publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str) -> None:
    named = {"in-summary": ("Other", "A harbour."), "typo": ("Harbuor", "Y."), "start": ("Harbourmaster", "Y.")}
    for repo, (name, summary) in {"exact": ("Harbour", "Y."), **named}.items():
        synthetic_mod(mods, owner, repo, {"a.webp": 10}, name=name, summary=summary)
        publish_mod(owner, repo)
    assert search(visitor, "harbour", owner) == ["exact", "start", "typo", "in-summary"]


def test_a_search_comes_in_pages_in_the_same_order(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    for number in range(5):
        name = f"Lighthouse {owner}" if number % 2 else "Other"
        synthetic_mod(mods, owner, f"m{number}", {"a.webp": 10}, name=name, summary=f"lighthouse {owner}")
        publish_mod(owner, f"m{number}")
    found, cursor = [], None
    while True:
        wanted = {"q": f"lighthouse {owner}", "limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = visitor.get("/api/mods", params=wanted).json()
        found += [mod["repo"] for mod in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == ["m3", "m1", "m4", "m2", "m0"]


def test_a_mod_is_found_by_what_it_is_called_now(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "renaming", {"a.webp": 10}, name="Quicksilver")
    publish_mod(owner, "renaming")
    publish(built.path, {MANIFEST: manifest(built.path, name="Gravel")})
    publish_mod(owner, "renaming")
    assert (search(visitor, "quicksilver", owner), search(visitor, "gravel", owner)) == ([], ["renaming"])


def listed(client: httpx.Client, owner: str, limit: int = 2, **wanted: str | int) -> list[str]:
    """Repositories of one owner in a listing, read portion by portion."""
    found, cursor = [], None
    while True:
        page = client.get(
            "/api/mods", params={**wanted, "limit": limit, **({"cursor": cursor} if cursor else {})}
        ).json()
        found += [mod["repo"] for mod in page["items"] if mod["owner"] == owner]
        cursor = page["next"]
        if cursor is None:
            return found


def test_a_listing_is_narrowed_to_a_shelf_and_to_how_many_want_to_play(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    shelves: dict[str, dict[str, Any]] = {
        "duel": {"players": {"min": 2, "max": 2}},
        "party": {"players": {"min": 3, "max": 8}},
        "silent": {},
        "hall": {"type": "room-pack"},
        "board": {"type": "table-pack", "players": {"min": 1, "max": 4}},
    }
    for repo, keys in shelves.items():
        synthetic_mod(mods, owner, repo, {"a.webp": 10}, **keys)
        publish_mod(owner, repo)
    assert listed(visitor, owner, 100, kind="games") == ["silent", "party", "duel"]
    assert listed(visitor, owner, 100, kind="packs") == ["board", "hall"]
    assert listed(visitor, owner, 100, kind="rooms") == ["hall"]
    assert listed(visitor, owner, 100, kind="tables") == ["board"]
    assert listed(visitor, owner, 100, kind="games", players=2) == ["duel"]
    assert listed(visitor, owner, 100, kind="games", players=8) == ["party"]
    assert listed(visitor, owner, 100, kind="games", players=9) == []
    assert problem(visitor.get("/api/mods", params={"players": 0})) == (422, "invalid-request")


def test_a_listing_has_the_order_wanted_across_its_portions(
    publish_mod: Publish, visitor: httpx.Client, registry: Registry, mods: Path, owner: str
) -> None:
    for repo, name, size in [("a", "delta", 300), ("b", "Älpha‍", 100), ("c", "Charlie", 200), ("d", "beta", 300)]:
        synthetic_mod(mods, owner, repo, {"x.webp": size}, name=name)
        record = publish_mod(owner, repo)
        if repo in {"b", "d"}:
            with registry.client() as player:
                stars = {"b": 5, "d": 1}[repo]
                assert player.put(f"/api/mods/{record['id']}/rating", json={"stars": stars}).status_code == 200
    newest = listed(visitor, owner, sort="newest")
    assert newest == ["d", "c", "b", "a"]
    assert listed(visitor, owner) == newest
    assert [repo for repo in listed(visitor, owner, sort="name") if repo != "b"] == ["d", "c", "a"]
    assert sorted(listed(visitor, owner, sort="name")) == ["a", "b", "c", "d"]
    assert listed(visitor, owner, sort="smallest") == ["b", "c", "d", "a"]
    assert listed(visitor, owner, sort="rating") == ["b", "c", "a", "d"]


def test_a_cursor_goes_on_in_its_own_order_only(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    for repo in ("a", "b"):
        synthetic_mod(mods, owner, repo, {"x.webp": 10})
        publish_mod(owner, repo)
    cursor = visitor.get("/api/mods", params={"sort": "name", "limit": 1}).json()["next"]
    for order in ("best", "newest", "rating", "smallest"):
        answer = visitor.get("/api/mods", params={"sort": order, "limit": 1, "cursor": cursor})
        assert problem(answer) == (404, "unknown-cursor"), order


def test_anybody_may_ask_where_a_public_repository_stands_and_git_is_asked_not_the_api(
    visitor: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "unregistered", {"a.webp": 10})
    origin.requests.reset()
    answer = visitor.get(f"/api/heads/{owner}/unregistered")
    assert answer.json() == {"commitSha": built.shas[0]}
    assert not origin.requests.all(host="api")
    assert problem(visitor.get(f"/api/heads/{owner}/no-such")) == (404, "repository-not-found")
    assert problem(visitor.get(f"/api/heads/{owner}/..%2Fx"))[0] in {404, 422}


def test_words_are_plain_and_bounded() -> None:
    assert words("Ünïcode, 2 dice_cups; DICE_CUPS") == ["unicode", "2", "dice_cups"]
    assert words("x" * 500) == ["x" * 40]
    assert words("?!") == []


# Favourites and ratings


def test_favourites_are_an_account_s_own_and_last_added_first(
    publish_mod: Publish, client: httpx.Client, registry: Registry, mods: Path, owner: str
) -> None:
    ids = []
    for name in ("one", "two", "three"):
        synthetic_mod(mods, owner, name, {"a.webp": 10})
        ids.append(publish_mod(owner, name)["id"])
    for mod_id in ids:
        assert client.put(f"/api/favourites/{mod_id}").status_code == 204
        assert client.put(f"/api/favourites/{mod_id}").status_code == 204
    first = client.get("/api/favourites", params={"limit": 2}).json()
    second = client.get("/api/favourites", params={"limit": 2, "cursor": first["next"]}).json()
    assert [mod["id"] for mod in first["items"] + second["items"]] == ids[::-1]
    assert client.delete(f"/api/favourites/{ids[0]}").status_code == 204
    assert len(client.get("/api/favourites").json()["items"]) == 2
    assert problem(client.put("/api/favourites/0")) == (404, "unknown-mod")
    with registry.client() as other, registry.anybody() as visitor:
        assert other.get("/api/favourites").json()["items"] == []
        assert problem(visitor.get("/api/favourites")) == (401, "sign-in-required")


def test_a_mod_that_became_private_leaves_other_people_s_favourites(
    paying: httpx.Client, client: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "shy", {"a.webp": 10})
    record = register(paying, owner, "shy")
    for one in (paying, client):
        one.put(f"/api/favourites/{record['id']}")
    hide(paying, record)
    assert client.get("/api/favourites").json()["items"] == []
    assert len(paying.get("/api/favourites").json()["items"]) == 1


def test_ratings_add_up_and_nobody_rates_their_own(
    publish_mod: Publish, client: httpx.Client, registry: Registry, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "rated", {"a.webp": 10})
    record = publish_mod(owner, "rated")
    url = f"/api/mods/{record['id']}/rating"
    assert record["rating"] == {"average": None, "count": 0}
    assert problem(client.put(url, json={"stars": 5})) == (403, "own-mod")
    with registry.client() as one, registry.client() as two:
        for stars in (0, 6, 1.5, True, None):
            assert problem(one.put(url, json={"stars": stars})) == (422, "invalid-request")
        one.put(url, json={"stars": 1})
        assert one.put(url, json={"stars": 5}).json() == {"average": 5.0, "count": 1, "own": 5}
        assert two.put(url, json={"stars": 4}).json() == {"average": 4.5, "count": 2, "own": 4}
        assert publish_mod(owner, "rated")["rating"] == {"average": 4.5, "count": 2}
        # A deleted mod that comes back brings them along.
        client.delete(f"/api/mods/{record['id']}")
        assert problem(two.put(url, json={"stars": 1})) == (404, "unknown-mod")
        assert publish_mod(owner, "rated")["rating"] == {"average": 4.5, "count": 2}
        assert one.delete(url).json() == {"average": 4.0, "count": 1, "own": None}


# Spotlight, sitemap


def test_the_spotlight_shows_whole_public_games_with_a_picture(
    paying: httpx.Client, registry: Registry, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    cover: dict[str, Any] = {"coverImage": "a.webp"}
    kinds: dict[str, dict[str, Any]] = {
        "good": cover,
        "better": cover,
        "bare": {},
        "hall": {**cover, "type": "room-pack"},
        "hidden": cover,
        "broken": {**cover, "compatibility": {"engine": ">=7"}},
    }
    records = {}
    for name, more in kinds.items():
        synthetic_mod(mods, owner, name, {"a.webp": 10}, **more)
        records[name] = register(paying, owner, name)
    hide(paying, records["hidden"])
    for _ in range(3):
        with registry.client() as fan:
            for name in ("better", "hidden", "broken"):
                fan.put(f"/api/mods/{records[name]['id']}/rating", json={"stars": 5})
    shown = visitor.get("/api/spotlight", params={"limit": 24}).json()
    ours = [mod["repo"] for mod in shown["items"] if mod["owner"] == owner]
    assert ours == ["better", "good"]
    assert visitor.get("/api/spotlight", params={"limit": 1}).json()["items"][0]["repo"] == "better"


def test_the_sitemap_lists_public_pages_and_no_others(
    paying: httpx.Client, visitor: httpx.Client, registry: Registry, mods: Path, owner: str
) -> None:
    records = {}
    for name in ("shown", "hidden", "deleted"):
        synthetic_mod(mods, owner, name, {"a.webp": 10}, slug=f"{name}-{owner.lower()}")
        records[name] = register(paying, owner, name)
    hide(paying, records["hidden"])
    paying.delete(f"/api/mods/{records['deleted']['id']}")
    answer = paying.get("/sitemap.xml")
    assert answer.headers["content-type"].startswith("application/xml")
    places = re.findall(r"<loc>([^<]+)</loc>", answer.text)
    assert places[0] == f"{registry.base}/"
    assert [place for place in places if owner.lower() in place] == [f"{registry.base}/games/shown-{owner.lower()}"]
    assert all(visitor.get(place).status_code == 200 for place in places[1:4])


# Pages


def test_a_mod_has_a_page_that_reads_without_a_script(paying: httpx.Client, mods: Path, owner: str) -> None:
    evil = '<script>alert(1)</script> & "Co"'
    synthetic_mod(
        mods,
        owner,
        "paged",
        {"a.webp": 10},
        name=evil,
        summary=evil,
        coverImage="a.webp",
        slug=f"paged-{owner.lower()}",
    )
    record = register(paying, owner, "paged")
    page = f"/games/{record['slug']}"
    answer = paying.get(page)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script" not in answer.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Co&quot;" in answer.text
    assert f'href="/?mod={record["id"]}"' in answer.text
    assert record["cover"] in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    head = paying.head(page)
    assert (head.status_code, head.content) == (200, b"")


def test_packs_have_pages_too(publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "oak", {"a.webp": 10}, type="table-pack")
    assert visitor.get(f"/games/{publish_mod(owner, 'oak')['slug']}").status_code == 200


@pytest.mark.parametrize("slug", ["nothing-here", "UPPER", "a%00b", "%2e%2e", "a/b", "a" * 300, "%F0%9F%98%80"])
def test_a_page_that_is_not_there_is_a_404_for_people(visitor: httpx.Client, slug: str) -> None:
    answer = visitor.get(f"/games/{slug}")
    assert answer.status_code == 404
    assert 'href="/"' in answer.text


def test_a_private_mod_s_page_is_there_for_its_owner_and_admins_only(
    paying: httpx.Client, registry: Registry, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "shy-page", {"a.webp": 10})
    record = register(paying, owner, "shy-page")
    page = f"/games/{record['slug']}"
    assert "Delete" not in visitor.get(page).text
    hide(paying, record)
    with registry.client(member=True) as other, registry.client(admin=True) as admin:
        assert (visitor.get(page).status_code, other.get(page).status_code) == (404, 404)
        for client in (paying, admin):
            answer = client.get(page)
            assert answer.status_code == 200
            assert "Make it public" in answer.text
            assert "Delete" in answer.text
    paying.delete(f"/api/mods/{record['id']}")
    assert paying.get(page).status_code == 404


def test_the_page_s_controls_are_plain_forms(
    registry: Registry, visitor: httpx.Client, paying: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "forms", {"a.webp": 10})
    with registry.client() as unpaid:
        record = register(unpaid, owner, "forms")
        page = f"/games/{record['slug']}"
        refused = unpaid.post(page, data={"action": "private"})
        assert (refused.status_code, "paying members" in refused.text) == (403, True)
        assert unpaid.post(page, data={"action": "delete"}).status_code == 422
        assert problem(visitor.post(page, data={"action": "private"})) == (401, "sign-in-required")
        stranger = paying.post(page, data={"action": "private"})
        assert stranger.status_code == 403
        done = unpaid.post(page, data={"action": "delete", "sure": "yes"})
        assert (done.status_code, done.headers["location"]) == (303, "/")
        assert unpaid.get(page).status_code == 404
    token = registry.accounts.issue_token(registry.account(member=True), "page")
    visitor.post("/api/session", json={"token": token}, headers={"origin": registry.base})
    evil = visitor.post(page, data={"action": "private"}, headers={"origin": "https://evil.example"})
    assert problem(evil) == (403, "wrong-origin")


# Collections


def test_a_collection_keeps_its_order_and_hides_what_its_reader_may_not_see(
    paying: httpx.Client, registry: Registry, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    ids = []
    for name in ("one", "two", "three"):
        synthetic_mod(mods, owner, name, {"a.webp": 10})
        ids.append(register(paying, owner, name)["id"])
    created = paying.post("/api/collections", json={"name": "Evening", "mods": [ids[2], ids[0], ids[1], ids[0]]})
    assert created.status_code == 201
    url = f"/api/collections/{created.json()['id']}"
    assert [mod["id"] for mod in visitor.get(url).json()["mods"]] == [ids[2], ids[0], ids[1]]
    hide(paying, {"id": ids[0]})
    for client, size in ((visitor, 2), (paying, 3)):
        assert client.get(url).json()["size"] == len(client.get(url).json()["mods"]) == size
        summary = next(
            one for one in client.get("/api/collections").json()["items"] if one["id"] == created.json()["id"]
        )
        assert (summary["name"], summary["size"]) == ("Evening", size)
    with registry.client() as other:
        body = {"name": "Mine now", "mods": []}
        assert problem(other.put(url, json=body)) == (403, "not-owner")
        assert problem(other.delete(url)) == (403, "not-owner")
        assert other.get("/api/collections", params={"own": True}).json()["items"] == []
    assert problem(visitor.post("/api/collections", json={"name": "x", "mods": []})) == (401, "sign-in-required")
    assert problem(paying.post("/api/collections", json={"name": "x", "mods": ["0"]})) == (404, "unknown-mod")
    changed = paying.put(url, json={"name": "Night", "mods": [ids[1]]}).json()
    assert (changed["name"], [mod["id"] for mod in changed["mods"]]) == ("Night", [ids[1]])
    assert paying.delete(url).status_code == 204
    for path in (url, "/api/collections/none", "/api/collections/%00"):
        assert problem(visitor.get(path)) == (404, "unknown-collection")


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "mods": []},
        {"name": "x" * 101, "mods": []},
        {"name": "a\n", "mods": []},
        {"name": "a\0", "mods": []},
        {"name": "a", "mods": ["../x"]},
        {"name": "a", "mods": ["a\n"]},
        {"name": "a", "mods": ["a"] * 101},
        {"name": "a"},
    ],
    ids=range(8),
)
def test_a_collection_that_says_nothing_sensible_is_refused(client: httpx.Client, body: dict[str, Any]) -> None:
    assert problem(client.post("/api/collections", json=body)) == (422, "invalid-request")


@pytest.mark.parametrize("path", ["/api/favourites", "/api/collections", "/api/projects", "/api/mods"])
def test_a_cursor_from_elsewhere_is_refused(client: httpx.Client, path: str) -> None:
    cursors = ["W10", "eyJhIjogMX0", "WyIwMDAxLTAxLTAxVDAwOjAwKzIzOjU5IiwgImEiXQ", "\0", "W251bGwsIG51bGxd", "ä"]
    for cursor in cursors:
        if path == "/api/projects" and cursor not in {"\0", "ä"}:
            continue
        assert problem(client.get(path, params={"cursor": cursor})) == (404, "unknown-cursor"), cursor
