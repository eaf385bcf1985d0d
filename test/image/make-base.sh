#!/bin/sh
# A base image without a registry of images: Node with npm as they are here, a shell, the libraries of both, and the
# certificates that npm trusts here. usage: make-base.sh FOLDER NODE
set -eu
root="$1/root" node="$2"
npm="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"
mkdir -p "$root/bin" "$root/etc" "$root/root" "$root/usr/bin" "$root/usr/local/bin" "$root/usr/local/lib/node_modules"
mkdir -m 1777 "$root/tmp"
cp -L "$node" "$root/usr/local/bin/node"
cp -RL "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
cp -L /bin/sh /bin/chmod "$root/bin"
cp -L /usr/bin/env "$root/usr/bin/env"
for library in $(ldd "$node" /bin/sh /bin/chmod /usr/bin/env | grep -o '/[^ :]*\.so[^ ]*' | sort -u); do
  mkdir -p "$root/$(dirname "$library")"
  cp -L "$library" "$root/$library"
done
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
{
  echo 'FROM scratch'
  echo 'COPY root /'
  echo 'ENV PATH=/usr/local/bin:/usr/bin:/bin'
} >"$1/Containerfile"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp -L "$NODE_EXTRA_CA_CERTS" "$root/etc/npm-certificates.pem"
  echo 'ENV NODE_EXTRA_CA_CERTS=/etc/npm-certificates.pem' >>"$1/Containerfile"
fi
