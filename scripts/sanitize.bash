#!/usr/bin/env bash
# Does the code in C stay within its memory, and within what C defines? Builds every module with the
# sanitizers of the compiler, in a place of its own, and runs the suites of the modules on them.
# With arguments: runs Python with these on them instead. The first thing that is wrong ends the run.
set -eu

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$root/scripts/venv.bash"
venv=$(venv_path "$root")
place=$venv/sanitized
cc=${CC:-gcc}
cd -- "$root"

# The project's own files by symbolic links, beside modules that are only here.
rm -rf -- "$place"
mkdir -p -- "$place"
cp -rs -- "$root/src" "$place/src"
find "$place/src" -name '*.so' -delete
"$venv/bin/python" scripts/compile.py --into "$place" -g -O1 -fno-omit-frame-pointer \
    -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all

if [ "$#" = 0 ]; then
    suites=()
    for name in scan references html html_text html_blocks cleaners simhash sketch fingerprints \
        clusters discovery inverted analysis documents; do
        found=$(find tests -name "test_$name.py")
        [ -n "$found" ] || { echo "sanitize: there is no test_$name.py." >&2; exit 1; }
        suites+=($found)
    done
    # What memory is taken is not asked here: the sanitizer takes most of it.
    set -- -m pytest -q -p no:cacheprovider -o "pythonpath=$place/src ." -k "not memory_is_bounded" \
        "${suites[@]}"
fi

# The sanitizer has to be there before Python is; of Python's own memory it must see each piece.
env PYTHONPATH="$place/src:$root" PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 \
    LD_PRELOAD="$("$cc" -print-file-name=libasan.so) $("$cc" -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
    "$venv/bin/python" "$@"
