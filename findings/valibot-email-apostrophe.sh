#!/usr/bin/env bash
# valibot 1.5.0, zod 4.6.7, validator 13.15.35 and ajv-formats 3.0.1: which valid addresses (RFC 5322) are an email
# differs by the library. valibot refuses an apostrophe, as in O'Hara, which zod accepts; both refuse `&` and `/` before
# the @ and a top-level domain in punycode, which the others accept. A form that changes from one to the other turns
# these people away, or a roster that is validated by both has members that one half of the program refuses. Seen: the
# table below, in the order valibot, zod, validator, ajv-formats.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund valibot@1.5.0 zod@4.6.7 validator@13.15.35 ajv@8.20.0 \
  ajv-formats@3.0.1 >>npm.log
cat >emails.mjs <<'JS'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import * as v from 'valibot'
import validator from 'validator'
import { z } from 'zod'

const ajv = new Ajv.Ajv()
addFormats.default(ajv)
const validate = ajv.compile({ type: 'string', format: 'email' })
const emails = [
  "pat.o'hara@example.com",
  'r&d@example.com',
  'pat/sam@example.com',
  'pat@example.xn--p1ai',
  'pat+1@example.com',
]
for (const email of emails) {
  const accepts = [
    v.is(v.pipe(v.string(), v.email()), email),
    z.email().safeParse(email).success,
    validator.isEmail(email),
    validate(email),
  ]
  console.log(email, ...accepts.map((accepted) => (accepted ? 'yes' : 'no')))
}
JS
[ "$(node emails.mjs)" = "pat.o'hara@example.com no yes yes yes
r&d@example.com no no yes yes
pat/sam@example.com no no yes yes
pat@example.xn--p1ai no no yes yes
pat+1@example.com yes yes yes yes" ]
echo 'as described'
