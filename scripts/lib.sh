# Sourced by the scripts of this folder.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED FOUND: compares dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# The browser of the browser tests; fails when there is none.
find_chromium() {
    local name
    for name in chromium chromium-browser google-chrome; do
        if command -v "$name"; then return; fi
    done
    return 1
}
