#!/bin/sh
# bsdtar 3.6.2 (Debian libarchive-tools 3.6.2-1+deb12u5) pads a ZIP archive that it writes to standard output with
# zeros to a multiple of 10,240 bytes, as if it were a tape. With `-f FILE` it does not, so a strict ZIP reader finds
# data after the end record of the piped archive only.
# Seen: "file 201, standard output 10240, zeros after the end record: 10039"
set -eu
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
apt-get download -qq libarchive-tools=3.6.2-1+deb12u5 libarchive13=3.6.2-1+deb12u5 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
bsdtar() { LD_LIBRARY_PATH=root/usr/lib/$(uname -m)-linux-gnu root/usr/bin/bsdtar "$@"; }
echo 'print(1)' >bot.py
bsdtar -a -cf file.zip bot.py
bsdtar --format zip -cf - bot.py >standard-output.zip
file=$(wc -c <file.zip)
piped=$(wc -c <standard-output.zip)
rest=$(tail -c $((piped - file)) standard-output.zip | tr -d '\0' | wc -c)
echo "file $file, standard output $piped, zeros after the end record: $((piped - file))"
[ "$file" -lt 512 ] && [ "$piped" -eq 10240 ] && [ "$rest" -eq 0 ]
