#!/bin/sh
# The purity lane: runs every gate and leaves the reports in a folder. The exit code is mgaudit's: 0 clean, 1 red,
# 2 untrusted; whatever goes wrong here is 2, too, so that no lane is green by accident.
#
# usage: lane.sh [--base REV] [--out DIR] [CHECK-OPTION...]
#
#   --base REV   also write the delta from REV to HEAD, for the reviewer
#   --out DIR    where the reports go; default: mgaudit-reports
#
# Reports: run.json, run.sarif, junit.xml, summary.md and, with --base, delta.md. On GitHub, annotations are printed and
# the job's summary is written.
set -u

base='' out=mgaudit-reports
while [ $# -gt 0 ]; do
    case $1 in
        --base) base=${2-} && shift 2 || exit 2 ;;
        --out) out=${2-} && shift 2 || exit 2 ;;
        -h | --help) sed -n '/^# usage/,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) break ;;
    esac
done

command -v mgaudit >/dev/null || { echo "lane: mgaudit is not installed" >&2; exit 2; }
mkdir -p "$out" || exit 2
rm -f "$out/run.json" "$out/run.sarif" "$out/junit.xml" "$out/summary.md" "$out/delta.md"

form=text
[ -n "${GITHUB_ACTIONS-}" ] && form=github
mgaudit check --output-format "$form" --also "json=$out/run.json" --also "sarif=$out/run.sarif" \
    --also "junit=$out/junit.xml" --also "markdown=$out/summary.md" "$@"
code=$?

# A run that left no report, or one of another answer, said nothing.
for report in run.json run.sarif junit.xml summary.md; do
    [ -s "$out/$report" ] || { echo "lane: $report was not written" >&2; code=2; }
done
grep -q "^  \"exit-code\": $code,\$" "$out/run.json" 2>/dev/null || {
    echo "lane: run.json does not say that the exit code is $code" >&2
    code=2
}

if [ -n "$base" ]; then
    mgaudit diff "$base" HEAD --output "$out/delta.md"
    [ -s "$out/delta.md" ] || { echo "lane: delta.md was not written: see above" >&2; code=2; }
fi
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
    for report in delta.md summary.md; do
        [ -s "$out/$report" ] && { cat "$out/$report"; echo; } >>"$GITHUB_STEP_SUMMARY"
    done
fi
exit "$code"
