"""The transfer on ``web/pump.js``. Jobs and outcomes cross as JSON text: one string costs less than many proxies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pyodide.ffi import create_proxy

from client.ports import Batch, Job, Lane, Outcome, Place, SegmentWriter
from worker.store import Writer


class PumpTransfer:
    """Lanes of the pump, all of one page."""

    def __init__(self, pump: Any) -> None:
        self._pump = pump
        self._new_hasher = create_proxy(_Hasher)

    def lane(self, most_jobs: int) -> Lane:
        return _PumpLane(self._pump, most_jobs, self._new_hasher)


class _Hasher:
    """SHA-256 in pieces: ``crypto.subtle`` wants all bytes at once, hashlib in wasm is as fast as any wasm hasher."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def update(self, piece: Any) -> None:
        self._hash.update(piece.to_bytes())

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


class _PumpLane:
    def __init__(self, pump: Any, most_jobs: int, new_hasher: Any) -> None:
        self._lane = pump.Lane.new(most_jobs, new_hasher)
        self._writers: list[SegmentWriter] = []

    def submit(self, jobs: Sequence[Job]) -> None:
        self._lane.submit(json.dumps([self._plain(job) for job in jobs]))

    def _plain(self, job: Job) -> dict[str, Any]:
        return {
            "id": job.id,
            "url": job.url,
            "writer": self._writer_number(job.writer),
            "size": job.size,
            "sha256": job.sha256,
            "most": job.most,
            "stall": job.stall,
            "refusedType": job.refused_type,
        }

    def _writer_number(self, writer: SegmentWriter | None) -> int | None:
        if writer is None:
            return None
        if writer not in self._writers:
            assert isinstance(writer, Writer)
            self._writers.append(writer)
            self._lane.writers.push(writer.native)
        return self._writers.index(writer)

    async def take(self, seconds: float) -> Batch:
        taken = await self._lane.take(seconds)
        batch = json.loads(taken.json)
        bodies: dict[int, bytes] = {}
        if taken.bodies.size:
            bodies = {int(job): body.to_bytes() for job, body in taken.bodies.entries()}
        outcomes = tuple(_outcome(values, bodies.get(values["id"])) for values in batch["outcomes"])
        return Batch(outcomes, dict(batch["running"]))

    def abort(self) -> None:
        self._lane.abort()

    def close(self) -> None:
        self._lane.close()


def _outcome(values: dict[str, Any], body: bytes | None) -> Outcome:
    place = values["place"]
    return Outcome(
        id=values["id"],
        fault=values["fault"],
        status=values["status"],
        received=values["received"],
        ms=values["ms"],
        sha256=values["sha256"],
        place=Place(place["segment"], place["offset"], place["length"]) if place is not None else None,
        body=body,
        media_type=values["mediaType"],
        retry_after=values["retryAfter"],
        detail=values["detail"],
    )
