#!/usr/bin/env bash
# typeorm 1.1.1: `upsert` leaves a column alone that the entity does not have. In an `upsert` of many, it sets a column
# of all of them if one has it: to NULL, or to its default, such as the role `user`, though no entity says so. It does
# not change the column of `@VersionColumn` either, so an optimistic lock does not notice; `update` changes it. Postgres
# does the same as SQLite here. Seen: phone and role of Anna stay if she is upserted alone, and are lost with Ben.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund typeorm@1.1.1 sql.js@1.17.0 reflect-metadata@0.2.2 >>npm.log
cat >people.cjs <<'JS'
const { DataSource, EntitySchema } = require('typeorm')

const Person = new EntitySchema({
  name: 'Person',
  columns: {
    id: { type: Number, primary: true },
    name: { type: String },
    phone: { type: String, nullable: true },
    role: { type: String, default: 'user' },
    version: { type: Number, version: true },
  },
})
const run = async () => {
  const source = await new DataSource({ type: 'sqljs', entities: [Person], synchronize: true }).initialize()
  const people = source.getRepository(Person)
  await people.save({ id: 1, name: 'Anna', phone: '+49 30 901820', role: 'owner' })
  const log = async (name) => {
    const { phone, role, version } = await people.findOneBy({ id: 1 })
    console.log(`${name}: ${phone}, ${role}, version ${version}`)
  }
  await people.upsert([{ id: 1, name: 'Anna Lee' }], ['id'])
  await log('alone')
  const ben = { id: 2, name: 'Ben', phone: '+49 30 901821', role: 'owner' }
  await people.upsert([{ id: 1, name: 'Anna Lee' }, ben], ['id'])
  await log('with Ben')
  await people.update({ id: 1 }, { name: 'Anna Maria Lee' })
  await log('update')
}
run()
JS
[ "$(node people.cjs)" = 'alone: +49 30 901820, owner, version 1
with Ben: null, user, version 1
update: null, user, version 2' ]
echo 'as described'
