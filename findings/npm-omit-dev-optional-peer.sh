#!/usr/bin/env bash
# npm 10.9.4 and 11.6.2, ws 8.18.3, utf-8-validate 6.0.5: a devDependency is installed by `npm ci --omit=dev` if a
# production dependency lists it as an optional peer, and so is everything that it needs. Seen: utf-8-validate and
# node-gyp-build in node_modules; without ws, neither of them. Only `--omit=dev --omit=optional` leaves them out.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir npm && (cd npm && npm init --yes && npm install --silent --no-audit --no-fund npm-10@npm:npm@10.9.4 npm-11@npm:npm@11.6.2) >npm.log

# installed MAJOR DEPENDENCIES OPTION...: what is in node_modules after a clean install without devDependencies.
installed() {
  local npm="$folder/npm/node_modules/npm-$1/bin/npm-cli.js" dependencies=$2
  shift 2
  rm -rf "$folder/app" && mkdir "$folder/app" && cd "$folder/app"
  echo "{ \"dependencies\": { $dependencies }, \"devDependencies\": { \"utf-8-validate\": \"6.0.5\" } }" >package.json
  node "$npm" install --package-lock-only --ignore-scripts --no-audit --no-fund >>"$folder/npm.log"
  node "$npm" ci --omit=dev --ignore-scripts --no-audit --no-fund "$@" >>"$folder/npm.log"
  mkdir -p node_modules && (cd node_modules && echo ./*)
}

for major in 10 11; do
  [ "$(installed $major '"ws": "8.18.3"')" = './node-gyp-build ./utf-8-validate ./ws' ]
  [ "$(installed $major '"ms": "2.1.3"')" = './ms' ]
  [ "$(installed $major '"ws": "8.18.3"' --omit=optional)" = './ws' ]
done
echo 'as described'
