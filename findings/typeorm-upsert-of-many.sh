#!/usr/bin/env bash
# typeorm 1.1.1: `upsert` leaves a column alone that the entity does not have. In an `upsert` of many, it sets a column
# of all of them if one has it: a value is NULL, or the default, that no entity mentions. Neither changes the columns
# of `@VersionColumn` and `@UpdateDateColumn`, so an optimistic lock does not notice. `update` does.
# Seen: the phone of Anna stays if she is upserted alone, and is null together with Ben, at version 1.
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
    version: { type: Number, version: true },
  },
})
const run = async () => {
  const source = await new DataSource({ type: 'sqljs', entities: [Person], synchronize: true }).initialize()
  const people = source.getRepository(Person)
  await people.save({ id: 1, name: 'Anna', phone: '+49 30 901820' })
  const log = async (name) => {
    const { phone, version } = await people.findOneBy({ id: 1 })
    console.log(`${name}: ${phone}, version ${version}`)
  }
  await people.upsert([{ id: 1, name: 'Anna Lee' }], ['id'])
  await log('alone')
  await people.upsert([{ id: 1, name: 'Anna Lee' }, { id: 2, name: 'Ben', phone: '+49 30 901821' }], ['id'])
  await log('with Ben')
  await people.update({ id: 1 }, { name: 'Anna Maria Lee' })
  await log('update')
}
run()
JS
[ "$(node people.cjs)" = 'alone: +49 30 901820, version 1
with Ben: null, version 1
update: null, version 2' ]
echo 'as described'
