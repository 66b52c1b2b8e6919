#!/bin/sh
# Written by `grade gradescope`. Gradescope runs it once, as root.
set -e
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends {packages}
cd "${AUTOGRADER_ROOT:-/autograder}/source"
chmod 700 . {program}
# A program that was built for other processors or another system would fail for every student.
if ! ./{program} --version; then
    echo "The grader does not start on this system: see --executable of grade gradescope." >&2
    exit 1
fi
