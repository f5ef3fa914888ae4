import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Endpoint } from '../../../src/contract/endpoint.ts'
import { organizationEndpoints } from '../../../src/contract/organization/endpoints.ts'
import type { Schema } from '../../../src/contract/schema/schema.ts'
import { verificationEndpoints } from '../../../src/contract/verification/endpoints.ts'
import { placesIn, withPart } from '../../support/json-parts.ts'
import { operations } from '../../support/operations.ts'
import { rosterOperations } from '../../support/roster-operations.ts'

const endpoints: readonly Endpoint[] = [...verificationEndpoints, ...organizationEndpoints]

/** The payload of each documented response, and what the contract says about it. */
const payloads = [...operations, ...rosterOperations].flatMap(({ name, data }) => {
  const endpoint = endpoints.find(({ operation }) => operation === name)
  if (endpoint === undefined) return []
  const payload = endpoint.unwrap === undefined ? data : Object(data)[endpoint.unwrap]
  return [{ name, declared: endpoint.response as Schema, payload }]
})

const parts = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY, [], {}, [{}], ''),
)

it.each(payloads)('accepts what zod accepts: responses of $name, with one part changed', (one) => {
  const { declared, payload } = one
  const acceptedByZod = (value: unknown) => z.safeParse(declared.zod, value).success

  expect(declared.issues(payload)).toEqual([])
  fc.assert(
    fc.property(fc.constantFrom(...placesIn(payload)), parts, (place, part) => {
      const changed = withPart(payload, place, part)

      expect(declared.issues(changed).length === 0).toBe(acceptedByZod(changed))
    }),
    { numRuns: 300 },
  )
})
