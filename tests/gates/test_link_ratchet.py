"""What a link ratchet says where there is nothing to link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.findings import Status

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

GATE = """
[[gate]]
id = "B"
kind = "link-ratchet"
objects = ["build/*.o"]
partition = { server = ["server"], frontend = ["frontend"], shared = ["shared"] }
"""
TREE = {"src/state/s.h": "#pragma once\n", "src/backend/d.cpp": "int d();\n"}


def test_objects_that_nobody_built_are_untrusted_and_not_green(audit: Audit) -> None:
    report = audit(TREE, GATE)
    (problem,) = report.errors
    assert problem.message == 'gate "B": no file matches build/*.o'
    assert (problem.path, problem.line > 1) == ("mgaudit.toml", True)
    assert (report.trusted, report.exit_code, report.gates[0].status) == (False, 2, Status.UNTRUSTED)


def test_optional_objects_are_skipped_and_said_to_be(audit: Audit) -> None:
    report = audit(TREE, GATE + "optional = true\n")
    assert (report.exit_code, report.gates[0].status) == (0, Status.SKIPPED)
    assert report.gates[0].reason == "none of the optional objects exists"


def test_an_object_that_cannot_be_read_is_untrusted(audit: Audit) -> None:
    report = audit({**TREE, "build/x.o": "no object"}, GATE)
    assert (report.trusted, report.exit_code) == (False, 2)
    assert {problem.path for problem in report.errors} == {"build/x.o"}
