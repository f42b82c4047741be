#!/bin/sh
# Build the Linux program against an old glibc: in a minimal Debian of that age, with a Python built there from Debian's
# source packages. For distributions older than the machine that builds; the hosted release does not need it.
#
#   tools/old_glibc.sh FOLDER [SUITE]     as root, with debootstrap, dpkg-dev's apt-get source, and deb-src lines for a
#                                         release that has python3.13 and openssl 3; the archive is FOLDER/out/*.tar.gz
#
# Takes half an hour on two cores, most of it compiling; a second run reuses what is there.
set -eu
root=$1
suite=${2:-bullseye}
here=$(cd "$(dirname "$0")/.." && pwd)

[ -e "$root/bin/sh" ] || debootstrap --variant=minbase "$suite" "$root"
mkdir -p "$root/src" "$root/project"
(cd "$root/src" && apt-get source --download-only python3.13 openssl)
git -C "$here" archive HEAD | tar -x -C "$root/project"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/ca-certificates.crt"
mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
trap 'umount "$root/proc" "$root/dev"' EXIT

SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct) nice chroot "$root" sh -eux <<'INSIDE'
export DEBIAN_FRONTEND=noninteractive PIP_CERT=/ca-certificates.crt PREFIX=/opt/python
apt-get update -q
apt-get install -y -q --no-install-recommends build-essential perl zlib1g-dev libbz2-dev liblzma-dev libffi-dev \
  pkg-config xz-utils ca-certificates binutils
if [ ! -x $PREFIX/bin/python3 ]; then
  cd /src
  mkdir -p openssl python
  tar -xf openssl_*.orig.tar.gz -C openssl --strip-components=1
  tar -xf python3.13_*.orig.tar.xz -C python --strip-components=1
  (cd openssl && ./config --prefix=$PREFIX --libdir=lib --openssldir=/etc/ssl shared no-tests no-docs no-apps &&
    make -s -j2 && make -s install_sw)
  (cd python && ./configure --prefix=$PREFIX --enable-shared --with-openssl=$PREFIX --without-static-libpython \
    --disable-test-modules LDFLAGS="-Wl,-rpath,$PREFIX/lib -Wl,--strip-debug" && make -s -j2 && make -s install)
fi
cd /project
[ -d /build-env ] || $PREFIX/bin/python3 -m venv /build-env
/build-env/bin/pip install -q --require-hashes -r requirements/build.txt
/build-env/bin/pip install -q --no-deps --no-build-isolation --force-reinstall .
LD_LIBRARY_PATH=$PREFIX/lib /build-env/bin/python tools/build_binary.py --output /out
INSIDE
