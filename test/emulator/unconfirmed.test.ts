import { expect, it } from 'vitest'
import { emulated, formOf } from './emulated.ts'

it('keeps workflows as plain records', async () => {
  const { call, session } = emulated()
  const { data } = await call('POST', '/api/v2/workflows', {
    json: { name: 'Age', features: ['age'], note: 'x' },
  })
  const { id } = data as { id: string }
  expect(data).toEqual({ id: expect.stringMatching(/^wf_/), name: 'Age', features: ['age'], note: 'x' })
  expect((await session({ workflow_id: id })).features).toEqual(['age'])

  const renamed = await call('PATCH', `/api/v2/workflows/${id}`, { json: { name: 'Adult', id: 'stolen' } })
  expect(renamed.data).toEqual({ id, name: 'Adult', features: ['age'], note: 'x' })
  expect((await call('GET', '/api/v2/workflows')).data).toContainEqual(renamed.data)
  expect(await call('DELETE', `/api/v2/workflows/${id}`)).toMatchObject({ status: 200, data: null })

  const unknown = { status: 404, error: { code: 'workflow_not_found' } }
  expect(await call('GET', `/api/v2/workflows/${id}`)).toMatchObject(unknown)
  expect(await call('PATCH', `/api/v2/workflows/${id}`, { json: {} })).toMatchObject(unknown)
  expect(await call('DELETE', `/api/v2/workflows/${id}`)).toMatchObject(unknown)
  expect((await call('POST', '/api/v2/workflows', { json: { name: 1, features: [] } })).status).toBe(400)
  expect((await call('POST', '/api/v2/workflows', { json: { name: 'x', features: 'age' } })).status).toBe(400)
})

it('keeps no __proto__ of a record', async () => {
  const { call } = emulated()
  const json: unknown = JSON.parse('{"name":"x","features":[],"__proto__":{"polluted":true}}')

  const { status, data } = await call('POST', '/api/v2/workflows', { json: json as object })

  expect(status).toBeLessThan(300)
  expect(Object.keys(data as object).sort()).toEqual(['features', 'id', 'name'])
})

it('knows one face, enrolled by a uniqueness check and removed by its id', async () => {
  const { call } = emulated()
  const face = (await call('POST', '/api/v2/antispoof/identity', { json: { image: 'AAAA' } })).data as {
    uuid: string
  }
  const remove = () => call('DELETE', `/api/v2/face-uniqueness/${face.uuid}`)

  expect(await remove()).toMatchObject({ status: 404, error: { code: 'not_found' } })
  await call('POST', '/api/v2/face-uniqueness', { form: formOf('image') })
  expect((await remove()).status).toBe(200)
  expect((await remove()).status).toBe(404)
  expect((await call('POST', '/api/v2/antispoof', { json: { frames: ['a', 'b'] } })).status).toBe(400)
})
