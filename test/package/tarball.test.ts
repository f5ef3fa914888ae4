import { readFile } from 'node:fs/promises'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

let installed: InstalledPackage
let tarball: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  installed = await installPackage()
  tarball = new Uint8Array(await readFile(installed.tarball))
}, 60_000)

afterAll(() => installed.remove())

it('publint reports no error, warning or suggestion for the tarball', async () => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })

  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
})

it('each entry has types for every kind of import, which match the code that is loaded', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball), {
    // The OpenAPI document is JSON, which needs no declarations.
    excludeEntrypoints: ['./openapi.json'],
  })

  if (!analysis.types) return expect.fail('the tarball has no types')
  expect(analysis.problems).toEqual([])
}, 60_000)
