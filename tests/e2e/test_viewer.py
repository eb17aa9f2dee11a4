"""Models, textures, cards, data and sounds are shown, and what shows them is fetched only then, under the page's own
policy, and given back after."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any, Final

import pytest
from PIL import Image
from playwright.sync_api import Request
from selenium.webdriver.common.by import By

from tests.browsers import Browser, Chromium, Firefox, need
from tests.e2e.player import Player
from tests.e2e.site import Site
from tests.e2e.states import SCHEMES, violations
from tests.e2e.test_looks import PICTURES, WIDTHS
from tests.mods import models
from tests.viewed import (
    BLUE,
    GREEN,
    MODELS,
    RED,
    WHITE,
    Rgb,
    basis,
    cube,
    gltf,
    hdr,
    metal,
    plain_ktx2,
    png,
    quad_buffer,
    textured,
)  # fmt: skip

# Without a graphics card Chromium draws WebGL by software only when told that it may.
SOFTWARE: Final = ("--enable-unsafe-swiftshader",)
VIEWER: Final = re.compile(r"/assets/(three\.|GLTFLoader|model|texture-|geometry-|basis|draco)")


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def drawing(request: pytest.FixtureRequest) -> Iterator[Browser]:
    need(request.param)
    browser: Browser = (
        Chromium(*SOFTWARE) if request.param == "chromium" else Firefox({"webgl.force-enabled": True}, screen=True)
    )
    yield browser
    browser.close()


@pytest.fixture
def viewer(drawing: Browser, site: Site) -> Player:
    drawing.console.clear()
    return Player(drawing, site.base)


def table(player: Player, site: Site, files: Mapping[str, bytes], **manifest: Any) -> None:
    """Open a table of these files."""
    owner = site.mod("viewed", dict.fromkeys(files, 1), **manifest)
    site.commit(owner, "viewed", files)
    site.publish(owner, "viewed")
    player.open(f"{owner}/viewed")
    player.do("""
        const {dataset} = document.documentElement;
        dataset.refusals = "";
        document.addEventListener("securitypolicyviolation", ({effectiveDirective, blockedURI}) =>
            dataset.refusals += `${effectiveDirective} ${blockedURI}; `);
    """)


def look_at(player: Player, path: str) -> None:
    player.press(f'[data-path="{path}"] button')


def shown(player: Player, path: str, element: str) -> Image.Image:
    """Open a file and answer the pixels of the canvas it is drawn on, as the window shows them."""
    look_at(player, path)
    player.until(
        "const {look} = document.querySelector(given[0])?.dataset ?? {}; return look && look !== 'loading' && look",
        element,
    )
    assert player.do("return document.querySelector(given[0]).dataset.look", element) == "shown", player.words(element)
    return seen(player, f"{element} canvas")


def seen(player: Player, selector: str) -> Image.Image:
    browser = player.browser
    if isinstance(browser, Chromium):
        data = browser.page.locator(selector).screenshot()
    else:
        assert isinstance(browser, Firefox)
        data = browser.driver.find_element(By.CSS_SELECTOR, selector).screenshot_as_png
    return Image.open(BytesIO(data)).convert("RGB")


def close(player: Player) -> None:
    player.do("document.querySelector('#viewer').close()")
    player.until("return document.querySelector('#viewer > *') === null")


def press(player: Player, key: str) -> None:
    """A key of the keyboard, for what has the focus."""
    player.do(
        """
        const how = {key: given[0], bubbles: true, cancelable: true};
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", how));
        """,
        key,
    )


def focused(player: Player) -> str:
    """The text of what has the focus, also before the browser has laid it out."""
    return str(player.do("return document.activeElement.textContent"))


def share(picture: Image.Image, like: Callable[[Rgb], bool]) -> float:
    data = picture.tobytes()
    pixels = zip(data[::3], data[1::3], data[2::3], strict=True)
    return sum(map(like, pixels)) / (picture.width * picture.height)


def is_red(pixel: Rgb) -> bool:
    return pixel[0] > 90 and pixel[0] > 2 * pixel[1] and pixel[0] > 2 * pixel[2]


def is_green(pixel: Rgb) -> bool:
    return pixel[1] > 90 and pixel[1] > 2 * pixel[0] and pixel[1] > 2 * pixel[2]


def no_refusal(player: Player) -> None:
    """The page's policy had nothing to refuse, in page and workers."""
    assert player.do("return document.documentElement.dataset.refusals") == ""
    assert [
        line
        for line in player.browser.console
        if "Content Security Policy" in line or "Content-Security-Policy" in line
    ] == []


MODEL_FILES: Final[dict[str, bytes]] = {
    "plain.glb": cube(),
    "draco.glb": (MODELS / "draco.glb").read_bytes(),
    "meshopt.web.glb": (MODELS / "meshopt.glb").read_bytes(),
    "png.glb": textured(png(8, 8, RED), "image/png"),
    "basis.glb": textured(basis(2, [RED] * 4), "image/ktx2"),
    "metal.glb": metal(),
    "etc1s.glb": textured((MODELS / "etc1s.ktx2").read_bytes(), "image/ktx2"),
    "inside.gltf": gltf("data:image/png;base64,"
                        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
    "models/outside.gltf": gltf("../textures/a red.png", "square.bin"),
    "models/square.bin": quad_buffer(),
    "textures/a red.png": png(4, 4, RED),
}  # fmt: skip


def test_models_packed_in_every_way_are_drawn_under_the_page_s_own_policy(viewer: Player, site: Site) -> None:
    table(viewer, site, MODEL_FILES)
    for path in MODEL_FILES:
        if path.endswith((".glb", ".gltf")):
            picture = shown(viewer, path, "model-view")
            # Of the picture in ETC1S a quarter is red, of all others everything.
            assert share(picture, is_red) > (0.02 if path == "etc1s.glb" else 0.1), path
            assert "could not be read" not in viewer.words("model-view"), path
    assert "triangles" in viewer.words("model-view")
    no_refusal(viewer)


def test_a_model_that_names_files_elsewhere_gets_none_of_them(viewer: Player, site: Site) -> None:
    files = {
        "greedy.gltf": gltf("https://elsewhere.example/picture.png"),
        "lost.gltf": gltf("a.png", "https://elsewhere.example/b.bin"),
    }
    table(viewer, site, files)
    shown(viewer, "greedy.gltf", "model-view")
    assert "1 texture could not be read" in viewer.words("model-view")
    look_at(viewer, "lost.gltf")
    viewer.until("return document.querySelector('model-view')?.dataset.look === 'broken'")
    no_refusal(viewer)


TEXTURES: Final[dict[str, tuple[bytes, str]]] = {
    "basis.ktx2": (basis(2, [RED, GREEN, BLUE, WHITE]), "8 \u00d7 8 pixels · Basis UASTC"),
    "basis-zstd.ktx2": (
        basis(2, [RED, GREEN, BLUE, WHITE], zstandard=True),
        "8 \u00d7 8 pixels · Basis UASTC, Zstandard",
    ),
    "etc1s.ktx2": ((MODELS / "etc1s.ktx2").read_bytes(), "16 \u00d7 16 pixels · Basis ETC1S, BasisLZ · 5 mip levels"),
    "plain.ktx2": (
        models.ktx2(8, lambda x, y: (RED, GREEN, BLUE, WHITE)[x // 4 + 2 * (y // 4)]),
        "8 \u00d7 8 pixels · RGBA8 sRGB",
    ),
}


@pytest.mark.parametrize("path", TEXTURES)
def test_the_pixels_of_a_ktx2_texture_are_drawn(viewer: Player, site: Site, path: str) -> None:
    table(viewer, site, {path: TEXTURES[path][0]})
    look_at(viewer, path)
    # ETC1S keeps colours nearly, all else exactly.
    for seen_there, painted in zip(corners(viewer), [RED, GREEN, BLUE, WHITE], strict=True):
        assert seen_there == pytest.approx(painted, abs=4 if path.startswith("etc1s") else 0)
    assert TEXTURES[path][1] in viewer.words("texture-view")
    no_refusal(viewer)


LIGHT: Final = [(0.0, 0.0, 0.0), (0.25, 0.25, 0.25), (1.0, 0.0, 0.0), (40.0, 40.0, 40.0)]
LIGHTS: Final = [colour for colour in LIGHT for _ in range(4)]
LIGHT_FILES: Final = {
    "flat.hdr": hdr(8, [*LIGHTS[:8], *LIGHTS[8:]]),
    "runs.hdr": hdr(8, [*LIGHTS[:8], *LIGHTS[8:]], packed=True),
    "half.ktx2": plain_ktx2(8, [(*colour, 1.0) for colour in LIGHTS]),
    "half-zstd.ktx2": plain_ktx2(8, [(*colour, 1.0) for colour in LIGHTS], zstandard=True),
}


def test_light_brighter_than_white_is_drawn_as_a_screen_can(viewer: Player, site: Site) -> None:
    table(viewer, site, LIGHT_FILES)
    for path in LIGHT_FILES:
        look_at(viewer, path)
        viewer.until("return document.querySelector('#viewer-heading')?.textContent === given[0]", path)
        black, grey, red, sun = corners(viewer)
        assert black == (0, 0, 0), path
        assert grey[0] == grey[1] == grey[2] == 165, path
        assert (red[1], red[2]) == (0, 0), path
        assert 225 < red[0] < 235, path
        assert sun == (255, 255, 255), path
    no_refusal(viewer)


def corners(player: Player) -> list[Rgb]:
    """The pixels nearest the corners of the texture on the canvas, row by row."""
    player.until("return document.querySelector('texture-view')?.dataset.look === 'shown'")
    pixels = player.do("""
        const canvas = document.querySelector("texture-view canvas");
        const {width, height} = canvas;
        const at = (x, y) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3);
        return [at(0, 0), at(width - 1, 0), at(0, height - 1), at(width - 1, height - 1)];
    """)
    return [(red, green, blue) for red, green, blue in pixels]


def test_what_can_not_be_shown_says_so(viewer: Player, site: Site) -> None:
    whole = cube()
    files = {
        "cut.glb": whole[: len(whole) // 2],
        "none.glb": b"no model",
        "empty.gltf": b'{"asset": {"version": "2.0"}, "scenes": [{}]}',
        "cut.ktx2": basis(2, [RED] * 4)[:-20], "none.hdr": b"#?RADIANCE", "cut.hdr": LIGHT_FILES["flat.hdr"][:-9],
        "hardware.ktx2": basis(2, [RED] * 4).replace(b"\x00\x00\x00\x00", b"\x91\x00\x00\x00", 1),
    }  # fmt: skip
    table(viewer, site, files)
    for path in files:
        element = "texture-view" if path.endswith(("ktx2", "hdr")) else "model-view"
        look_at(viewer, path)
        viewer.until("return document.querySelector('#viewer-heading')?.textContent === given[0]", path)
        viewer.until(
            "const {look} = document.querySelector(given[0])?.dataset ?? {}; return look && look !== 'loading'", element
        )
        look = viewer.do("return document.querySelector(given[0]).dataset.look", element)
        assert look == ("unshowable" if path == "hardware.ktx2" else "broken"), path
    no_refusal(viewer)


def outlook(player: Player) -> dict[str, float]:
    """Where the viewer stands, as ``ModelView.outlook``."""
    values: dict[str, float] = player.do("return document.querySelector('model-view').view.outlook")
    return values


MOVED: Final = """
    const now = document.querySelector("model-view").view.outlook;
    return Math.abs(now[given[0]] - given[1]) > given[2];
"""


def test_a_model_is_turned_and_brought_near_by_keyboard_and_by_buttons(viewer: Player, site: Site) -> None:
    table(viewer, site, {"a.glb": cube(), "b.glb": cube(GREEN)})
    shown(viewer, "a.glb", "model-view")
    viewer.do("document.querySelector('model-view canvas').focus()")
    first = outlook(viewer)
    for key, there in [("ArrowLeft", "round"), ("ArrowUp", "above"), ("+", "distance")]:
        before = outlook(viewer)[there]
        press(viewer, key)
        viewer.until(MOVED, there, before, 0.05)
    # They were for the model, not for going to the next file.
    assert viewer.words("#viewer-heading") == "a.glb"
    press(viewer, "Home")
    viewer.until(f"return !(() => {{ {MOVED} }})()", "distance", first["distance"], 0.01)
    buttons = ["round", "round", "above", "above", "distance", "distance"]
    for number, there in enumerate(buttons):
        before = outlook(viewer)[there]
        viewer.do("document.querySelectorAll('.model-controls button')[given[0]].click()", number)
        viewer.until(MOVED, there, before, 0.05)
    viewer.do("document.querySelectorAll('.model-controls button')[6].click()")
    viewer.until(f"return !(() => {{ {MOVED} }})()", "distance", first["distance"], 0.01)


def test_closing_gives_everything_back(viewer: Player, site: Site) -> None:
    table(viewer, site, {"a.glb": textured(basis(2, [GREEN] * 4), "image/ktx2")})
    for turn in range(20):
        look_at(viewer, "a.glb")
        viewer.until("return document.querySelector('model-view')?.dataset.look === 'shown'")
        is_lost = viewer.do("""
            const context = document.querySelector("model-view canvas").getContext("webgl2");
            if (context.isContextLost()) return "before";
            document.querySelector("#viewer").close();
            while (document.querySelector("model-view")) await new Promise(resolve => setTimeout(resolve, 5));
            return context.isContextLost();
        """)
        assert is_lost is True, turn
    assert viewer.do("return document.querySelectorAll('canvas').length") == 0
    assert share(shown(viewer, "a.glb", "model-view"), is_green) > 0.1
    assert [line for line in viewer.browser.console if "context" in line.lower()] == []


@pytest.fixture(scope="module")
def one_software_chromium() -> Iterator[Chromium]:
    browser = Chromium(*SOFTWARE)
    yield browser
    browser.close()


@pytest.fixture
def chromium_viewer(one_software_chromium: Chromium, site: Site) -> Player:
    one_software_chromium.console.clear()
    return Player(one_software_chromium, site.base)


def test_nothing_of_a_viewer_is_fetched_before_it_is_needed_and_then_it_is_kept(site: Site) -> None:
    requested: list[str] = []

    def note(request: Request) -> None:
        requested.append(request.url)

    browser = Chromium(*SOFTWARE)
    try:
        browser.context.on("request", note)
        player = Player(browser, site.base)
        files = {"a.glb": cube(), "picture.png": png(8, 8, RED), "data.json": b"{}"}
        table(player, site, files)
        look_at(player, "picture.png")
        player.until("return document.querySelector('#viewer img') !== null")
        # The service worker has kept the page by now, and no viewer.
        player.until("return (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'")
        assert [url for url in requested if VIEWER.search(url)] == []
        kept = """
            const caches_ = await Promise.all((await caches.keys()).map(name => caches.open(name)));
            const requests = (await Promise.all(caches_.map(cache => cache.keys()))).flat();
            return requests.map(({url}) => url).filter(url => url.includes(given[0]));
        """
        before = player.do(kept, "/assets/")
        assert any("/assets/asset-viewer." in url for url in before)
        assert [url for url in before if VIEWER.search(url)] == []
        browser.page.reload()
        player.wait_open()
        shown(player, "a.glb", "model-view")
        assert any("/assets/three.core." in url for url in requested)
        assert [url for url in requested if re.search(r"/assets/(basis|draco|texture-|geometry-)", url)] == []
        player.until(
            f"const found = await (async () => {{ {kept} }})(); return found.length > 0", "/assets/three.core."
        )
    finally:
        browser.close()


def test_a_browser_without_webgl_says_so_and_shows_textures_all_the_same(site: Site) -> None:
    browser = Chromium("--disable-3d-apis")
    try:
        player = Player(browser, site.base)
        table(player, site, {"a.glb": cube(), "b.ktx2": basis(2, [RED, GREEN, BLUE, WHITE])})
        look_at(player, "a.glb")
        player.until("return document.querySelector('model-view')?.dataset.look === 'no-graphics'")
        assert "WebGL" in player.words("model-view")
        look_at(player, "b.ktx2")
        assert corners(player) == [RED, GREEN, BLUE, WHITE]
        no_refusal(player)
    finally:
        browser.close()


SHEET: Final = (20, 25)


def sheet_of(columns: int, rows: int) -> bytes:
    """Cards of 8 by 12 pixels, the first red, the second green, the others blue, each darker to its right edge."""
    picture = Image.new("RGB", (8 * columns, 12 * rows), BLUE)
    picture.paste(RED, (0, 0, 8, 12))
    picture.paste(GREEN, (8, 0, 16, 12))
    out = BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def deck_files(columns: int, rows: int) -> dict[str, bytes]:
    face = {"texturePath": "cards/sheet.png", "columns": columns, "rows": rows, "cardCount": columns * rows}
    back = {"kind": "single", "texturePath": "cards/back.png"}
    cards = [
        {"cardId": f"c{index}", "label": f"Number {index + 1}", "faceIndex": index, "count": 2}
        for index in range(columns * rows)
    ]
    deck = {
        "id": "d",
        "kind": "deck",
        "label": "Big deck",
        "metadata": {"customDeck": {"face": face, "back": back, "cards": cards}},
    }
    return {
        "cards/sheet.png": sheet_of(columns, rows),
        "cards/back.png": png(8, 12, WHITE),
        "setup.json": json.dumps({"objects": [deck]}).encode(),
    }  # fmt: skip


def test_a_deck_of_five_hundred_cards_is_looked_through_by_keyboard(viewer: Player, site: Site) -> None:
    table(viewer, site, deck_files(*SHEET))
    viewer.press("[data-testid=deck] button")
    viewer.until("return document.querySelectorAll('.deck-cards [role=option]').length === 500")
    viewer.until("return getComputedStyle(document.querySelector('.deck-chosen card-face')).backgroundImage !== 'none'")
    assert "Big deck" in viewer.words("#viewer-heading")
    assert "500 kinds, 1,000 cards" in viewer.words("#viewer footer")
    assert share(seen(viewer, ".deck-chosen card-face"), is_red) > 0.9
    assert "Number 1" in viewer.words(".deck-chosen")
    assert "1 of 500 · 2 copies" in viewer.words(".deck-chosen")
    viewer.do("document.querySelector('.deck-cards [tabindex=\"0\"]').focus()")
    press(viewer, "ArrowRight")
    assert "Number 2" in viewer.words(".deck-chosen")
    assert share(seen(viewer, ".deck-chosen card-face"), is_green) > 0.9
    press(viewer, "End")
    assert "500 of 500" in viewer.words(".deck-chosen")
    assert viewer.do("return document.activeElement.getAttribute('aria-label')") == "Number 500, 2 copies"
    press(viewer, " ")
    assert share(seen(viewer, ".deck-chosen card-face"), lambda pixel: min(pixel) > 240) > 0.9
    press(viewer, "Home")
    assert "1 of 500" in viewer.words(".deck-chosen")
    assert viewer.words("#viewer-heading") == "Big deck"
    no_refusal(viewer)


def test_a_sheet_opens_as_its_cards_and_as_the_one_picture_it_is(viewer: Player, site: Site) -> None:
    table(viewer, site, deck_files(3, 2))
    look_at(viewer, "cards/sheet.png")
    viewer.until("return document.querySelectorAll('.deck-cards [role=option]').length === 6")
    viewer.press("#viewer footer button:last-of-type")
    viewer.until("return document.querySelector('#viewer img')?.naturalWidth === 24")
    look_at(viewer, "cards/back.png")
    viewer.until("return document.querySelector('#viewer img')?.naturalWidth === 8")


CATALOGUE: Final = json.dumps(
    {
        "version": 1,
        "cards": [
            {"data": {"id": f"card-{number}", "name": "Lantern " * 30, "cost": number}} for number in range(24_000)
        ],
    }
).encode()


def test_a_catalogue_of_megabytes_in_one_line_is_unfolded_in_portions(viewer: Player, site: Site) -> None:
    assert len(CATALOGUE) > 6_800_000
    table(
        viewer,
        site,
        {"data/cards.json": CATALOGUE, "odd.json": b"{not json", "plain.json": b'{"a": [1, true, null, "x"], "b": {}}'},
    )
    look_at(viewer, "data/cards.json")
    viewer.until("return document.querySelector('[role=tree]') !== null")
    assert viewer.do("return document.querySelectorAll('[role=treeitem]').length") < 210
    words = viewer.do("return document.querySelector('[role=tree]').textContent")
    assert "24,000 items" in words
    assert "Show more, 23," in words
    viewer.do("document.querySelector('[role=tree] [tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        press(viewer, key)
    assert "0:" in focused(viewer)
    press(viewer, "ArrowRight")
    assert "data: 3 keys" in focused(viewer)
    press(viewer, "ArrowRight")
    viewer.until("return document.activeElement.nextElementSibling.innerText.includes('card-0')")
    press(viewer, "ArrowRight")
    assert "card-0" in focused(viewer)
    press(viewer, "ArrowLeft")
    press(viewer, "ArrowLeft")
    assert viewer.do("return document.activeElement.getAttribute('aria-expanded')") == "false"
    press(viewer, "ArrowLeft")
    assert "0:" in focused(viewer)
    assert viewer.words("#viewer-heading") == "cards.json"
    rows = viewer.do("return document.querySelectorAll('[role=treeitem]').length")
    press(viewer, "End")
    assert "Show more" in focused(viewer)
    press(viewer, "Enter")
    viewer.until("return document.querySelectorAll('[role=treeitem]').length === given[0] + 200", rows)
    assert "1 key" in focused(viewer)

    look_at(viewer, "odd.json")
    viewer.until("return document.querySelector('json-tree pre')?.textContent === '{not json'")
    look_at(viewer, "plain.json")
    viewer.until("return document.querySelectorAll('[role=treeitem]').length === 7")
    assert '"x"' in viewer.do("return document.querySelector('[role=tree]').textContent")
    no_refusal(viewer)


def test_a_sound_is_played(viewer: Player, site: Site) -> None:
    table(viewer, site, {"bell.wav": models.bell([880.0], 0.3)})
    look_at(viewer, "bell.wav")
    viewer.until("return document.querySelector('#viewer audio') !== null")
    length = viewer.do("""
        const audio = document.querySelector("#viewer audio");
        audio.muted = true;
        const ended = new Promise(resolve => audio.addEventListener("ended", resolve));
        await audio.play();
        await ended;
        return audio.currentTime;
    """)
    assert length == pytest.approx(0.3, abs=0.05)
    no_refusal(viewer)


SCENES: Final[dict[str, tuple[str, str]]] = {
    "model": ('[data-path="a.glb"] button', "return document.querySelector('model-view')?.dataset.look === 'shown'"),
    "texture": (
        '[data-path="sky.hdr"] button',
        "return document.querySelector('texture-view')?.dataset.look === 'shown'",
    ),
    "deck": ("[data-testid=deck] button", "return document.querySelectorAll('[role=option]').length === 20"),
    "json": ('[data-path="setup.json"] button', "return document.querySelector('[role=tree]') !== null"),
    "broken": (
        '[data-path="cut.glb"] button',
        "return document.querySelector('model-view')?.dataset.look === 'broken'",
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_each_viewer_is_accessible_and_fits_every_width(chromium_viewer: Player, site: Site, scene: str) -> None:
    browser = chromium_viewer.browser
    assert isinstance(browser, Chromium)
    files = {"a.glb": models.lighthouse(), "cut.glb": cube()[:300], "sky.hdr": models.sky(256, 128), **deck_files(5, 4)}
    table(chromium_viewer, site, files)
    button, ready = SCENES[scene]
    chromium_viewer.press(button)
    chromium_viewer.until(ready)
    assert violations(browser) == []
    PICTURES.mkdir(parents=True, exist_ok=True)
    try:
        for width in WIDTHS:
            browser.resize(width, 900)
            for scheme in SCHEMES:
                browser.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                beyond = chromium_viewer.do("""
                    const {scrollWidth, clientWidth} = document.querySelector(".viewer-body");
                    return scrollWidth - clientWidth;
                """)
                assert beyond <= 0, f"{width} {scheme}"
                browser.page.screenshot(path=PICTURES / f"viewer-{scene}-{width}-{scheme}.png")
    finally:
        browser.resize(1280, 800)
        browser.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    no_refusal(chromium_viewer)
