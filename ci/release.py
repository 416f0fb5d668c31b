"""Makes a release: version, changelog, wheel and sdist, checked. Nothing leaves this machine.

usage: python ci/release.py VERSION [--dry-run] [--keep DIR]

Sets the version, gives the changelog's unreleased part its number and date, builds, checks what was built, commits and
tags. Pushing the tag starts .github/workflows/release.yml, which builds again and publishes by trusted publishing. With
--dry-run, what would be released is built and checked from the tree as it is, and nothing is changed.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
VERSION_FILE = ROOT / "src/mgaudit/__init__.py"
VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
WHEEL = (
    "mgaudit/rules/mobilegl/mgaudit.toml",
    "mgaudit/rules/mobilegl/reads.def",
    "mgaudit/examples/minigl/mgaudit.toml",
    "mgaudit/examples/minigl/src/backend/BackendObject.h",
    "mgaudit/examples/broken/src/backend/gles/GlesObjects.h",
    "mgaudit/gates/include_purity/page.md",
    "mgaudit/commands/topics/baselines.md",
    "mgaudit/reports/templates/report.html.j2",
)
SDIST = (
    "LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "hatch_build.py", ".pre-commit-hooks.yaml",
    "ci/lane/lane.sh", "docs/quickstart.md", "tests/conftest.py", "src/mgaudit/rules/mobilegl/mgaudit.toml",
)  # fmt: skip


class ReleaseError(Exception):
    """The release cannot be made; the message says why."""


def main() -> int:
    """Make the release, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave what was built here")
    arguments = parser.parse_args()
    try:
        if not arguments.dry_run:
            prepare(arguments.version)
        with tempfile.TemporaryDirectory() as folder:
            built = build(Path(folder))
            check(built, arguments.version)
            if arguments.keep:
                arguments.keep.mkdir(exist_ok=True)
                for file in built:
                    shutil.copy(file, arguments.keep)
        if not arguments.dry_run:
            run("git", "commit", "--all", "--message", f"Release {arguments.version}")
            run("git", "tag", "--annotate", f"v{arguments.version}", "--message", f"mgaudit {arguments.version}")
    except ReleaseError as error:
        sys.stderr.write(f"no release: {error}\n")
        return 1
    done = "would be" if arguments.dry_run else "is"
    print(f"mgaudit {arguments.version} {done} ready; `git push --follow-tags` publishes it")
    return 0


def prepare(version: str) -> None:
    """Write the version and the changelog."""
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"{version} is no version: write 1.2.3, or 1.2.3rc1")
    if run("git", "status", "--porcelain"):
        raise ReleaseError("the work tree has changes: commit them first")
    if run("git", "tag", "--list", f"v{version}"):
        raise ReleaseError(f"v{version} is tagged already")
    CHANGELOG.write_text(
        released(CHANGELOG.read_text(encoding="utf-8"), version, dt.datetime.now(dt.UTC).date()), encoding="utf-8"
    )
    text = VERSION_FILE.read_text(encoding="utf-8")
    VERSION_FILE.write_text(re.sub(r'__version__ = ".*?"', f'__version__ = "{version}"', text), encoding="utf-8")


def released(changelog: str, version: str, day: dt.date) -> str:
    """The changelog with its unreleased part as that of a version."""
    head, mark, rest = changelog.partition("## [Unreleased]\n")
    unreleased = re.split(r"^## \[", rest, maxsplit=1, flags=re.MULTILINE)[0]
    if not mark or not re.search(r"^- ", unreleased, re.MULTILINE):
        raise ReleaseError("the changelog has nothing under [Unreleased]")
    return f"{head}{mark}\n## [{version}] - {day.isoformat()}\n{rest}"


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel for any platform, made from the sdist as everybody else would, and the sdist."""
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), MGAUDIT_NATIVE="0")
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def check(built: tuple[Path, Path], version: str) -> None:
    """Make sure that what was built is whole, says what it is, and runs where nothing else is installed."""
    wheel, sdist = built
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    missing = [name for name in WHEEL if name not in names]
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing += [name for name in SDIST if name not in names]
    if missing:
        raise ReleaseError(f"what was built lacks {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        tools = Path(folder, "Scripts" if os.name == "nt" else "bin")
        run(str(tools / "python"), "-m", "pip", "install", "--quiet", str(wheel))
        said = run(str(tools / "mgaudit"), "--version", cwd=folder)
        if said != f"mgaudit {version}":
            raise ReleaseError(f"the wheel says that it is {said}, not {version}")
        run(str(tools / "mgaudit"), "demo", cwd=folder)
        run(str(tools / "mgaudit"), "demo", "--broken", cwd=folder)


def run(*words: str, cwd: str | Path = ROOT, **variables: str) -> str:
    """What a command says on standard output; a failure ends the release."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | variables
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(words)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
