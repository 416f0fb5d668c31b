from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from clang import cindex

from mgaudit.config.model import ConfigurationSpec, Located, Settings, TreeSpec
from mgaudit.domain.problems import UntrustedError
from mgaudit.domain.zones import Zone
from mgaudit.sources.compile_commands import Plan, commands_for_header, plan, read_database
from mgaudit.sources.toolchain import Toolchain, discover
from mgaudit.sources.tree import list_files

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.domain.configurations import ParseCommand


def configuration(**changes: object) -> ConfigurationSpec:
    values: dict[str, object] = {
        "name": "only",
        "required": True,
        "compile_commands": "compile_commands.json",
        "standard": None,
        "include_dirs": (),
        "system_include_dirs": (),
        "defines": (),
        "undefines": (),
        "force_includes": (),
        "extra_args": (),
        "stub_headers": {},
        "target": "",
        "sysroot": "",
        "missing_headers": "error",
        "path": "mgaudit.toml",
        "line": 3,
    }
    return ConfigurationSpec(**{**values, **changes})  # type: ignore[arg-type]


class Tree:
    """A small tree on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.toolchain = discover({})

    def write(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def database(self, *entries: dict[str, object], name: str = "compile_commands.json") -> None:
        self.write(name, json.dumps(entries))

    def plan(
        self,
        *specs: ConfigurationSpec,
        sources: tuple[str, ...] = ("src/**/*.cpp",),
        exclude: tuple[str, ...] = (),
        zones: tuple[Zone, ...] = (),
    ) -> Plan:
        settings = Settings(
            file=self.root / "mgaudit.toml",
            root=self.root,
            path="mgaudit.toml",
            digest="",
            tree=TreeSpec("t", sources, (), exclude),
            configurations=specs or (configuration(),),
            zones={zone.name: zone for zone in zones},
            verbs=None,  # type: ignore[arg-type]
            catalogues={},
            gates=(),
        )
        return plan(settings, list_files(settings), self.toolchain)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def own(command: ParseCommand, toolchain: Toolchain) -> tuple[str, ...]:
    """The arguments without those that find the library headers."""
    shared = {"-resource-dir", str(toolchain.resource), "-stdlib++-isystem", str(toolchain.libcxx), "-w", "-x", "c++"}
    return tuple(word for word in command.arguments if word not in shared)


def test_relative_directories_start_at_the_database(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.write("build/x")
    tree.database(
        {"directory": ".", "file": "../src/a.cpp", "arguments": ["c++", "-I", "inc", "-c", "../src/a.cpp"]},
        name="build/compile_commands.json",
    )
    (command,) = tree.plan(configuration(compile_commands="build")).commands
    assert (command.path, command.origin, command.directory) == ("src/a.cpp", "database", str(tree.root / "build"))
    assert own(command, tree.toolchain) == ("-I", str(tree.root / "build/inc"))


def test_a_build_folder_that_is_gone_does_not_matter(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.database(
        {"directory": "gone/deep", "file": "../../src/a.cpp", "command": "c++ -I../../src -c ../../src/a.cpp"}
    )
    (command,) = tree.plan().commands
    assert own(command, tree.toolchain) == ("-I", str(tree.root / "src"))


def test_the_configurations_flags_are_added_and_win(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.write("src/pre.h")
    tree.database({"directory": "", "file": "src/a.cpp", "command": "g++ -DX=1 -Iown -std=c++17 -c src/a.cpp"})
    spec = configuration(
        standard="c++23",
        include_dirs=("src",),
        system_include_dirs=("sys",),
        defines=("X=2",),
        undefines=("Y",),
        force_includes=(Located("src/pre.h", "mgaudit.toml", 4),),
        extra_args=("-fno-rtti", "-mllvm", "-polly"),
    )
    result = tree.plan(spec)
    root = tree.root
    assert own(result.commands[0], tree.toolchain) == (
        *("-std=c++17", "-DX=1", "-I", f"{root}/own", "-I", f"{root}/src", "-isystem", f"{root}/sys", "-DX=2", "-UY"),
        *("-Xclang", "-include", "-Xclang", f"{root}/src/pre.h", "-fno-rtti"),
    )
    assert "-mllvm -polly" in [item.text for item, _ in result.of("only").dropped]


def test_the_configurations_target_overrides_the_commands(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.database({"file": "src/a.cpp", "command": "arm-none-eabi-g++ -march=armv7-m -msse2 -c src/a.cpp"})
    (theirs,) = tree.plan().commands
    assert {"--target=arm-none-eabi", "-march=armv7-m"} <= set(theirs.arguments)
    (ours,) = tree.plan(configuration(target="x86_64-linux-gnu")).commands
    assert {"--target=x86_64-linux-gnu", "-msse2"} <= set(ours.arguments)
    assert not {"--target=arm-none-eabi", "-march=armv7-m"} & set(ours.arguments)


def test_sources_that_the_database_lacks_get_the_configurations_flags(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.write("src/b.cpp")
    tree.database({"file": "src/a.cpp", "command": "g++ -DTHEIRS -c src/a.cpp"})
    result = tree.plan(configuration(defines=("OURS",)))
    assert [(command.path, command.origin) for command in result.commands] == [
        ("src/a.cpp", "database"),
        ("src/b.cpp", "synthesised"),
    ]
    assert own(result.commands[1], tree.toolchain) == ("-DOURS",)
    assert result.of("only").unlisted == ("src/b.cpp",)


def test_without_a_database_all_sources_are_synthesised(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.write("src/b.c")
    result = tree.plan(configuration(compile_commands=None, standard="c++20"), sources=("src/*",))
    assert [(command.path, command.language) for command in result.commands] == [("src/a.cpp", "c++"), ("src/b.c", "c")]
    assert ["-std=c++20" in command.arguments for command in result.commands] == [True, False]
    assert result.of("only").unlisted == ()


def test_one_file_under_different_flags_has_variants_in_an_order_of_their_own(tree: Tree) -> None:
    tree.write("src/a.cpp")
    entries: list[dict[str, object]] = [
        {"file": "src/a.cpp", "command": "g++ -DB -c src/a.cpp"},
        {"file": "src/a.cpp", "command": "g++ -DA -c src/a.cpp"},
        {"file": "./src/../src/a.cpp", "command": "ccache g++ -DA -o other.o -c src/a.cpp"},
    ]
    tree.database(*entries)
    forward = tree.plan().commands
    assert [(command.variant, own(command, tree.toolchain)) for command in forward] == [(0, ("-DA",)), (1, ("-DB",))]
    tree.database(*reversed(entries))
    assert [command.arguments for command in tree.plan().commands] == [command.arguments for command in forward]


def test_several_files_in_one_command_are_several_units(tree: Tree) -> None:
    for name in ("a", "b", "c"):
        tree.write(f"src/{name}.cpp")
    tree.database({"file": "src/a.cpp", "command": "g++ -DX -c src/a.cpp src/b.cpp gone.cpp"})
    result = tree.plan()
    assert [(command.path, command.origin) for command in result.commands] == [
        ("src/a.cpp", "database"),
        ("src/b.cpp", "database"),
        ("src/c.cpp", "synthesised"),
    ]


def test_entries_outside_the_audit_are_listed_and_no_more(tree: Tree, tmp_path: Path) -> None:
    tree.write("src/a.cpp")
    tree.write("src/zone/t.inc")
    tree.write("tools/t.cpp")
    tree.write("src/old.cpp")
    tree.database(
        {"file": "src/a.cpp", "command": "g++ -c src/a.cpp"},
        {"file": "src/zone/t.inc", "command": "g++ -x c++ -c src/zone/t.inc"},
        {"file": "tools/t.cpp", "command": "g++ @missing.rsp -c tools/t.cpp"},
        {"file": "build/generated.cpp", "command": "g++ -c build/generated.cpp"},
        {"file": "/elsewhere/x.cpp", "command": "g++ @/elsewhere/flags -c /elsewhere/x.cpp"},
        {"file": "src/old.cpp", "command": "g++ @/elsewhere/flags -c src/old.cpp"},
        {"file": "src/start.S", "command": "g++ -c src/start.S"},
    )
    result = tree.plan(exclude=("src/old.cpp",), zones=(Zone("z", ("src/zone/**",)),))
    assert [command.path for command in result.commands] == ["src/a.cpp", "src/zone/t.inc"]
    assert result.of("only").outside == (
        "/elsewhere/x.cpp",
        "build/generated.cpp",
        "src/old.cpp",
        "src/start.S",
        "tools/t.cpp",
    )


def test_every_entry_of_the_tree_counts_where_sources_are_empty(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.write("tools/t.cpp")
    tree.database(
        {"file": "src/a.cpp", "command": "g++ -c src/a.cpp"}, {"file": "tools/t.cpp", "command": "g++ -c tools/t.cpp"}
    )
    assert [command.path for command in tree.plan(sources=()).commands] == ["src/a.cpp", "tools/t.cpp"]


def test_a_file_still_to_be_generated_makes_the_plan_untrusted(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.database(
        {"file": "src/a.cpp", "command": "g++ -c src/a.cpp"}, {"file": "src/gen.cpp", "command": "g++ -c src/gen.cpp"}
    )
    with pytest.raises(UntrustedError) as caught:
        tree.plan()
    assert [problem.message for problem in caught.value.problems] == ["entry 1: src/gen.cpp does not exist"]


@pytest.mark.parametrize("entries", [[], [{"file": "/elsewhere/x.cpp", "command": "g++ -c x.cpp"}]])
def test_a_database_of_another_tree_makes_the_plan_untrusted(tree: Tree, entries: list[dict[str, object]]) -> None:
    tree.write("src/a.cpp")
    tree.database(*entries)
    with pytest.raises(UntrustedError, match="names a file of the audited tree"):
        tree.plan()


def test_windows_entries_with_relative_paths(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.database(
        {
            "directory": "build",
            "file": "..\\src\\a.cpp",
            "command": 'cl.exe /nologo /I..\\src "/I..\\third party" /DX=\\"v\\" /std:c++20 /c ..\\src\\a.cpp',
        }
    )
    (command,) = tree.plan().commands
    root = tree.root
    assert command.path == "src/a.cpp"
    assert {"--target=x86_64-pc-windows-msvc", "-std=c++20", '-DX="v"', f"{root}/src", f"{root}/third party"} <= set(
        command.arguments
    )
    assert "-fno-delayed-template-parsing" in command.arguments


def test_windows_entries_of_another_machine_lie_outside(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.database(
        {"file": "src/a.cpp", "command": "g++ -c src/a.cpp"},
        {"directory": "C:\\w", "file": "C:\\w\\src\\a.cpp", "command": "cl.exe /c C:\\w\\src\\a.cpp"},
        {"directory": "C:/w", "file": "src/b.cpp", "arguments": ["clang++", "-c", "src/b.cpp"]},
    )
    result = tree.plan()
    assert [command.path for command in result.commands] == ["src/a.cpp"]
    assert len(result.of("only").outside) == 2


def test_problems_of_all_configurations_come_together(tree: Tree) -> None:
    tree.write("src/a.cpp")
    tree.write("bad.json", '[\n  {"file": }\n]')
    specs = (
        configuration(name="a", compile_commands="none.json", line=5),
        configuration(name="b", compile_commands="bad.json"),
        configuration(name="c", compile_commands=None, sysroot="none", line=7),
        configuration(name="d", compile_commands=None, extra_args=("@none.rsp",), line=9),
    )
    with pytest.raises(UntrustedError) as caught:
        tree.plan(*specs)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        ("bad.json", 2),
        ("mgaudit.toml", 5),
        ("mgaudit.toml", 7),
        ("mgaudit.toml", 9),
    ]


def test_a_configuration_that_is_not_required_is_left_out_and_said_so(tree: Tree) -> None:
    tree.write("src/a.cpp")
    result = tree.plan(
        configuration(name="a", compile_commands=None),
        configuration(name="b", compile_commands="x.json", required=False),
    )
    assert {command.configuration for command in result.commands} == {"a"}
    assert len(result.of("b").problems) == 1
    assert any("`b` is left out" in warning.message for warning in result.warnings)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("{}", "a list of entries", 0),
        ('[\n{"file": "a"\n"x"', "no valid JSON", 3),
        ("[1]", "entry 0: no object", 0),
        ('[{"command": "g++"}]', "entry 0: no `file`", 0),
        ('[{"file": "a.cpp"}]', "entry 0: neither", 0),
        ('[{"file": "a.cpp", "arguments": [], "command": ""}]', "entry 0: neither", 0),
        ('[{"file": "a.cpp", "arguments": [1]}]', "no list of texts", 0),
        ('[{"file": "a.cpp", "arguments": "g++"}]', "no list of texts", 0),
        ('[{"file": "a.cpp", "directory": 1, "command": "g++"}]', "is no text", 0),
        ('[{"file": "a.cpp", "command": "g++ \\"x"}]', "never closed", 0),
        ('[{"file": "a\\u0000.cpp", "command": "g++"}]', "zero character", 0),
        ("\xff", "no valid JSON", 0),
        ("[" * 100_000, "no valid JSON", 0),
    ],
)
def test_databases_that_cannot_be_read(tmp_path: Path, text: str, message: str, line: int) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UntrustedError) as caught:
        read_database(path, "db.json")
    (problem,) = caught.value.problems
    assert (problem.path, problem.line, message in problem.message) == ("db.json", line, True)


def test_all_bad_entries_are_named(tmp_path: Path) -> None:
    path = tmp_path / "db.json"
    path.write_text('\ufeff[{"file": "a"}, {"file": "b", "command": "g++"}, {}]', encoding="utf-8")
    with pytest.raises(UntrustedError) as caught:
        read_database(path, "db.json")
    assert [problem.message[:7] for problem in caught.value.problems] == ["entry 0", "entry 2"]


def test_arguments_win_over_the_command(tmp_path: Path) -> None:
    path = tmp_path / "db.json"
    path.write_text('[{"file": "a.cpp", "arguments": ["g++", "-D X"], "command": "g++ -DY"}]')
    assert read_database(path, "db.json")[0].command.arguments == ("g++", "-D X")


class TestHeaders:
    def test_a_header_is_parsed_like_a_unit_that_includes_it(self, tree: Tree) -> None:
        tree.write("src/a.cpp")
        tree.write("src/b.cpp")
        tree.database(
            {"file": "src/a.cpp", "command": "g++ -DA -c src/a.cpp"},
            {"file": "src/b.cpp", "command": "g++ -DB -c src/b.cpp"},
        )
        (command,) = commands_for_header(tree.plan(), "inc/x.h", "only", [("src/b.cpp", 0)])
        assert (command.path, own(command, tree.toolchain)) == ("inc/x.h", ("-DB",))
        assert command.arguments[command.arguments.index("-x") + 1] == "c++"

    def test_a_header_is_parsed_once_with_each_set_of_flags(self, tree: Tree) -> None:
        entries: list[dict[str, object]] = []
        for name, flag in (("a", "-DA"), ("b", "-DB"), ("c", "-DA")):
            tree.write(f"src/{name}.cpp")
            entries.append({"file": f"src/{name}.cpp", "command": f"g++ {flag} -c src/{name}.cpp"})
        tree.database(*entries)
        units = [(f"src/{name}.cpp", 0) for name in "bac"]
        commands = commands_for_header(tree.plan(), "inc/x.h", "only", units)
        assert [(c.variant, own(c, tree.toolchain)) for c in commands] == [(0, ("-DB",)), (1, ("-DA",))]

    def test_without_one_like_the_nearest_unit(self, tree: Tree) -> None:
        for name in ("a/one", "b/two"):
            tree.write(f"src/{name}.cpp")
        tree.database(
            {"file": "src/a/one.cpp", "command": "g++ -DA -c src/a/one.cpp"},
            {"file": "src/b/two.cpp", "command": "g++ -DB -c src/b/two.cpp"},
        )
        for including in ([], [("src/gone.cpp", 0)]):
            (command,) = commands_for_header(tree.plan(), "src/b/x.h", "only", including)
            assert own(command, tree.toolchain) == ("-DB",)

    def test_without_any_unit_like_the_configuration(self, tree: Tree) -> None:
        (command,) = commands_for_header(tree.plan(configuration(compile_commands=None, defines=("X",))), "x.h", "only")
        assert (command.origin, own(command, tree.toolchain)) == ("synthesised", ("-DX",))

    def test_a_c_units_header_stays_c(self, tree: Tree) -> None:
        tree.write("src/a.c")
        tree.database({"file": "src/a.c", "command": "cc -std=c17 -c src/a.c"})
        (command,) = commands_for_header(tree.plan(sources=("src/*.c",)), "src/x.h", "only", [("src/a.c", 0)])
        assert command.language == "c"
        assert {"-std=c17", "c"} <= set(command.arguments)


@pytest.mark.usefixtures("toolchain")
def test_the_planned_command_parses(tree: Tree) -> None:
    """Foreign, hostile and oddly spelled flags together: libclang finds every header and macro, and no fault."""
    tree.write("third party/lib.h", "struct Lib {};")
    tree.write("src/pre.h", "#define PRE 1")
    tree.write("build/flags.rsp", "-std=c++20 -I ../src\n-DMODE=1")
    tree.write(
        "src/a.cpp",
        "#include <lib.h>\n#if MODE != 1 || PRE != 1 || __cplusplus < 202002L || !defined(__aarch64__)\n"
        "#error flags\n#endif\n"
        "constexpr const char* kName = NAME; consteval int f() { return sizeof(Lib) + kName[0]; }\nint x = f();\n",
    )
    tree.database(
        {
            "directory": "build",
            "file": "../src/a.cpp",
            "command": "ccache /opt/none/bin/aarch64-linux-android29-clang++ -mllvm -polly"
            " -march=armv8-a+simd -flto=thin -fplugin=/x.so -Xclang -load -Xclang /x.so -I '../third party'"
            " @flags.rsp -include ../src/pre.h"
            " -MD -MF a.d"
            r" -DNAME=\"wire\" -fipa-pta -save-temps -Wp,-MMD,x.d -o a.o -c ../src/a.cpp",
        }
    )
    (command,) = tree.plan().commands
    unit = cindex.Index.create().parse(str(tree.root / command.path), args=list(command.arguments))
    assert [str(item) for item in unit.diagnostics] == []
    assert sorted(path.name for path in tree.root.iterdir()) == ["build", "compile_commands.json", "src", "third party"]
