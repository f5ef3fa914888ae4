import { after, before, test } from 'node:test'
import { testStore } from 'identity-service-sdk/stores/testing'
import { createPool } from 'mysql2/promise'
import { mysqlStore, mysqlStoreSql } from './mysql2-store.ts'

const { MYSQL_URL } = process.env
if (!MYSQL_URL) throw new Error('MYSQL_URL is missing: set it to an empty database')
// As an app may set it, to get text instead of buffers.
const pool = createPool({ uri: MYSQL_URL, typeCast: (field) => field.string(), rowsAsArray: true, nestTables: true })

before(() => pool.query(mysqlStoreSql))
after(() => pool.end())

for (const { name, run } of testStore(() => mysqlStore(pool))) test(name, run)
