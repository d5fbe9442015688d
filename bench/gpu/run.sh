#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh FOLDER [OPTION...]: every benchmark on this machine's GPU, beside cuda.core where it is
# installed; samples as JSON into FOLDER. Options go to the programs, such as --quick.
#
# BIN is the folder of cmm_bench_gpu (build/bin), PYTHON the interpreter that has cuda.core.
# The two programs take turns, three times, so that neither has the machine at a better hour.
set -eu

[ $# -ge 1 ] || {
    sed -n '3,7s/^# //p' "$0" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
bin=${BIN:-$here/../../build/bin}
python=${PYTHON:-python3}
mkdir -p "$folder"

peer=no
if "$python" -c 'import cuda.core' 2>/dev/null; then peer=yes; fi
[ "$peer" = yes ] || echo "cuda.core is not installed: its rows are left out" >&2

for turn in 1 2 3; do
    echo "== turn $turn of 3" >&2
    "$bin/cmm_bench_gpu" --rounds 3 --only prefetch there discard copy calls alloc \
        --json "$folder/cmm-$turn.json" "$@" >"$folder/cmm-$turn.txt"
    [ "$peer" = no ] ||
        "$python" "$here/peer.py" --rounds 3 --json "$folder/peer-$turn.json" "$@" >"$folder/peer-$turn.txt"
done
echo "== one large range" >&2
"$bin/cmm_bench_gpu" --rounds 9 --only bulk --json "$folder/cmm-bulk.json" "$@" >"$folder/cmm-bulk.txt"
echo "== crossovers" >&2
"$bin/cmm_bench_gpu" --rounds 9 --crossovers --json "$folder/cmm-crossovers.json" "$@" \
    >"$folder/crossovers.txt"
set --
[ "$peer" = no ] || set -- "$folder"/peer-?.json
"$python" "$here/results.py" --merge "$folder/results.json" "$folder"/cmm-*.json "$@" >"$folder/results.txt"
cat "$folder/results.txt"
