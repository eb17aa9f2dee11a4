"""GitHub's answers, kept with their ETags: an answer that still holds costs no budget to whoever sends a token."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass

from sqlalchemy import Engine, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from server.database import answers, now

_LONGEST_ETAG = 200
_LARGEST = 1 << 20
_MOST = 5_000
_SWEPT_EVERY = 100


@dataclass(frozen=True, slots=True)
class Answer:
    etag: str
    body: bytes


class Answers:
    """The newest few thousand answers, each of at most a megabyte."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept = 0

    def get(self, url: str) -> Answer | None:
        question = select(answers.c.etag, answers.c.packed).where(answers.c.url_digest == _digest(url))
        with self._engine.connect() as connection:
            row = connection.execute(question).one_or_none()
        return None if row is None else Answer(row.etag, zlib.decompress(row.packed))

    def keep(self, url: str, answer: Answer) -> None:
        """Remember an answer, unless it is too large."""
        if len(answer.body) > _LARGEST or len(answer.etag) > _LONGEST_ETAG:
            return
        digest = _digest(url)
        row = {"url_digest": digest, "etag": answer.etag, "packed": zlib.compress(answer.body), "at": now()}
        try:
            with self._engine.execution_options(writes=True).begin() as connection:
                connection.execute(delete(answers).where(answers.c.url_digest == digest))
                connection.execute(insert(answers).values(row))
                self._kept += 1
                if self._kept % _SWEPT_EVERY == 0:
                    oldest = select(answers.c.at).order_by(answers.c.at.desc()).offset(_MOST).limit(1)
                    connection.execute(delete(answers).where(answers.c.at <= oldest.scalar_subquery()))
        except IntegrityError:
            return  # another process has just kept the same

    def __len__(self) -> int:
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(answers)).scalar_one()


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()
