import { expect, it } from 'vitest'
import { testOrg } from '../support/org-client.ts'
import { rosterOperations } from '../support/roster-operations.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'

// The contract calls it safe to retry for the verification API only.
it.each(rosterOperations)(
  '$name is retried after 500 internal_error only if it is safe',
  async (operation) => {
    const { fetch, requests } = scriptedFetch(fail(500, 'internal_error'), succeed(operation.data))
    const { org } = testOrg({ fetch })

    const outcome = await operation.call(org).then(
      () => 'done',
      (error: { attempts: number }) => `failed after ${error.attempts}`,
    )

    expect(outcome).toBe(operation.isSafe ? 'done' : 'failed after 1')
    expect(requests).toHaveLength(operation.isSafe ? 2 : 1)
  },
)
