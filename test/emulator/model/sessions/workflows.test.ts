import { expect, it } from 'vitest'
import { overHttp } from '../../support/service.ts'

// Sections 2.7 and 4.2: the contract infers these paths and does not show their payloads

const path = '/api/v2/workflows'

interface Workflow {
  readonly id: string
  readonly name: string
  readonly features: readonly string[]
}

it('creates, returns, lists, changes and deletes a workflow', async () => {
  const { call, get, patch, post } = await overHttp()

  const { data: created } = await post<Workflow>(path, { name: 'Adults', features: ['age', 'location'] })
  expect(created).toEqual({
    id: expect.stringMatching(/^wf_/),
    name: 'Adults',
    features: ['age', 'location'],
  })
  const ofWorkflow = `${path}/${created.id}`
  expect((await get(ofWorkflow)).data).toEqual(created)
  expect((await get<Workflow[]>(path)).data).toContainEqual(created)

  const changed = { ...created, name: 'Grown-ups' }
  expect((await patch(ofWorkflow, { name: 'Grown-ups' })).data).toEqual(changed)
  expect((await get(ofWorkflow)).data).toEqual(changed)

  expect(await call('DELETE', ofWorkflow)).toMatchObject({ status: 200, data: null })
  expect((await get(ofWorkflow)).error?.code).toBe('workflow_not_found')
})

it('keeps fields of a workflow that the contract does not list', async () => {
  const { post, patch } = await overHttp()

  const { data: created } = await post<Workflow>(path, { name: 'Age', features: ['age'], note: 'x' })
  const { data: changed } = await patch(`${path}/${created.id}`, { name: 'Adult' })

  expect(created).toMatchObject({ note: 'x' })
  expect(changed).toEqual({ id: created.id, name: 'Adult', features: ['age'], note: 'x' })
})

it('never changes the id of a workflow', async () => {
  const { patch } = await overHttp()

  const { data } = await patch<Workflow>(`${path}/wf_identity`, { id: 'wf_professional' })

  expect(data.id).toBe('wf_identity')
})

it.each([
  { name: 1, features: [] },
  { name: 'x', features: 'age' },
])('rejects a workflow whose name or features have another type with 400: %j', async (workflow) => {
  const { post } = await overHttp()

  const { status, error } = await post(path, workflow)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it('drops a __proto__ member of a workflow', async () => {
  const { post } = await overHttp()
  const workflow: unknown = JSON.parse('{"name":"x","features":[],"__proto__":{"polluted":true}}')

  const { status, data } = await post<object>(path, workflow)

  expect(status).toBe(200)
  expect(Object.keys(data).sort()).toEqual(['features', 'id', 'name'])
})
