import { expect, it } from 'vitest'
import { overHttp } from '../support/service.ts'

// Sections 2.6 and 4.5

const path = '/api/v2/credential/states'

it('accepts the code of a jurisdiction in lower case', async () => {
  const { get } = await overHttp()

  const [lower, upper] = [await get(`${path}/ca/providers`), await get(`${path}/CA/providers`)]

  expect(lower.status).toBe(200)
  expect(lower.data).toEqual(upper.data)
})

it('returns 404 not_found for an unknown jurisdiction', async () => {
  const { get } = await overHttp()

  const { status, error } = await get(`${path}/ZZ/providers`)

  expect([status, error?.code]).toEqual([404, 'not_found'])
})
