import { expect, it } from 'vitest'
import { experimentalEndpoints } from '../../src/contract/verification/experimental.ts'
import { workflowEndpoints } from '../../src/contract/verification/workflows.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/reference/versioning.md')

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

it('every operation that the contract does not confirm is experimental', () => {
  const operations = [...workflowEndpoints, ...experimentalEndpoints]

  expect(operations.filter((endpoint) => !endpoint.unconfirmed)).toEqual([])
  expect(operations.filter(({ operation }) => !operation.startsWith('experimental.'))).toEqual([])
})
