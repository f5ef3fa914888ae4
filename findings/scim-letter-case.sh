#!/usr/bin/env bash
# scim-patch 0.8.3 and scim2-parse-filter 0.2.10: letter case decides where RFC 7643 says that it does not. Names of
# attributes are not case-sensitive (2.1), and neither is the value of userName (4.1.1). A directory that sends the
# path "Active" makes a second attribute next to `active`, without an error, so the person stays active. A search for
# the userName in other letters does not find the person, so the directory adds the person again. Seen: the user and
# the counts below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund scim-patch@0.8.3 scim2-parse-filter@0.2.10 >>npm.log
cat >users.mjs <<'JS'
import { scimPatch } from 'scim-patch'
import { filter, parse } from 'scim2-parse-filter'

const emails = [{ type: 'work', value: 'old' }]
const user = () => structuredClone({ userName: 'anna', active: true, emails })
const patch = (path, value) => console.log(JSON.stringify(scimPatch(user(), [{ op: 'replace', path, value }])))
patch('active', false)
patch('Active', false)
patch('emails[type eq "Work"].value', 'new')
const found = (text) => [user()].filter(filter(parse(text))).length
console.log(found('userName eq "anna"'), found('userName eq "Anna"'))
JS
[ "$(node users.mjs)" = '{"userName":"anna","active":false,"emails":[{"type":"work","value":"old"}]}
{"userName":"anna","active":true,"emails":[{"type":"work","value":"old"}],"Active":false}
{"userName":"anna","active":true,"emails":[{"type":"work","value":"old"},{"type":"Work","value":"new"}]}
1 0' ]
echo 'as described'
