"""How often somebody may do something: counted in the database, so that all processes count together."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Engine, delete, func, insert, select

from server.database import now, spendings, utc
from server.problem import ProblemError


@dataclass(frozen=True, slots=True)
class Allowance:
    """``most`` times, or so much, in any ``window``."""

    most: int
    window: timedelta


class Quota:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def check(self, purpose: str, allowance: Allowance) -> None:
        """:raises ProblemError: `rate-limited`, with the seconds until it is allowed again"""
        left, wait = self.left(purpose, allowance)
        if left <= 0:
            raise too_often(wait)

    def left(self, purpose: str, allowance: Allowance) -> tuple[int, int]:
        """How much may still be spent, and the seconds until it is more."""
        moment = now()
        recent = (spendings.c.purpose == purpose, spendings.c.at > moment - allowance.window)
        question = select(func.sum(spendings.c.amount), func.min(spendings.c.at)).where(*recent)
        with self._engine.connect() as connection:
            spent, oldest = connection.execute(question).one()
        wait = max(1, math.ceil((utc(oldest) + allowance.window - moment).total_seconds())) if oldest else 60
        return allowance.most - int(spent or 0), wait

    def spend(self, purpose: str, allowance: Allowance, amount: int = 1) -> None:
        """Count one more, or so much; what is older than the window is forgotten."""
        moment = now()
        old = (spendings.c.purpose == purpose, spendings.c.at <= moment - allowance.window)
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(delete(spendings).where(*old))
            connection.execute(insert(spendings).values(purpose=purpose, at=moment, amount=amount))


def too_often(wait: int) -> ProblemError:
    """``wait`` seconds, then it may be tried again."""
    detail = f"That was too often; try again in {wait} seconds."
    return ProblemError(429, "rate-limited", detail, headers={"retry-after": str(wait)})


def network(address: str) -> str:
    """The part of an address that one person has: IPv6 is handed out in /64s (RFC 6177)."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
