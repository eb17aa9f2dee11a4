"""A mod's public page and the sitemap: plain HTML and XML, readable without a script and by search engines."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from html import escape
from urllib.parse import quote
from xml.sax.saxutils import escape as escape_xml

from server.account import Account
from server.problem import ProblemError
from server.record import ModRecord

_SHELVES = {"game": "Game", "room": "Room", "table": "Table"}


def sitemap(base: str, pages: Iterable[tuple[str, datetime]]) -> str:
    """sitemaps.org's XML over the front page and every public page (slug, last publish)."""
    entries = [f"<url><loc>{escape_xml(base)}/</loc></url>"]
    entries += [
        f"<url><loc>{escape_xml(base)}/games/{slug}</loc><lastmod>{at.date().isoformat()}</lastmod></url>"
        for slug, at in pages
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' + "\n".join(entries) + "\n</urlset>\n"
    )


def game_page(
    mod: ModRecord, base: str, head_links: str, controlled_by: Account | None, complaint: ProblemError | None
) -> str:
    """``controlled_by`` is the owner or admin who looks at it, and gets the controls; ``complaint`` what went wrong."""
    address = f"{base}/games/{mod.slug}"
    opening = f"/?mod={quote(mod.id, safe='')}"
    name, summary = escape(mod.name), escape(mod.summary or f"{_SHELVES[mod.kind]} by {mod.owner}.")
    cover = "" if mod.cover is None else f'<img src="{escape(mod.cover)}" alt="" width="480" loading="lazy">'
    preview = "" if mod.cover is None else f'<meta property="og:image" content="{escape(mod.cover)}">'
    robots = '<meta name="robots" content="noindex">' if mod.private or not mod.available else ""
    parts = [_notice(complaint.detail, "alert")] if complaint is not None else []
    if not mod.available:
        parts.append(_notice("Its repository is not to be found on GitHub at the moment."))
    if not mod.compatible:
        parts.append(_notice("Some of its files can't be loaded; it opens without them."))
    if mod.private:
        parts.append(_notice("Private: only its owner sees this page."))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name} · DiceyTable</title>
<meta name="description" content="{summary}">
<meta property="og:title" content="{name}">
<meta property="og:description" content="{summary}">
<meta property="og:url" content="{escape(address)}">
{preview}{robots}
<link rel="canonical" href="{escape(address)}">
{head_links}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/">DiceyTable</a></header>
<main id="main" tabindex="-1">
<article class="narrow">
{"".join(parts)}
<h1>{name}</h1>
{cover}
<p class="tagline">{summary}</p>
<p class="meta">{_facts(mod)}</p>
<p class="actions"><a class="button primary" href="{opening}">Open</a>
<a href="https://github.com/{quote(mod.owner)}/{quote(mod.repo)}" rel="external">Its repository</a>
<button type="button" class="button" data-copy="{escape(address)}" data-done="The link is on the clipboard." \
data-failed="Your browser did not let the page copy it. The link is" hidden>Copy link</button>
<span class="small quiet" role="status"></span></p>
{_controls(mod, controlled_by)}
</article>
</main>
</body>
</html>
"""


def _facts(mod: ModRecord) -> str:
    facts = [_SHELVES[mod.kind], f"by {mod.owner}"]
    if mod.players is not None:
        few, many = mod.players.min, mod.players.max
        facts.append(f"{few} players" if few == many else f"{few} to {many} players")
    if mod.release:
        facts.append(f"version {mod.release}")
    if mod.rating.average is not None:
        facts.append(f"{mod.rating.average} of 5 stars ({mod.rating.count})")
    if mod.license:
        facts.append(mod.license)
    return escape(" · ".join(facts))


def _controls(mod: ModRecord, controlled_by: Account | None) -> str:
    if controlled_by is None:
        return ""
    here = f"/games/{mod.slug}"
    wanted, word = ("public", "Make it public") if mod.private else ("private", "Make it private")
    allowed = mod.private or controlled_by.member or controlled_by.admin
    why = "" if allowed else '<p class="small quiet">Private mods are for paying members.</p>'
    return f"""<section class="panel" aria-labelledby="yours">
<h2 id="yours">Yours to decide</h2>
<form method="post" action="{here}"><button class="button" name="action" value="{wanted}"\
{"" if allowed else " disabled"}>{word}</button>{why}</form>
<form method="post" action="{here}">
<p><label><input type="checkbox" name="sure" value="yes" required> Take it off DiceyTable. \
The repository stays as it is, and registering it again brings this mod back.</label></p>
<button class="button" name="action" value="delete">Delete</button></form>
</section>"""


def _notice(text: str, role: str = "note") -> str:
    return f'<p class="notice" role="{role}">{escape(text)}</p>'
