#!/bin/sh
# 7-Zip 26.02 (Debian 7zip 22.01+really26.02+dfsg-0+deb12u1) stores what it reads from a pipe with the file type of the
# pipe: `cat bot.py | 7zz a -sibot.py bot.zip` writes an entry whose Unix mode is a named pipe, with the content.
# From a redirected file, `7zz a -sibot.py bot.zip <bot.py`, the same command writes a regular file.
# Seen: "pipe: p, redirected file: -"
set -eu
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
apt-get download -qq '7zip=22.01+really26.02+dfsg-0+deb12u1' >/dev/null 2>&1
dpkg -x 7zip*.deb root
PATH=$PWD/root/usr/lib/7zip:$PWD/root/usr/bin:$PATH
echo 'print(1)' >bot.py
cat bot.py | 7zz a -sibot.py piped.zip >/dev/null
7zz a -sibot.py redirected.zip <bot.py >/dev/null
kind() { python3 -c 'import stat, sys, zipfile
(entry,) = zipfile.ZipFile(sys.argv[1]).infolist()
print(stat.filemode(entry.external_attr >> 16)[0])' "$1"; }
echo "pipe: $(kind piped.zip), redirected file: $(kind redirected.zip)"
[ "$(kind piped.zip)" = p ] && [ "$(kind redirected.zip)" = - ]
