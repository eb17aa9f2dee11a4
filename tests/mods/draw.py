"""Draw the art of the sample mods: ``python -m tests.mods.draw``.

Pictures are painted by Pillow at twice their size and scaled down; models, sounds and raw textures come from
:mod:`tests.mods.models`. The output is committed, so nobody who only runs the project needs Pillow. The same Pillow
draws the same bytes: nothing here is random.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from tests.mods import models

MODS: Final = Path(__file__).parent
SAMPLES: Final = MODS / "tablewright-samples"
TOURNAMENT: Final = MODS / "Lantern-Guild" / "tidewater-tournament"

Point: TypeAlias = tuple[float, float]
Paint: TypeAlias = str | tuple[int, int, int] | tuple[int, int, int, int]

CREAM: Final = "#fbf3e0"
INK: Final = "#1d2b3a"
SUITS: Final[dict[str, tuple[str, str]]] = {
    "tide": ("#1f7a8c", "#bfe3e6"),
    "anchor": ("#2f3e75", "#cdd4ef"),
    "fish": ("#d8663f", "#fbdcc8"),
    "star": ("#b8892b", "#f8e9bf"),
}


class Canvas:
    """A picture being painted at twice its size, in the units of the finished one."""

    SCALE: Final = 2

    def __init__(self, width: int, height: int, stops: Sequence[Paint] = ("#00000000",)) -> None:
        self.width, self.height = width, height
        strip = Image.new("RGBA", (1, len(stops)))
        for row, stop in enumerate(stops):
            strip.putpixel((0, row), _rgba(stop))
        size = (width * self.SCALE, height * self.SCALE)
        self.image = strip.resize(size, Image.Resampling.BILINEAR) if len(stops) > 1 else strip.resize(size)

    def polygon(self, points: Sequence[Point], fill: Paint) -> None:
        with self._layer(fill) as pen:
            pen.polygon(self._scaled(points), fill=_rgba(fill))

    def ellipse(
        self, centre: Point, radii: Point, fill: Paint | None = None, line: Paint | None = None, width: float = 1
    ) -> None:
        box = [(centre[0] - radii[0], centre[1] - radii[1]), (centre[0] + radii[0], centre[1] + radii[1])]
        with self._layer(fill or line or CREAM) as pen:
            pen.ellipse(
                self._scaled(box),
                fill=_rgba(fill) if fill else None,
                outline=_rgba(line) if line else None,
                width=round(width * self.SCALE),
            )

    def arc(self, centre: Point, radius: float, span: tuple[float, float], line: Paint, width: float) -> None:
        """Draw part of a circle; the span is in degrees, clockwise from three o'clock."""
        box = [(centre[0] - radius, centre[1] - radius), (centre[0] + radius, centre[1] + radius)]
        with self._layer(line) as pen:
            pen.arc(self._scaled(box), *span, fill=_rgba(line), width=round(width * self.SCALE))

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: Paint | None = None,
        *,
        radius: float = 0,
        line: Paint | None = None,
        width: float = 1,
    ) -> None:
        with self._layer(fill or line or CREAM) as pen:
            pen.rounded_rectangle(
                self._scaled([(left, top), (right, bottom)]),
                radius * self.SCALE,
                fill=_rgba(fill) if fill else None,
                outline=_rgba(line) if line else None,
                width=round(width * self.SCALE),
            )

    def line(self, points: Sequence[Point], line: Paint, width: float) -> None:
        with self._layer(line) as pen:
            pen.line(self._scaled(points), fill=_rgba(line), width=round(width * self.SCALE), joint="curve")

    def text(
        self,
        at: Point,
        words: str,
        size: float,
        fill: Paint,
        *,
        anchor: str = "mm",
        weight: float = 0,
        spacing: float = 0,
    ) -> None:
        """Write one line; ``weight`` thickens the strokes, ``spacing`` parts the letters (both in pixels)."""
        font = ImageFont.load_default(round(size * self.SCALE))
        stroke = round(weight * self.SCALE)
        ink = ImageDraw.Draw(self.image)
        if not spacing:
            ink.text(self._scaled([at])[0], words, fill=_rgba(fill), font=font, anchor=anchor, stroke_width=stroke)
            return
        widths = [font.getlength(letter) + spacing * self.SCALE for letter in words]
        x = at[0] * self.SCALE - (sum(widths) - spacing * self.SCALE) / 2
        for letter, advance in zip(words, widths, strict=True):
            ink.text((x, at[1] * self.SCALE), letter, fill=_rgba(fill), font=font, anchor="lm", stroke_width=stroke)
            x += advance

    def glow(self, centre: Point, radius: float, colour: Paint, strength: float = 1) -> None:
        """Add light that fades from the centre to the radius."""
        side = round(2 * radius * self.SCALE)
        fade = ImageChops.invert(Image.radial_gradient("L")).resize((side, side), Image.Resampling.BILINEAR)
        # The gradient is 0 at the corners of its square: bring the zero in to the circle.
        fade = fade.point([max(0, round((value - 75) / 180 * 255 * strength)) for value in range(256)])
        light = Image.new("RGBA", (side, side), _rgba(colour))
        light.putalpha(fade)
        corner = ((centre[0] - radius) * self.SCALE, (centre[1] - radius) * self.SCALE)
        layer = Image.new("RGBA", self.image.size)
        layer.paste(light, (round(corner[0]), round(corner[1])))
        self.image.alpha_composite(layer)

    def paste(self, picture: Image.Image, centre: Point, width: float, turn: float = 0, shadow: float = 0) -> None:
        """Lay a picture down, scaled to ``width`` and turned by degrees, with a soft shadow ``shadow`` pixels wide."""
        size = (round(width * self.SCALE), round(width * self.SCALE * picture.height / picture.width))
        laid = picture.convert("RGBA").resize(size, Image.Resampling.LANCZOS)
        laid = laid.rotate(turn, Image.Resampling.BICUBIC, expand=True)
        corner = (round(centre[0] * self.SCALE - laid.width / 2), round(centre[1] * self.SCALE - laid.height / 2))
        if shadow:
            dark = Image.new("RGBA", self.image.size)
            black = Image.new("RGBA", laid.size, (10, 8, 12, 150))
            offset = round(shadow * self.SCALE * 0.6)
            dark.paste(black, (corner[0] + offset // 2, corner[1] + offset), laid.getchannel("A"))
            self.image.alpha_composite(dark.filter(ImageFilter.GaussianBlur(shadow * self.SCALE / 2)))
        layer = Image.new("RGBA", self.image.size)
        layer.paste(laid, corner, laid)
        self.image.alpha_composite(layer)

    def grain(self, strength: int) -> None:
        """Break up flat areas a little, as paper does."""
        noise = hashlib.shake_128(b"grain").digest(128 * 128)
        tile = Image.frombytes("L", (128, 128), noise).resize((256, 256), Image.Resampling.BILINEAR)
        sheet = Image.new("L", self.image.size)
        for x in range(0, sheet.width, 256):
            for y in range(0, sheet.height, 256):
                sheet.paste(tile, (x, y))
        alpha = sheet.point([value * strength // 255 for value in range(256)])
        dark = Image.new("RGBA", self.image.size, (60, 40, 20, 255))
        dark.putalpha(alpha)
        alpha_before = self.image.getchannel("A")
        self.image.alpha_composite(dark)
        self.image.putalpha(alpha_before)

    def finished(self) -> Image.Image:
        return self.image.resize((self.width, self.height), Image.Resampling.LANCZOS)

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        return [(x * self.SCALE, y * self.SCALE) for x, y in points]

    def _layer(self, paint: Paint) -> _Layer:
        return _Layer(self.image, opaque=_rgba(paint)[3] == 255)


class _Layer:
    """Pillow's pen replaces pixels; a paint one can see through needs a layer of its own."""

    def __init__(self, image: Image.Image, *, opaque: bool) -> None:
        self._image = image
        self._layer = image if opaque else Image.new("RGBA", image.size)

    def __enter__(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self._layer)

    def __exit__(self, *_: object) -> None:
        if self._layer is not self._image:
            self._image.alpha_composite(self._layer)


def _rgba(paint: Paint) -> tuple[int, int, int, int]:
    if isinstance(paint, str):
        digits = paint.lstrip("#").ljust(8, "f")
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16), int(digits[6:8], 16)
    red, green, blue, *rest = paint
    return red, green, blue, rest[0] if rest else 255


def _shifts(seed: str, count: int) -> list[float]:
    """``count`` numbers from -1 to 1 that look random and never change."""
    return [byte / 127.5 - 1 for byte in hashlib.shake_128(seed.encode()).digest(count)]


def _wave(width: float, base: float, height: float, length: float, phase: float) -> list[Point]:
    return [(x, base - height * math.sin(2 * math.pi * (x / length + phase))) for x in range(-4, int(width) + 12, 8)]


def _sea(art: Canvas, top: float, colours: Sequence[Paint], height: float = 7) -> None:
    """Rows of waves from ``top`` to the lower edge, each nearer and higher than the one behind."""
    for row, colour in enumerate(colours):
        share = row / len(colours)
        base = top + (art.height - top) * share**1.25
        crest = _wave(art.width, base, height * (0.25 + share), 120 + 190 * share, 0.37 * row)
        art.polygon([*crest, (art.width + 20, art.height), (-20, art.height)], colour)
        art.line(crest, "#ffffff2c", 1 + 2 * share)


def _blob(centre: Point, radii: Point, seed: str, roughness: float = 0.16) -> list[Point]:
    shifts = _shifts(seed, 10)
    outline = []
    for step in range(90):
        turn = 2 * math.pi * step / 90
        bulge = sum(math.sin(turn * (n + 2) + 3 * shifts[n]) * shifts[n + 5] / (n + 2) for n in range(4))
        reach = 1 + roughness * 2 * bulge
        outline.append((centre[0] + radii[0] * reach * math.cos(turn), centre[1] + radii[1] * reach * math.sin(turn)))
    return outline


def _scales(art: Canvas, radius: float, line: Paint, width: float, box: tuple[float, float, float, float]) -> None:
    """The wave pattern of overlapping arcs, inside a box."""
    tile = Canvas(art.width, art.height)
    row = 0
    y = box[1]
    while y < box[3] + radius:
        x = box[0] + (row % 2) * radius - radius
        while x < box[2] + 2 * radius:
            for ring in (1.0, 0.68, 0.36):
                tile.arc((x, y + radius * 0.5), radius * ring, (180, 360), line, width)
            x += 2 * radius
        y += radius * 0.5
        row += 1
    mask = Image.new("L", art.image.size)
    ImageDraw.Draw(mask).rectangle([value * art.SCALE for value in box], fill=255)
    art.image.paste(Image.alpha_composite(art.image, tile.image), (0, 0), mask)


def _ship(art: Canvas, at: Point, size: float, hull: Paint, sail: Paint) -> None:
    x, y = at
    art.polygon(
        [
            (x - size * 0.55, y - size * 0.12),
            (x + size * 0.6, y - size * 0.12),
            (x + size * 0.38, y + size * 0.12),
            (x - size * 0.4, y + size * 0.12),
        ],
        hull,
    )
    art.line([(x, y - size * 0.1), (x, y - size * 1.2)], hull, max(1.0, size * 0.04))
    art.polygon(
        [(x + size * 0.05, y - size * 1.15), (x + size * 0.55, y - size * 0.22), (x + size * 0.05, y - size * 0.22)],
        sail,
    )
    art.polygon(
        [(x - size * 0.05, y - size * 0.95), (x - size * 0.42, y - size * 0.22), (x - size * 0.05, y - size * 0.22)],
        sail,
    )


def _lighthouse(art: Canvas, foot: Point, height: float, *, beam: bool = True) -> None:
    x, y = foot
    lamp = y - height * 0.86
    if beam:
        art.polygon(
            [(x, lamp), (x - height * 5.6, lamp - height * 0.95), (x - height * 5.6, lamp + height * 0.2)], "#fff3c42c"
        )
        art.polygon(
            [(x, lamp), (x + height * 1.6, lamp - height * 0.3), (x + height * 1.6, lamp + height * 0.12)], "#fff3c426"
        )
    art.polygon(
        [
            (x - height * 0.13, y),
            (x + height * 0.13, y),
            (x + height * 0.08, y - height * 0.78),
            (x - height * 0.08, y - height * 0.78),
        ],
        "#f6efe0",
    )
    art.polygon(
        [(x, y), (x + height * 0.13, y), (x + height * 0.08, y - height * 0.78), (x, y - height * 0.78)], "#d9cdbb"
    )
    for low, high in ((0.16, 0.32), (0.48, 0.64)):
        near, far = 0.13 - 0.064 * low, 0.13 - 0.064 * high
        art.polygon(
            [
                (x - height * near, y - height * low),
                (x + height * near, y - height * low),
                (x + height * far, y - height * high),
                (x - height * far, y - height * high),
            ],
            "#c8452f",
        )
    art.box(x - height * 0.11, y - height * 0.8, x + height * 0.11, y - height * 0.77, "#2b2f3a")
    art.box(x - height * 0.06, y - height * 0.93, x + height * 0.06, y - height * 0.8, "#ffe9a3")
    art.polygon(
        [(x - height * 0.085, y - height * 0.92), (x + height * 0.085, y - height * 0.92), (x, y - height)], "#c8452f"
    )
    if beam:
        art.glow((x, lamp), height * 0.5, "#fff1b8", 0.8)


def _title(art: Canvas, at: Point, words: str, size: float, under: str = "") -> None:
    art.text(
        (at[0] + size * 0.04, at[1] + size * 0.06), words, size, "#0b122380", weight=size * 0.035, spacing=size * 0.14
    )
    art.text(at, words, size, CREAM, weight=size * 0.03, spacing=size * 0.14)
    if under:
        art.text((at[0], at[1] + size * 0.86), under, size * 0.27, CREAM, spacing=size * 0.075)


# Tidewater


def harbour(sky: Sequence[Paint], sea: Sequence[Paint], sun: Paint, title: str, under: str) -> Image.Image:
    """The cover: a harbour mouth with a lighthouse, boats and a low sun."""
    art = Canvas(1200, 675, sky)
    art.glow((430, 392), 420, sun, 0.75)
    art.ellipse((430, 392), (74, 74), "#fff2cf")
    for y, left, right, colour in (
        (150, 690, 1010, "#ffffff30"),
        (205, 90, 330, "#ffffff2a"),
        (258, 760, 1130, "#ffffff24"),
    ):
        art.box(left, y, right, y + 16, colour, radius=8)
        art.box(left + 50, y - 14, right - 70, y + 4, colour, radius=9)
    hills = [(x, 398 - 46 * abs(math.sin(x / 170)) - 22 * math.sin(x / 61)) for x in range(640, 1240, 10)]
    art.polygon([(610, 405), *hills, (1220, 405)], "#3a3a6680")
    _sea(art, 398, sea)
    for reach, y in ((66, 414), (50, 430), (74, 448), (38, 466), (54, 486), (26, 506)):
        art.box(430 - reach, y, 430 + reach, y + 5, "#fff0c8a0", radius=2.5)
    cliff = [
        (800, 520),
        (846, 470),
        (880, 462),
        (905, 428),
        (960, 420),
        (1010, 426),
        (1060, 408),
        (1130, 400),
        (1220, 380),
    ]
    art.polygon([*cliff, (1220, 620), (1130, 588), (1010, 574), (900, 548)], "#2a2540")
    art.polygon(
        [*cliff, (1220, 404), (1130, 424), (1060, 431), (1000, 452), (940, 450), (900, 474), (850, 500)], "#4c6b54"
    )
    _lighthouse(art, (985, 430), 190)
    _ship(art, (250, 470), 62, "#3b2433", "#fff7e6")
    _ship(art, (600, 430), 34, "#3b2433", "#ffe3c4")
    _ship(art, (140, 572), 104, "#3b2433", "#fff7e6")
    crest = _wave(1200, 622, 12, 330, 0.2)
    art.polygon([*crest, (1220, 675), (-20, 675)], sea[-1])
    _title(art, (600, 118), title, 92, under)
    art.grain(16)
    return art.finished()


def _icon(art: Canvas, suit: str, at: Point, size: float, colour: Paint | None = None) -> None:
    """A suit's sign inside a circle of radius ``size``."""
    paint = colour or SUITS[suit][0]
    x, y = at
    if suit == "tide":
        for row in (-0.5, 0.05, 0.6):
            crest = [
                (x + size * t / 20, y + size * (row - 0.2 * math.sin(t / 20 * 2 * math.pi))) for t in range(-18, 19)
            ]
            art.line(crest, paint, size * 0.24)
    elif suit == "anchor":
        art.ellipse((x, y - size * 0.7), (size * 0.22, size * 0.22), line=paint, width=size * 0.14)
        art.line([(x, y - size * 0.5), (x, y + size * 0.85)], paint, size * 0.19)
        art.line([(x - size * 0.42, y - size * 0.25), (x + size * 0.42, y - size * 0.25)], paint, size * 0.17)
        art.arc((x, y + size * 0.12), size * 0.78, (12, 168), paint, size * 0.19)
        for side in (-1, 1):
            tip = (x + side * size * 0.86, y + size * 0.02)
            art.polygon(
                [
                    tip,
                    (tip[0] - side * size * 0.36, tip[1] + size * 0.3),
                    (tip[0] + side * size * 0.1, tip[1] + size * 0.44),
                ],
                paint,
            )
    elif suit == "fish":
        art.ellipse((x - size * 0.12, y), (size * 0.72, size * 0.42), paint)
        art.polygon(
            [
                (x + size * 0.4, y),
                (x + size * 0.98, y - size * 0.46),
                (x + size * 0.8, y),
                (x + size * 0.98, y + size * 0.46),
            ],
            paint,
        )
        art.polygon(
            [(x - size * 0.3, y - size * 0.32), (x + size * 0.24, y - size * 0.7), (x + size * 0.26, y - size * 0.26)],
            paint,
        )
        art.ellipse((x - size * 0.5, y - size * 0.1), (size * 0.09, size * 0.09), "#fff8ea")
        art.arc((x - size * 0.5, y), size * 0.34, (-50, 50), "#fff8ea90", size * 0.07)
    else:
        points = []
        for step in range(10):
            reach = size * (0.95 if step % 2 == 0 else 0.42)
            turn = math.radians(step * 36 - 90)
            points.append((x + reach * math.cos(turn), y + reach * math.sin(turn)))
        art.polygon(points, paint)
        art.line([*points, points[0], points[1]], paint, size * 0.14)
        for step in range(0, 10, 2):
            art.line([(x, y), ((x + points[step][0]) / 2, (y + points[step][1]) / 2)], "#fff8ea70", size * 0.08)


_PIPS: Final[dict[int, list[Point]]] = {
    1: [(0, 0)],
    2: [(0, -0.5), (0, 0.5)],
    3: [(0, -0.62), (0, 0), (0, 0.62)],
    4: [(-0.46, -0.5), (0.46, -0.5), (-0.46, 0.5), (0.46, 0.5)],
    5: [(-0.48, -0.58), (0.48, -0.58), (0, 0), (-0.48, 0.58), (0.48, 0.58)],
}


def card(suit: str, rank: int) -> Image.Image:
    """One face of the Tidewater deck, 256 by 384."""
    art = Canvas(256, 384)
    dark, light = SUITS[suit]
    art.box(0, 0, 256, 384, CREAM, radius=20)
    art.box(16, 16, 240, 368, light, radius=12)
    art.box(16, 16, 240, 368, line=dark, radius=12, width=3)
    art.box(23, 23, 233, 361, line=dark + "55", radius=8, width=1.5)
    size = {1: 66, 2: 42, 3: 36, 4: 34, 5: 32}[rank]
    for across, down in _PIPS[rank]:
        _icon(art, suit, (128 + across * 108, 190 + down * 150), size)
    for x, y in ((44, 52), (212, 332)):
        art.ellipse((x, y), (23, 23), dark)
        art.text((x, y), str(rank), 28, CREAM, weight=0.8)
    art.text((128, 344), suit.upper(), 13, dark, weight=0.3, spacing=4)
    return art.finished()


def card_back(dark: Paint = "#16324f", line: Paint = "#5fa8b8") -> Image.Image:
    art = Canvas(256, 384)
    art.box(0, 0, 256, 384, CREAM, radius=20)
    art.box(14, 14, 242, 370, dark, radius=12)
    _scales(art, 24, line, 2, (20, 20, 236, 364))
    art.box(20, 20, 236, 364, line=line, radius=8, width=2)
    art.ellipse((128, 192), (58, 58), dark, line, 3)
    _lighthouse(art, (128, 232), 84, beam=False)
    return art.finished()


def sheet(faces: Sequence[Image.Image], columns: int) -> Image.Image:
    width, height = faces[0].size
    whole = Image.new("RGBA", (width * columns, height * -(-len(faces) // columns)))
    for index, face in enumerate(faces):
        whole.paste(face, (index % columns * width, index // columns * height))
    return whole


PORTS: Final[dict[str, Point]] = {
    "Gull Rock": (212, 236), "Saltmere": (520, 190), "Kelp Bay": (808, 262), "Old Quay": (858, 566),
    "Amber Cove": (640, 800), "Mistral": (306, 768), "Lantern Isle": (500, 500),
}  # fmt: skip
_ROUTES: Final = ("01", "12", "23", "34", "45", "50", "06", "16", "36", "46", "56")


def board() -> Image.Image:
    """A sea chart with seven ports, 1024 square."""
    art = Canvas(1024, 1024, ["#e9d9b4", "#dcc698"])
    art.box(34, 34, 990, 990, "#2f8296", radius=10)
    art.glow((512, 500), 620, "#74c2c4", 0.85)
    _scales(art, 32, "#ffffff16", 2, (40, 40, 984, 984))
    for box, line, width in ((34, "#6b4a2b", 5), (46, "#f4e6c5", 2)):
        art.box(box, box, 1024 - box, 1024 - box, line=line, radius=8, width=width)
    for name, (x, y) in PORTS.items():
        radii = (118, 96) if name == "Lantern Isle" else (96, 72)
        art.polygon(_blob((x, y + 5), (radii[0] + 22, radii[1] + 20), name), "#8fd3d199")
        art.polygon(_blob((x, y), (radii[0], radii[1]), name), "#efdba6")
        art.polygon(_blob((x, y - 4), (radii[0] - 14, radii[1] - 13), name), "#7fa65a")
        art.polygon(_blob((x - 8, y - 12), (radii[0] * 0.55, radii[1] * 0.48), name + "hill"), "#5f8a4b")
        for tree in range(5):
            shift = _shifts(name + str(tree), 2)
            spot = (x + shift[0] * radii[0] * 0.6, y - 20 + shift[1] * radii[1] * 0.4)
            art.polygon([(spot[0] - 8, spot[1] + 8), (spot[0] + 8, spot[1] + 8), (spot[0], spot[1] - 14)], "#3f6b45")
    places = list(PORTS.values())
    for route in _ROUTES:
        (x0, y0), (x1, y1) = places[int(route[0])], places[int(route[1])]
        length = math.hypot(x1 - x0, y1 - y0)
        for step in range(4, int(length / 19) - 3):
            share = step * 19 / length
            bow = 22 * math.sin(math.pi * share)
            x, y = x0 + (x1 - x0) * share + bow * (y0 - y1) / length, y0 + (y1 - y0) * share + bow * (x1 - x0) / length
            art.ellipse((x, y), (4.5, 4.5), "#fdf6e2")
    suits = list(SUITS)
    for index, (name, (x, y)) in enumerate(PORTS.items()):
        art.ellipse((x, y + 3), (37, 37), "#3a2a1a66")
        art.ellipse((x, y), (35, 35), CREAM, "#6b4a2b", 4)
        if name == "Lantern Isle":
            _lighthouse(art, (x, y + 26), 58, beam=False)
        else:
            _icon(art, suits[index % 4], (x, y), 20)
        half = 6 + len(name) * 6.2
        art.box(x - half, y + 44, x + half, y + 68, "#f4e6c5", radius=5, line="#6b4a2b", width=2)
        art.text((x, y + 56), name, 15, INK, weight=0.35)
    _compass(art, (868, 868), 78)
    _ship(art, (690, 400), 40, "#3b2433", CREAM)
    _ship(art, (330, 560), 34, "#3b2433", CREAM)
    _ship(art, (470, 905), 38, "#3b2433", CREAM)
    art.box(70, 892, 352, 956, "#f4e6c5", radius=8, line="#6b4a2b", width=3)
    art.text((211, 924), "TIDEWATER", 32, "#6b4a2b", weight=0.8, spacing=5)
    art.grain(20)
    return art.finished()


def _compass(art: Canvas, at: Point, radius: float) -> None:
    x, y = at
    art.ellipse(at, (radius, radius), "#f4e6c5dd", "#6b4a2b", 3)
    art.ellipse(at, (radius * 0.8, radius * 0.8), line="#6b4a2b", width=1.5)
    for step in range(8):
        reach = radius * (0.92 if step % 2 == 0 else 0.55)
        turn = math.radians(step * 45 - 90)
        tip = (x + reach * math.cos(turn), y + reach * math.sin(turn))
        for side, paint in ((-1, "#c8452f"), (1, "#6b4a2b")):
            edge = turn + side * math.pi / 8
            art.polygon([tip, (x + radius * 0.2 * math.cos(edge), y + radius * 0.2 * math.sin(edge)), at], paint)
    art.text((x, y - radius * 1.18), "N", 24, "#f4e6c5", weight=0.6)


def _wood(width: int, height: int, base: tuple[int, int, int], planks: int, seed: str) -> Canvas:
    """Boards from left to right, with grain."""
    art = Canvas(width, height, [base])
    tall = height / planks
    for plank in range(planks):
        shift = _shifts(f"{seed}{plank}", 40)
        tone = round(shift[0] * 12)
        top = plank * tall
        art.box(0, top, width, top + tall, (base[0] + tone, base[1] + tone, base[2] + tone))
        for line in range(16):
            y = top + tall * (line + 0.5 + 0.4 * shift[line]) / 16
            sway = 2.2 * shift[line + 16]
            points = [
                (x, y + sway * math.sin(2 * math.pi * x / width * 2 + 3 * shift[line])) for x in range(0, width + 8, 8)
            ]
            dark = 26 + round(18 * shift[line + 20])
            art.line(points, (base[0] - dark, base[1] - dark, base[2] - dark, 80), 1.3)
        joint = width * (0.5 + 0.4 * shift[38])
        art.line([(joint, top), (joint, top + tall)], (30, 18, 10, 150), 2)
        art.line([(0, top), (width, top)], (30, 18, 10, 170), 2)
        art.line([(0, top + 1.8), (width, top + 1.8)], (255, 235, 205, 36), 1.4)
    return art


def _die(pips: int, paint: Paint = "#fdf8ec") -> Image.Image:
    art = Canvas(64, 64)
    art.box(3, 3, 61, 61, paint, radius=12, line="#b9ad98", width=1.5)
    spots = {1: [(0, 0)], 4: [(-1, -1), (1, -1), (-1, 1), (1, 1)], 6: [(x, y) for x in (-1, 1) for y in (-1, 0, 1)]}
    for across, down in spots[pips]:
        art.ellipse((32 + across * 15, 32 + down * 15), (5.5, 5.5), INK)
    return art.finished()


def _disc(paint: Paint, rim: Paint) -> Image.Image:
    art = Canvas(64, 64)
    art.ellipse((32, 32), (29, 29), rim)
    art.ellipse((32, 31), (25, 25), paint)
    art.ellipse((32, 31), (15, 15), line=rim, width=2)
    return art.finished()


def table_seen_from_above(chart: Image.Image, faces: Sequence[Image.Image], back: Image.Image) -> Image.Image:
    """A screenshot: the whole table in the middle of a game."""
    art = _wood(1280, 720, (128, 88, 58), 7, "table")
    art.glow((640, 330), 760, "#ffe2b0", 0.3)
    art.paste(chart, (640, 350), 560, 0, 22)
    for index, place in enumerate((0, 5, 10, 15, 2)):
        lift = abs(index - 2)
        art.paste(faces[place], (460 + index * 90, 664 + lift * lift * 5), 118, 14 - index * 7, 9)
    for index in range(5):
        art.paste(back, (480 + index * 80, 22 - abs(index - 2) * 4), 104, 194 - index * 7 - 0, 9)
    for index in range(5):
        art.paste(back, (180 - index * 1.5, 236 - index * 3), 128, 4, 6)
    art.paste(faces[13], (178, 470), 128, -5, 8)
    art.paste(faces[8], (1102, 250), 128, 7, 8)
    art.paste(faces[4], (1142, 272), 128, -9, 8)
    for pips, left, top, turn in ((6, 1052, 470, 18), (4, 1118, 500, -24), (1, 1080, 540, 40)):
        art.paste(_die(pips), (left, top), 44, turn, 7)
    colours = {
        "red": ("#d2452f", "#8f2a1b"),
        "blue": ("#2f6fb5", "#1c4675"),
        "green": ("#3f8f57", "#255a36"),
        "yellow": ("#e2b13c", "#97721c"),
    }
    scale = 560 / 1024
    for index, (x, y) in enumerate(PORTS.values()):
        paint, rim = list(colours.values())[index % 4]
        for copy in range(1 + index % 2):
            art.paste(_disc(paint, rim), (360 + x * scale + 22 + copy * 12, 70 + y * scale - 22 - copy * 6), 32, 0, 5)
    for index, (paint, rim) in enumerate(colours.values()):
        for copy in range(3):
            art.paste(_disc(paint, rim), (940 + index * 46, 640 - copy * 5), 38, 0, 5)
    art.grain(14)
    return art.finished()


def hand_of_cards(faces: Sequence[Image.Image]) -> Image.Image:
    """A screenshot: one card of each suit, close."""
    art = _wood(1280, 720, (104, 72, 50), 5, "hand")
    art.glow((640, 300), 780, "#ffdca0", 0.42)
    for index, place in enumerate((2, 7, 14, 19)):
        side = index - 1.5
        art.paste(faces[place], (640 + side * 228, 372 + side * side * 18), 268, -side * 8, 22)
    art.grain(14)
    return art.finished()


# The packs


def plaster() -> Image.Image:
    art = Canvas(512, 512, ["#e6dcc6", "#d8ccb2"])
    art.box(0, 330, 512, 512, "#2f5665")
    for x in (0, 128, 256, 384):
        art.box(x + 14, 350, x + 114, 496, "#2a4c5a", radius=6, line="#4b7f8e", width=3)
    art.box(0, 322, 512, 338, "#f3ead6")
    art.grain(26)
    return art.finished()


def hall(*, evening: bool = True) -> Image.Image:
    """The room pack's picture: a hall with a wide window on the sea."""
    art = Canvas(1200, 675, ["#4a3a33", "#7b6250"])
    wall = (250, 110, 950, 450)
    corners = [(0, 0), (1200, 0), (1200, 675), (0, 675)]
    back = [(wall[0], wall[1]), (wall[2], wall[1]), (wall[2], wall[3]), (wall[0], wall[3])]
    art.polygon([corners[0], corners[1], back[1], back[0]], "#5b4436")
    art.polygon([back[3], back[2], corners[2], corners[3]], "#7a5438")
    for step in range(-14, 15):
        art.line([(600 + step * 50, 450), (600 + step * 150, 675)], "#3d281b90", 2)
    for y, wide in ((468, 1.5), (496, 1.8), (538, 2.2), (600, 2.6)):
        art.line([(0, y), (1200, y)], "#3d281b40", wide)
    art.polygon([corners[0], back[0], back[3], corners[3]], "#c9b898" if not evening else "#a98d70")
    art.polygon([corners[1], back[1], back[2], corners[2]], "#c0ad8b" if not evening else "#9d8166")
    art.box(*wall, "#e2d2b0" if not evening else "#c4a884")
    window = Canvas(
        420, 220, ["#27305a", "#8a5177", "#f08e63", "#ffd58c"] if evening else ["#6fb6de", "#a9d8ea", "#e5f3ee"]
    )
    window.glow((210, 150), 130, "#fff0c0", 0.9)
    window.ellipse((210, 150), (26, 26), "#fff4d2")
    _sea(
        window,
        152,
        ["#6a5f8f", "#3f5c86", "#2b4b70", "#1f3c5c"] if evening else ["#6fb0c4", "#4b95b0", "#357d9b", "#286a88"],
        4,
    )
    _ship(window, (300, 172), 26, "#2a2038", "#fff3dd")
    art.box(378, 148, 822, 392, "#3c2a20", radius=10)
    art.paste(window.finished(), (600, 270), 420)
    for x in (495, 600, 705):
        art.box(x - 4, 160, x + 4, 380, "#3c2a20")
    art.box(390, 266, 810, 274, "#3c2a20")
    for x in (300, 900):
        art.box(x - 26, 190, x + 26, 300, "#3c2a20", radius=4)
        art.box(x - 20, 196, x + 20, 294, "#2f8296", radius=2)
        _ship(art, (x, 262), 22, "#3b2433", CREAM)
    for beam in ((0, 0, 1200, 34), (120, 60, 1080, 80)):
        art.box(*beam, "#3a281d")
    for x in (380, 820):
        art.line([(x, 30), (x, 120)], "#1f1611", 3)
        art.polygon([(x - 38, 150), (x + 38, 150), (x + 14, 118), (x - 14, 118)], "#24404a")
        art.glow((x, 160), 190, "#ffd98a", 0.75)
        art.ellipse((x, 153), (16, 9), "#fff3c9")
    art.ellipse((600, 640), (330, 46), "#1d120c70")
    art.polygon([(560, 560), (640, 560), (690, 650), (510, 650)], "#3f2a1d")
    art.ellipse((600, 562), (330, 62), "#5d3f2a")
    art.ellipse((600, 550), (330, 62), "#8a6140")
    art.ellipse((600, 550), (286, 50), line="#c79a62", width=4)
    art.grain(18)
    return art.finished()


def round_table() -> Image.Image:
    """The table pack's picture."""
    art = Canvas(1200, 675, ["#203a44", "#2d5560", "#152a33"])
    art.glow((600, 250), 560, "#ffdf9e", 0.45)
    art.ellipse((600, 610), (380, 40), "#0000006e")
    art.polygon([(540, 360), (660, 360), (640, 540), (560, 540)], "#5a3d28")
    art.polygon([(600, 360), (660, 360), (640, 540), (600, 540)], "#472f1f")
    art.polygon([(560, 520), (640, 520), (780, 606), (420, 606)], "#5a3d28")
    art.ellipse((600, 606), (180, 18), "#472f1f")
    art.ellipse((600, 352), (470, 136), "#4a3120")
    top = _wood(940, 940, (150, 108, 70), 9, "driftwood").finished()
    mask = Image.new("L", (940 * 2, 272 * 2))
    ImageDraw.Draw(mask).ellipse((0, 0, 940 * 2 - 1, 272 * 2 - 1), fill=255)
    squeezed = top.resize((940 * 2, 272 * 2), Image.Resampling.LANCZOS)
    art.image.paste(squeezed, (130 * 2, 190 * 2), mask)
    art.ellipse((600, 326), (470, 136), line="#d8b27a", width=5)
    art.ellipse((600, 326), (424, 120), line="#2f829690", width=9)
    _title(art, (600, 86), "DRIFTWOOD", 58)
    art.grain(16)
    return art.finished()


def ripples() -> Image.Image:
    """A normal map of shallow grain."""
    art = Image.new("RGB", (256, 256))
    for y in range(256):
        for x in range(256):
            slope = 0.22 * math.sin(y * 2 * math.pi / 16 + 2 * math.sin(x * 2 * math.pi / 256))
            art.putpixel((x, y), (128, round(128 + 127 * slope), round(128 + 127 * math.sqrt(1 - slope * slope))))
    return art


# Lantern Duel


LANTERNS: Final[dict[str, tuple[str, str]]] = {
    "ember": ("#e8562f", "#ffd27a"), "tide": ("#2b8fb0", "#c7f1f2"), "moss": ("#4f9a4c", "#e3f2a7"),
    "dusk": ("#7a4fb0", "#ecc9ff"), "frost": ("#6f9bd6", "#f0fbff"), "gold": ("#d29a2a", "#fff2b5"),
    "rose": ("#d0507f", "#ffd8e4"), "ash": ("#6d6f7d", "#ece7dd"),
}  # fmt: skip


def _lantern(art: Canvas, at: Point, size: float, colour: str, light: str, *, glow: float = 0.8) -> None:
    x, y = at
    if glow:
        art.glow(at, size * 2.3, light, glow)
    art.line([(x, y - size * 1.5), (x, y - size * 0.9)], "#2a1d2e", max(1.0, size * 0.05))
    art.ellipse(at, (size * 0.8, size), colour)
    art.ellipse(at, (size * 0.5, size), light + "66")
    art.ellipse(at, (size * 0.22, size), light + "88")
    for rib in (-0.6, -0.3, 0, 0.3, 0.6):
        half = 0.8 * math.sqrt(1 - rib * rib)
        art.line([(x - size * half, y + size * rib), (x + size * half, y + size * rib)], "#00000030", size * 0.035)
    for end in (-1, 1):
        art.box(
            x - size * 0.34,
            y + end * size * 0.95 - size * 0.1,
            x + size * 0.34,
            y + end * size * 0.95 + size * 0.1,
            "#2a1d2e",
            radius=size * 0.05,
        )
    art.line([(x, y + size), (x, y + size * 1.5)], light, max(1.0, size * 0.07))


def night(title: str, under: str) -> Image.Image:
    """Lanterns over a lake at night."""
    art = Canvas(1200, 675, ["#0c1030", "#1d1a4b", "#43296a", "#7a3d70"])
    for star in range(140):
        x, y, size = _shifts(f"star{star}", 3)
        art.ellipse((600 + x * 600, 190 + y * 190), (1 + 0.9 * abs(size), 1 + 0.9 * abs(size)), "#ffffffb0")
    art.glow((118, 150), 170, "#dfe6ff", 0.5)
    art.ellipse((118, 150), (46, 46), "#f4f1e2")
    for x, y, size in ((104, 138, 9), (130, 160, 13), (122, 128, 5)):
        art.ellipse((x, y), (size, size), "#d9d4c088")
    for base, tall, colour in ((430, 150, "#2a1f54"), (450, 95, "#1d1743")):
        ridge = [
            (x, base - tall * abs(math.sin(x / (tall * 1.7) + tall)) - 16 * math.sin(x / 37))
            for x in range(-10, 1220, 10)
        ]
        art.polygon([(-10, 470), *ridge, (1220, 470)], colour)
    _sea(art, 452, ["#2b2258", "#241d50", "#1d1846", "#16133b", "#100e30"], 5)
    spots = [
        (150, 330, 44),
        (320, 240, 30),
        (470, 380, 52),
        (640, 285, 36),
        (800, 365, 58),
        (1040, 300, 40),
        (1130, 400, 26),
        (250, 420, 24),
        (700, 430, 22),
    ]
    for index, (x, y, size) in enumerate(spots):
        colour, light = list(LANTERNS.values())[index % 8]
        for step in range(5):
            reach = size * (0.9 - 0.13 * step)
            art.box(x - reach, 500 + step * 22 - 3, x + reach, 500 + step * 22 + 3, light + "2e", radius=3)
        _lantern(art, (x, y), size, colour, light)
    _title(art, (600, 104), title, 84, under)
    art.grain(12)
    return art.finished()


def lantern_card(name: str) -> Image.Image:
    colour, light = LANTERNS[name]
    art = Canvas(192, 288)
    art.box(0, 0, 192, 288, "#f6efe2", radius=14)
    art.box(10, 10, 182, 278, "#1c1740", radius=9)
    for star in range(24):
        x, y, _ = _shifts(f"{name}{star}", 3)
        art.ellipse((96 + x * 80, 110 + y * 92), (1, 1), "#ffffff90")
    _lantern(art, (96, 126), 50, colour, light, glow=0.55)
    art.box(10, 232, 182, 278, colour, radius=9)
    art.box(10, 232, 182, 250, colour)
    art.text((96, 255), name.upper(), 20, "#ffffff", weight=0.5, spacing=3)
    return art.finished()


def lantern_back() -> Image.Image:
    art = Canvas(192, 288)
    art.box(0, 0, 192, 288, "#f6efe2", radius=14)
    art.box(10, 10, 182, 278, "#3a2366", radius=9)
    _scales(art, 18, "#9a78cf80", 1.5, (14, 14, 178, 274))
    art.ellipse((96, 144), (46, 46), "#3a2366", "#cdb3f2", 2.5)
    _lantern(art, (96, 144), 24, "#e8562f", "#ffd27a", glow=0)
    return art.finished()


# Odd names, the broken crate


def tile(sign: str, colour: str) -> Image.Image:
    art = Canvas(160, 160)
    art.box(4, 4, 156, 156, colour, radius=26)
    art.box(12, 12, 148, 148, line="#ffffff70", radius=20, width=3)
    art.text((80, 82), sign, 74, "#ffffff", weight=1.2)
    return art.finished()


def _tiles(signs: str) -> Iterator[tuple[Image.Image, float, float, float]]:
    colours = ["#d8663f", "#1f7a8c", "#b8892b", "#2f3e75", "#4f9a4c", "#7a4fb0", "#c8452f"]
    for index in range(28):
        x, y = index % 7, index // 7
        turn = _shifts(f"tile{index}", 2)
        yield tile(signs[index % len(signs)], colours[(index * 3 + y) % 7]), 90 + x * 170, 90 + y * 170, turn[0] * 9


def odd_cover() -> Image.Image:
    art = Canvas(1200, 675, ["#f3e7cf", "#e4d3b0"])
    for picture, x, y, turn in _tiles("#%+?&@!~=;$'"):
        art.paste(picture, (x, y), 138, turn, 8)
    art.box(210, 258, 990, 418, "#1d2b3ae6", radius=22)
    _title(art, (600, 322), "ODD NAMES", 80, "EVERY PATH A PUZZLE")
    art.grain(12)
    return art.finished()


def crate() -> Image.Image:
    art = Canvas(1200, 675, ["#59636b", "#39434b"])
    art.polygon([(0, 500), (1200, 500), (1200, 675), (0, 675)], "#2d353b")
    art.ellipse((600, 590), (400, 40), "#00000070")
    art.image.paste(_wood(560, 400, (168, 120, 74), 5, "crate").image, (320 * 2, 190 * 2))
    for box in ((320, 190, 880, 240), (320, 540, 880, 590), (320, 190, 370, 590), (830, 190, 880, 590)):
        art.box(*box, "#8a5d36", line="#4b301a", width=3)
    art.polygon([(376, 500), (420, 536), (826, 282), (784, 244)], "#8a5d36")
    for x, y in ((345, 215), (855, 215), (345, 565), (855, 565)):
        art.ellipse((x, y), (7, 7), "#d0d4d8")
    crack = [(520, 190), (552, 262), (530, 318), (580, 372), (556, 430), (604, 500), (588, 590)]
    art.polygon([*crack, (618, 590), (636, 500), (582, 428), (606, 372), (556, 318), (582, 262), (556, 190)], "#14100d")
    label = Canvas(300, 96)
    label.box(0, 0, 300, 96, "#c8452f", radius=10)
    label.text((150, 48), "THIS SIDE UP", 36, CREAM, weight=1, spacing=2)
    art.paste(label.finished(), (600, 400), 290, 172, 8)
    for x, y, turn in ((250, 560, 20), (960, 610, -14), (230, 615, -32)):
        art.polygon(
            [(x - 50, y - 8), (x + 50, y - 8 + turn / 3), (x + 44, y + 8 + turn / 3), (x - 46, y + 9)], "#a5764a"
        )
    _title(art, (600, 98), "BROKEN CRATE", 68)
    art.grain(20)
    return art.finished()


# Saving


def _save(picture: Image.Image, path: Path, quality: int = 82) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".webp":
        picture.save(path, "WEBP", quality=quality, method=6)
    elif path.suffix == ".jpg":
        picture.convert("RGB").save(path, "JPEG", quality=quality)
    else:
        picture.save(path, "PNG", optimize=True)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _cover(mod: Path, picture: Image.Image) -> None:
    picture = picture.convert("RGB")
    _save(picture, mod / "media/cover.webp")
    _save(picture.resize((400, 225), Image.Resampling.LANCZOS), mod / "media/cover-thumb.webp")


def draw_tidewater() -> None:
    mod = SAMPLES / "tidewater"
    dusk = ["#1b2350", "#4a3a78", "#b25a78", "#f59a6b", "#ffd897", "#ffe7b8"]
    _cover(
        mod,
        harbour(
            dusk,
            ["#7a6c9c", "#56608f", "#3d5580", "#2b4a70", "#1f3d5e", "#16304b"],
            "#ffe0a0",
            "TIDEWATER",
            "A GAME OF HARBOURS AND FAVOURABLE WINDS",
        ),
    )
    faces = [card(suit, rank) for suit in SUITS for rank in range(1, 6)]
    _save(sheet(faces[:16], 4), mod / "assets/decks/harbour/sheet-1.webp", 80)
    _save(sheet(faces[16:], 2), mod / "assets/decks/harbour/sheet-2.webp", 80)
    _save(card_back(), mod / "assets/decks/harbour/back.webp", 80)
    _save(faces[0], mod / "assets/decks/harbour/cards/000-tide-1.webp", 80)
    chart = board()
    _save(chart.convert("RGB"), mod / "assets/board/sea-chart.webp", 80)
    _save(table_seen_from_above(chart, faces, card_back()).convert("RGB"), mod / "media/screenshot-0.webp", 78)
    _save(hand_of_cards(faces).convert("RGB"), mod / "media/screenshot-1.webp", 78)
    _write(mod / "assets/models/lighthouse.glb", models.lighthouse())
    _write(mod / "assets/models/boat.web.glb", models.boat())
    _write(mod / "assets/sounds/harbour-bell.wav", models.bell([659.3, 523.3], 1.6))


def draw_packs() -> None:
    room, table = SAMPLES / "harbour-hall", SAMPLES / "driftwood-table"
    _cover(room, hall())
    _save(hall(evening=False).convert("RGB"), room / "media/screenshot-0.webp", 78)
    _save(plaster().convert("RGB"), room / "textures/hall-walls-basecolor.webp", 80)
    _save(
        _wood(512, 512, (138, 96, 62), 6, "floor").finished().convert("RGB"),
        room / "textures/hall-floor-basecolor.jpg",
        80,
    )
    _write(room / "models/harbour-hall.web.glb", models.room())
    _write(room / "skies/evening.hdr", models.sky(128, 64))
    _cover(table, round_table())
    _save(
        _wood(512, 512, (150, 108, 70), 5, "driftwood").finished().convert("RGB"),
        table / "textures/driftwood-basecolor.webp",
        80,
    )
    _save(ripples(), table / "textures/driftwood-normal.png")
    _write(
        table / "textures/driftwood-tint.ktx2",
        models.ktx2(32, lambda x, y: (150 + (x * 7 + y * 3) % 23, 108 + (x * 5) % 17, 70)),
    )
    _write(table / "models/driftwood-table.glb", models.table())
    _write(table / "models/driftwood-table.collider.glb", models.table(collider=True))


def draw_lantern_duel() -> None:
    mod = SAMPLES / "lantern-duel"
    _cover(mod, night("LANTERN DUEL", "TWO PLAYERS  ONE LAKE  A HUNDRED LIGHTS"))
    faces = [lantern_card(name) for name in LANTERNS]
    _save(sheet(faces, 4), mod / "assets/cards/lanterns.webp", 80)
    _save(lantern_back(), mod / "assets/cards/back.webp", 80)
    for name, face in zip(LANTERNS, faces, strict=True):
        _save(face, mod / f"assets/cards/art/{name}.webp", 78)


ODD_LONG: Final = (
    "a/b/c/d/five folders deep and a rather long name that goes on, so that it is cut off in lists (1 of 1).webp"
)


def draw_odd_names() -> None:
    mod = SAMPLES / "odd-names"
    _cover(mod, odd_cover())
    tiles = {
        "art/two words.webp": ("_", "#d8663f"),
        "art/number #1.webp": ("#", "#1f7a8c"),
        "art/100% wool.webp": ("%", "#b8892b"),
        "art/a+b.webp": ("+", "#2f3e75"),
        "art/%41 is not A.webp": ("%4", "#4f9a4c"),
        "art/A is not.webp": ("A", "#7a4fb0"),
        "art/semi;colon&amp.webp": (";&", "#c8452f"),
        "art/equals=sign,comma.webp": ("=,", "#1f7a8c"),
        "art/it's (one) [two] {three}.webp": ("([{", "#b8892b"),
        "art/tilde~dollar$caret^bang!.webp": ("~$", "#2f3e75"),
        "art/Grüße-日本-🎲.webp": ("ü", "#d8663f"),
        "CAPS/Capitals.WEBP": ("AB", "#4f9a4c"),
        "@scope/pkg/tile.webp": ("@", "#7a4fb0"),
        "models/crate.web/crate-lid.web.glb.webp": (".w", "#c8452f"),
        "art/twice.webp.webp": ("x2", "#1f7a8c"),
        "art/.hidden/dot.webp": (".", "#b8892b"),
        ODD_LONG: ("5", "#2f3e75"),
        "unsafe-elsewhere/question.webp": ("?", "#4f9a4c"),
        "unsafe-elsewhere/quote.webp": ('"', "#d8663f"),
    }
    for path, (sign, colour) in tiles.items():
        _save(tile(sign, colour), mod / path, 80)
    _write(mod / "models/pawn v1.0.web.glb", models.pawn((0.85, 0.4, 0.25)))


def draw_broken_crate() -> None:
    mod = SAMPLES / "broken-crate"
    _cover(mod, crate())
    for name, sign, colour in (
        ("good", "ok", "#4f9a4c"),
        ("wrong-hash", "no", "#c8452f"),
        ("capital-hash", "AB", "#1f7a8c"),
        ("case", "c", "#2f3e75"),
    ):
        _save(tile(sign, colour), mod / f"art/{name}.webp", 80)
    _save(tile("C", "#7a4fb0"), mod / "art/case-twin.webp", 80)


def draw_tournament() -> None:
    morning = ["#2c5f86", "#5d9bb5", "#a9cfc9", "#f3e3c0", "#f9d9a8"]
    _cover(
        TOURNAMENT,
        harbour(
            morning,
            ["#8fc0bf", "#63a6ad", "#41899a", "#2f7287", "#235c72", "#1a485c"],
            "#fff3cf",
            "TIDEWATER",
            "TOURNAMENT EDITION",
        ),
    )
    faces = [card(suit, rank) for suit in SUITS for rank in range(1, 5)]
    _save(sheet(faces, 4), TOURNAMENT / "assets/decks/sheet-1.webp", 74)
    _save(card_back("#5b2333", "#d79a7e"), TOURNAMENT / "assets/decks/back.webp", 80)


DRAWINGS: Final[Sequence[Callable[[], None]]] = (
    draw_tidewater, draw_packs, draw_lantern_duel, draw_odd_names, draw_broken_crate, draw_tournament,
)  # fmt: skip

if __name__ == "__main__":
    for drawing in DRAWINGS:
        drawing()
