import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/images.md')
const { emulator } = guide
const picture = new Uint8Array(100_000).fill(1)

beforeAll(async () => {
  for (const name of ['id-front.jpg', 'selfie.jpg']) await writeFile(join(guide.installed.project, name), picture)
})

beforeEach(() => emulator.reset())

it('each form of image is sent completely', async () => {
  const printed = await guide.run('Forms of an image')

  expect(printed).toBe('passed\n'.repeat(11))
  expect(emulator.requests).toHaveLength(11)
  for (const { bytes } of emulator.requests) {
    expect(bytes).toBeGreaterThan(picture.byteLength)
    expect(bytes).toBeLessThan(picture.byteLength + 1000)
  }
})

it('progress is reported up to the last byte, and JSON is a third larger', async () => {
  const printed = await guide.run('Choose the encoding and report progress')

  const steps = printed
    .trim()
    .split('\n')
    .map((line) => line.match(/\d+/g)?.map(Number) ?? [])
  const [loaded = 0, total = 0] = steps.at(-1) ?? []
  expect(loaded).toBe(total)
  expect(total).toBeGreaterThan(picture.byteLength)
  expect(emulator.requests.map(({ bytes }) => Math.round((bytes / picture.byteLength) * 100))).toEqual([100, 133])
})
