from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

TREE = {
    "src/state/a.h": '#pragma once\n#include "state/b.h"\n',
    "src/state/b.h": "#pragma once\n",
    "src/util/u.h": '#pragma once\n#include "state/b.h"\n',
    "src/pipe/wire.h": '#pragma once\n#include "util/u.h"\n#include "state/a.h"\n',
    "src/pipe/wire.cpp": '#include "pipe/wire.h"\n',
    "src/backend/draw.cpp": "int draw;\n",
}


def probe(extra: str) -> str:
    return f'[[gate]]\nid = "P"\nkind = "closure-probe"\nheader = "src/pipe/wire.h"\n{extra}\n'


def test_every_forbidden_file_is_a_finding_at_the_headers_own_directive(audit: Audit) -> None:
    report = audit(TREE, probe('forbid = ["src/state/**"]'))
    assert [(f.path, f.line, f.entity) for f in report.findings] == [
        ("src/pipe/wire.h", 2, "src/state/b.h"),
        ("src/pipe/wire.h", 3, "src/state/a.h"),
    ]
    assert [(e.path, e.line) for e in report.findings[0].evidence] == [("src/pipe/wire.h", 2), ("src/util/u.h", 2)]


def test_an_allowed_file_is_no_finding_and_what_is_behind_it_stays_one(audit: Audit) -> None:
    report = audit(TREE, probe('forbid = ["src/state/**"]\nallow = [{ path = "src/state/a.h", reason = "r" }]'))
    assert [f.entity for f in report.findings] == ["src/state/b.h"]


def test_an_allowed_file_that_nothing_forbids_is_stale(audit: Audit) -> None:
    tree = {**TREE, "src/vendor/v.h": ""}
    report = audit(tree, probe('forbid = ["src/vendor/**"]\nallow = [{ path = "src/util/u.h", reason = "r" }]'))
    (finding,) = report.findings
    assert (finding.path, finding.entity) == ("mgaudit.toml", "src/util/u.h")
    assert "no glob forbids it" in finding.message


def test_the_limit_counts_the_headers_own_code_in_every_arm(audit: Audit) -> None:
    header = '// spv\n#if 0\nspv::A a;\n#endif\n#define USE(x) spv::x\nconst char* s = "spv";\n'
    tree = {**TREE, "src/pipe/wire.h": header}
    assert audit(tree, probe('token-limits = { "spv" = 2 }')).exit_code == 0
    report = audit(tree, probe('token-limits = { "spv" = 1 }'))
    assert [(f.line, f.entity, len(f.evidence)) for f in report.findings] == [(5, "spv", 2)]


def test_an_error_in_an_included_header_is_found_at_the_directive_that_leads_there(audit: Audit) -> None:
    tree = {**TREE, "src/util/u.h": '#pragma once\n#include "state/b.h"\nUnknown* u;\n'}
    (finding,) = (f for f in audit(tree, probe("")).findings if f.gate == "P")
    assert (finding.path, finding.line, finding.entity) == ("src/pipe/wire.h", 2, "src/pipe/wire.h")
    assert finding.evidence[0].path == "src/util/u.h"


def test_without_self_containedness_errors_do_not_count_and_a_lost_header_is_no_proof(audit: Audit) -> None:
    tree = {**TREE, "src/pipe/wire.h": "#pragma once\nUnknown* u;\n"}
    gates = probe('forbid = ["src/state/**"]\nself-contained = false')
    assert audit(tree, gates).exit_code == 0
    report = audit({**TREE, "src/pipe/wire.h": '#pragma once\n#include "gone.h"\n'}, gates)
    assert (report.exit_code, report.errors[0].path, report.errors[0].line) == (2, "src/pipe/wire.h", 2)


def test_each_configuration_is_probed(audit: Audit) -> None:
    tree = {**TREE, "src/pipe/wire.h": '#pragma once\n#ifdef MG_OLD\n#include "state/b.h"\n#endif\n'}
    more = '[[configuration]]\nname = "old"\nstandard = "c++20"\ninclude-dirs = ["src"]\ndefines = ["MG_OLD=1"]\n'
    report = audit(tree, probe('forbid = ["src/state/**"]'), more)
    assert [(f.line, f.configurations) for f in report.findings] == [(3, ("old",))]


def test_an_exempted_edge_is_taken_out_and_the_rest_is_judged_again(audit: Audit) -> None:
    gates = 'forbid = ["src/state/**"]\nexempt = [{ edge = "src/util/u.h -> src/state/b.h", reason = "r" }]'
    report = audit(TREE, probe(gates))
    assert [(f.line, f.entity) for f in report.findings] == [(3, "src/state/a.h"), (3, "src/state/b.h")]


def test_an_exempted_edge_that_leads_to_nothing_forbidden_is_stale(audit: Audit) -> None:
    tree = {**TREE, "src/util/u.h": "#pragma once\n", "src/pipe/wire.h": '#pragma once\n#include "util/u.h"\n'}
    gates = 'forbid = ["src/state/**"]\nexempt = [{ edge = "src/pipe/wire.h -> src/util/u.h", reason = "r" }]'
    (finding,) = audit(tree, probe(gates)).findings
    assert finding.path == "mgaudit.toml"
    assert "stale exemption" in finding.message


def test_a_glob_that_forbids_no_file_is_untrusted(audit: Audit) -> None:
    report = audit(TREE, probe('forbid = ["src/state/**", "src/State/**"]'))
    assert report.exit_code == 2
    (problem,) = report.errors
    assert '"src/State/**" matches no file' in problem.message
