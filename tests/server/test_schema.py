"""Whatever the schema allows, and what it doesn't, gets an answer the schema describes (schemathesis, all checks)."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tests.server.conftest import Registry


@pytest.fixture
def api(registry: Registry) -> OpenApiSchema:
    return schemathesis.openapi.from_url(f"{registry.base}/schema")


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_the_schema_describes(case: schemathesis.Case[Any], registry: Registry) -> None:
    token = registry.accounts.issue_token(registry.account(admin=True), "schema")
    case.call_and_validate(headers={"authorization": f"Bearer {token}"})
