# How does the virtual environment come to be, and stay right? Sourced by ./shoal and ./check.
#
# A stamp inside the environment holds the very text it was made from (this directory, pyproject.toml,
# the lock file, what is compiled), so a warm start is one comparison and no call of pip. The lock below is an flock
# taken through a file descriptor of the shell: two first starts at once install once, and a killed
# one leaves nothing locked. All words go to stderr; stdout belongs to the command.

venv_path() { # root
    local venv=${SHOAL_VENV:-$1/.venv}
    case $venv in
        /*) printf '%s\n' "$venv" ;;
        *) printf '%s\n' "$PWD/$venv" ;;
    esac
}

find_python() { # prints the first Python that is new enough and able to make an environment
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        # Run it: a name on the PATH may be a version manager's stub for a version that isn't active.
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
            </dev/null >/dev/null 2>&1; then
            printf '%s\n' "$name"
            return
        fi
    done
    echo "shoal: no Python 3.11 or newer with its 'venv' module was found; install one" \
        "(on Debian or Ubuntu: apt install python3 python3-venv) and try again." >&2
    return 1
}

stamp_text() { # root lock
    printf '%s\n' "$1"
    cat -- "$1/pyproject.toml" "$1/$2" "$1/hatch_build.py"
    (shopt -s globstar nullglob && cat -- /dev/null "$1"/src/shoal/**/*.[ch])
}

is_current() { # root venv lock
    [ -x "$2/bin/python" ] && stamp_text "$1" "$3" | cmp -s - "$2/.stamp-$3"
}

make_venv() { # venv
    local python
    python=$(find_python) || return 1
    if [ -e "$1/pyvenv.cfg" ]; then
        # Left half-made by an interruption, or its Python has gone: only then start it over.
        "$1/bin/python" -m pip --version </dev/null >/dev/null 2>&1 && return
        "$python" -m venv --clear -- "$1" </dev/null >&2
    elif [ -d "$1" ] && [ -n "$(ls -A -- "$1")" ]; then
        echo "shoal: $1 has files in it and is no virtual environment;" \
            "point SHOAL_VENV at an empty or new directory." >&2
        return 1
    else
        "$python" -m venv -- "$1" </dev/null >&2
    fi
}

install() { # root venv lock
    local started=$SECONDS
    local pip=("$2/bin/python" -m pip install -qq --disable-pip-version-check --no-input)
    echo "shoal: installing the libraries of $3 into $2 (once; usually under two minutes) …" >&2
    if ! { make_venv "$2" &&
        "${pip[@]}" -r "$1/$3" </dev/null >&2 &&
        "${pip[@]}" --no-deps --editable "$1" </dev/null >&2; }; then
        echo "shoal: the installation did not finish, for the reason above; mend it and run the" \
            "same command again." >&2
        return 1
    fi
    stamp_text "$1" "$3" >"$2/.stamp-$3"
    # The development lock holds every pin of the other one: what it installs serves both.
    if [ "$3" = requirements-dev.lock ]; then
        stamp_text "$1" requirements.lock >"$2/.stamp-requirements.lock"
    fi
    echo "shoal: installed in $((SECONDS - started)) s." >&2
}

ensure_venv() { # root venv lock
    is_current "$@" && return
    local python parent
    python=$(find_python) || return 1
    parent=$(dirname -- "$2")
    if ! { mkdir -p -- "$parent" && [ -w "$parent" ]; }; then
        echo "shoal: $parent can't be written to; point SHOAL_VENV at a directory of your own." >&2
        return 1
    fi
    (
        "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' || exit 1
        is_current "$@" || install "$@" # another start may have done it while this one waited
    ) 9>"$2.lock"
}
