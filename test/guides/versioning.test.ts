import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { experimentalEndpoints } from '../../src/contract/verification/experimental.ts'
import { workflowEndpoints } from '../../src/contract/verification/workflows.ts'
import { documentedCode } from '../support/documented-code.ts'
import { compilers } from '../types/compilers.ts'

const guide = documentedCode('docs/versioning.md')
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/versioning.md')
const row = (name: string) => page.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? ''

it('the switch handles states that it does not list', async () => {
  const { pageFor } = await guide.load<{ pageFor(verification: object): string }>(
    'What a minor version may change',
  )

  expect(['approved', 'open', 'later'].map((state) => pageFor({ state }))).toEqual([
    '/welcome',
    '/verify',
    '/verify',
  ])
})

it('a program that augments a registry compares with the added value', async () => {
  const { isSuspended } = await guide.load<{ isSuspended(session: object): boolean }>(
    'Values that the service adds',
  )

  expect(['SUSPENDED', 'IN_PROGRESS'].map((status) => isSuspended({ status }))).toEqual([true, false])
})

it('lists the versions that package.json accepts and the tests use', () => {
  const { engines, peerDependencies } = JSON.parse(read('package.json'))

  expect(row('Node')).toContain(String(engines.node).replace('>=', ''))
  for (const version of compilers) expect(row('TypeScript')).toContain(version.replace('typescript-', ''))
  for (const [name, what] of [
    ['express', 'Express'],
    ['fastify', 'Fastify'],
    ['msw', 'MSW'],
  ] as const) {
    const majors = String(peerDependencies[name]).match(/\d+(?=\.0\.0)/g) ?? []
    for (const major of majors) expect(row(what)).toContain(major)
  }
  expect(row('Redis')).toContain('node-redis 5 or ioredis 5')
})

it('every operation that the contract does not confirm is experimental', () => {
  const operations = [...workflowEndpoints, ...experimentalEndpoints]

  expect(operations.filter((endpoint) => !endpoint.unconfirmed)).toEqual([])
  expect(operations.filter(({ operation }) => !operation.startsWith('experimental.'))).toEqual([])
})
