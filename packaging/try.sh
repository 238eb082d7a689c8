#!/bin/sh
# Installs the package in a clean Debian system and tries what it brings: `try.sh PACKAGE EXAMPLES`. Run inside that system by
# `cargo xtask deb`; needs man-db, shared-mime-info and gio there.
set -eu
package=$1
examples=$2

dpkg --install "$package"
galatea --version
galatea roundtrip "$examples"

man --where galatea
man galatea | grep -q 'galatea' || { echo "the manual page is empty" >&2; exit 1; }
bash -n /usr/share/bash-completion/completions/galatea
grep -q '^#compdef galatea' /usr/share/zsh/vendor-completions/_galatea
grep -q '^complete -c galatea' /usr/share/fish/vendor_completions.d/galatea.fish

# What the desktop thinks a file is.
mime() {
    found=$(gio info -a standard::content-type "$examples/$1" | sed -n 's/^ *standard::content-type: //p')
    if [ "$found" != "$2" ]; then
        echo "$1 is taken for $found, not for $2" >&2
        exit 1
    fi
    echo "$1: $found"
}
mime statue.mdl model/x-kotor-mdl
mime statue.mdl.ascii model/x-kotor-mdl-ascii
mime room.wok model/x-kotor-bwm
mime crate.pwk model/x-kotor-bwm
mime gate0.dwk model/x-kotor-bwm
mime room.wok.ascii model/x-kotor-bwm-ascii
mime statue_800.mdx model/x-warcraft3-mdx
mime statue_1000.mdx model/x-warcraft3-mdx
mime statue_800.mdl model/x-warcraft3-mdl
mime statue.fmdl model/x-fox-fmdl
mime statue.blp image/x-blp

# As a file manager would: the command of the entry, a file that is already there, and no extension.
entry=/usr/share/thumbnailers/galatea.thumbnailer
for file in statue.mdl statue_800.mdx statue.fmdl room.wok; do
    out=$(mktemp)
    command=$(sed -n 's/^Exec=//p' "$entry" | sed "s|%i|$examples/$file|; s|%o|$out|; s|%s|128|")
    $command
    # The signature of a PNG, then its width and height in the header.
    head=$(od -An -tx1 -N24 "$out" | tr -d ' \n')
    case $head in
        89504e470d0a1a0a0000000d494844520000008000000080) echo "$file: thumbnail of 128 x 128 pixels" ;;
        *) echo "$file: no thumbnail of 128 x 128 pixels" >&2; exit 1 ;;
    esac
    rm "$out"
done

dpkg --remove galatea
test ! -e /usr/bin/galatea
echo "installed, tried and removed"
