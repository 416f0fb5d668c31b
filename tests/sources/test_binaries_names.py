"""Own qualified names and demangling, on written names and on those of the machine's C++ library."""

from __future__ import annotations

import re
from ctypes.util import find_library
from pathlib import Path

import pycxxfilt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mgaudit.sources.binaries import read_binary
from mgaudit.sources.binaries_mangling import parse_mangled
from mgaudit.sources.binaries_mangling_cursor import ManglingError
from mgaudit.sources.binaries_names import OwnNamePattern, UnreadableNameError, demangle, own_name

OWN_NAMES = [
    ("eglGetDisplay", "eglGetDisplay"),
    ("_ZN2mg5state8ObserverC1Ei", "mg::state::Observer::Observer"),
    ("_ZN2mg5state8ObserverD0Ev", "mg::state::Observer::~Observer"),
    ("_ZN2mg7backend3UseERKNS_5state6BufferE", "mg::backend::Use"),
    ("_ZNSt6vectorIN2mg5state1XESaIS2_EE9push_backERKS2_", "std::vector::push_back"),
    ("_ZN2mg5state5TableIiE4FindEi", "mg::state::Table::Find"),
    ("_ZN2mg7backend4MakeINS_5state1XEEET_v", "mg::backend::Make"),
    ("_ZN2mg7backend3GetEv.isra.0", "mg::backend::Get"),
    ("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"),
    ("_ZZN2mg7backend4DrawERNS_5state1XEE5cache", "mg::backend::Draw::cache"),
    ("_ZZN2mg7backend4DrawEiENKUlRNS_5state1XEE_clES3_", "mg::backend::Draw::'lambda'::operator()"),
    ("_ZNK2mg7backend6HandlecvNS_5state1XEEv", "mg::backend::Handle::operator"),
    ("_ZN2mg5statelsERSoRKNS0_1XE", "mg::state::operator<<"),
    ("_ZN2mg5stateli3_idEy", 'mg::state::operator""_id'),
    ("_ZN2mg3nowB5cxx11Ev", "mg::now"),
    ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev", "std::__cxx11::basic_string::~basic_string"),
    ("_ZNSsC1Ev", "std::string::basic_string"),
    ("_ZTVN2mg5state8ObserverE", "mg::state::Observer"),
    ("_ZTTN2mg5state8ObserverE", "mg::state::Observer"),
    ("_ZTIN2mg5state8ObserverE", "mg::state::Observer"),
    ("_ZTSN2mg5state8ObserverE", "mg::state::Observer"),
    ("_ZTISt6vectorIN2mg5state1XESaIS2_EE", "std::vector"),
    ("_ZTIPKN2mg5state1XE", "mg::state::X"),
    ("_ZTCN2mg7backend1DE0_NS_5state1BE", "mg::backend::D"),
    ("_ZThn16_N2mg7backend1D4DrawEv", "mg::backend::D::Draw"),
    ("_ZTv0_n24_N2mg7backend1D4DrawEv", "mg::backend::D::Draw"),
    ("_ZTch0_h16_N2mg7backend1D5CloneEv", "mg::backend::D::Clone"),
    ("_ZGVN2mg5state7currentE", "mg::state::current"),
    ("_ZGVZN2mg7backend3GetEvE4once", "mg::backend::Get::once"),
    ("_ZTWN2mg5state7currentE", "mg::state::current"),
    ("_ZTHN2mg5state7currentE", "mg::state::current"),
    ("_ZGRN2mg5state7currentE_", "mg::state::current"),
    ("_Znwm", "operator new"),
    ("_ZN2mg1fIJidEEEvDpT_", "mg::f"),
    ("_ZN2mg1gITkNS_3BigElEET_S1_", "mg::g"),
    ("_ZN2mg1qISsEENSt9enable_ifIXaagtstT_Li1EntsrSt7is_sameIS2_iE5valueEiE4typeES2_", "mg::q"),
]


@pytest.mark.parametrize(("mangled", "expected"), OWN_NAMES)
def test_own_names(mangled: str, expected: str) -> None:
    assert own_name(mangled) == expected


@pytest.mark.parametrize(
    ("mangled", "expected"),
    [
        ("_ZN2mg5state8ObserverC1Ei", "mg::state::Observer::Observer(int)"),
        ("_ZTVN2mg5state8ObserverE", "vtable for mg::state::Observer"),
        ("_ZN2mg7backend3GetEv.cold", "mg::backend::Get() (.cold)"),
        ("main", "main"),
        ("_ZN2mg", "_ZN2mg"),
        ("_Z", "_Z"),
        ("", ""),
    ],
)
def test_demangled_or_left_as_they_are(mangled: str, expected: str) -> None:
    assert demangle(mangled) == expected


def exploding_name(doublings: int) -> str:
    """A name whose demangled text doubles with each of its parameters."""
    text, index = "_Z1f1pI1aS_E", 2
    for _ in range(doublings):
        previous = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index - 1]
        text += f"S_IS{previous}_S{previous}_E"
        index += 1
    return text


def test_exponential_and_deep_names_stay_mangled() -> None:
    assert demangle(exploding_name(3)).startswith("f(")
    exploding = exploding_name(30)
    assert len(exploding) < 400
    assert demangle(exploding) == exploding
    assert own_name(exploding) == "f"
    deep = "_Z1f" + "P" * 60_000 + "i"
    assert demangle(deep) == deep
    scopes = "_ZN" + "1a" * 30_000 + "Ev"
    assert own_name(scopes) == scopes


@settings(max_examples=400)
@given(text=st.text(alphabet="_ZNSTIEKRPLXDpCUltvsr0123456789abcdeiA²é", max_size=40))
def test_any_text_is_a_name_of_some_kind(text: str) -> None:
    assert isinstance(own_name("_Z" + text), str)
    assert isinstance(demangle("_Z" + text), str)


@settings(max_examples=400)
@given(name=st.sampled_from([mangled for mangled, _ in OWN_NAMES]), data=st.data())
def test_mutated_names_never_escape(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 1))
    mutated = name[:at] + data.draw(st.sampled_from("ESTINZ_0193IJ²")) + name[at + 1 :]
    assert isinstance(demangle(mutated), str)


@pytest.fixture(scope="module")
def library_names() -> list[str]:
    """The mangled names of the machine's C++ library."""
    found = find_library("stdc++")
    if found is None:
        pytest.skip("no libstdc++ on this machine: real names are not checked")
    loaded = next(path for path in _loaded_paths(found))
    symbols = read_binary(loaded, "library").objects[0].symbols
    return sorted({symbol.name for symbol in symbols if symbol.name.startswith("_Z")})


def _loaded_paths(name: str) -> list[Path]:
    folders = [Path("/usr/lib"), Path("/lib"), Path("/usr/lib64"), *Path("/usr/lib").glob("*-linux-gnu*")]
    return [folder / name for folder in folders if (folder / name).is_file()]


def _without_template_arguments(text: str) -> str:
    out, depth = "", 0
    for position, character in enumerate(text):
        if character == "<":
            depth += 1
        elif character == ">" and text[position - 1] != "-":
            depth -= 1
        elif depth == 0:
            out += character
    return out


def test_real_names_agree_with_the_demangler(library_names: list[str]) -> None:
    compared = 0
    for name in library_names:
        try:
            text = pycxxfilt.itanium_demangle(name)
        except ValueError:
            continue
        assert text is not None
        parsed = parse_mangled(name)
        assert parsed.size is not None, name
        assert len(text) <= parsed.size <= 1 << 20, name
        if "operator" in text or "std::basic_" in text or name.startswith(("_ZT", "_ZG")):
            continue
        plain = _without_template_arguments(text).partition("(")[0]
        plain = re.sub(r"\[abi:\w+\]", "", plain).rpartition(" ")[2]
        if "(anonymous" not in text:
            compared += 1
            assert parsed.own == plain, name
    assert compared > 500


@pytest.mark.parametrize(
    ("pattern", "mangled", "expected"),
    [
        ("mg::state::", "_ZN2mg5state6AttachEi", True),
        ("mg::state::", "_ZN2mg7backend3UseERKNS_5state6BufferE", False),
        ("mg::state::", "_ZNSt6vectorIN2mg5state1XESaIS2_EE9push_backERKS2_", False),
        ("mg::state::", "_ZTVN2mg5state8ObserverE", True),
        ("mg::state::Observer::", "_ZTVN2mg5state8ObserverE", True),
        ("mg::state::Observer::", "_ZN2mg5state8ObserverE", False),
        ("glslang", "glslang_initialize_process", True),
        ("glslang", "_ZN7glslang7TShader5parseEv", True),
        ("re:^mg::(state|impl)::", "_ZN2mg4impl3RunEv", True),
        ("re:^state::", "_ZN2mg5state3RunEv", False),
        ("re:Observer$", "_ZTIN2mg5state8ObserverE", True),
        ("std::string::", "_ZNSs6appendEPKc", True),
        ("stream::flush", "_ZNSo5flushEv", True),
        ("operator new", "_Znwm", True),
        ("(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEv", True),
        ("state::operator", "_ZN2mg5stateplEii", True),
    ],
)
def test_patterns(pattern: str, mangled: str, expected: bool) -> None:
    assert OwnNamePattern.parse(pattern).matches(mangled) is expected


@pytest.mark.parametrize("pattern", ["mg::state::", "re:^mg::"])
def test_a_name_that_cannot_be_read_is_not_cleared(pattern: str) -> None:
    with pytest.raises(UnreadableNameError):
        OwnNamePattern.parse(pattern).matches("_ZN2mg5state6AttachQQQ")


def test_a_name_without_the_patterns_identifiers_is_cleared_unread() -> None:
    assert not OwnNamePattern.parse("mg::state::").matches("_ZN2xx5yyyyy6AttachQQQ")


@pytest.mark.parametrize("pattern", ["", "re:("])
def test_invalid_patterns(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"empty|invalid"):
        OwnNamePattern.parse(pattern)


@settings(max_examples=200)
@given(mangled=st.sampled_from([mangled for mangled, _ in OWN_NAMES]), data=st.data())
def test_every_part_of_an_own_name_matches(mangled: str, data: st.DataObject) -> None:
    """The identifiers that a pattern requires never hide a match."""
    own = own_name(mangled)
    start = data.draw(st.integers(0, len(own) - 1))
    end = data.draw(st.integers(start + 1, len(own)))
    assert OwnNamePattern.parse(own[start:end]).matches(mangled)


def test_the_grammar_is_strict_about_ends() -> None:
    with pytest.raises(ManglingError):
        parse_mangled("_ZTVN2mg1XEgarbage")
