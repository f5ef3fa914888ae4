import { expect, it } from 'vitest'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const { client } = testClient({ responseValidation: 'strict' })

const burst = (frames: number) => ({ frames: Array.from({ length: frames }, (_, i) => `ZnJhbWU${i}`) })

const methods = [
  ['antispoof.check', '/antispoof', client.antispoof.check.bind(client.antispoof)],
  ['antispoof.identity', '/antispoof/identity', client.antispoof.identity.bind(client.antispoof)],
  ['faceUniqueness.check', '/face-uniqueness', client.faceUniqueness.check.bind(client.faceUniqueness)],
] as const

const accepted = [3, 4, 7, 8]

it.each(methods.flatMap(([name, path, call]) => accepted.map((frames) => ({ name, path, call, frames }))))(
  '$name sends a burst of $frames frames',
  async ({ path, call, frames }) => {
    service.respondTo(`POST /api/v2${path}`, ok(null))

    await call(burst(frames))

    expect(await service.requests[0]?.json()).toEqual(burst(frames))
  },
)

it.each(methods)(
  '%s sends a single image or any other body, and returns any response',
  async (_, path, call) => {
    const body = { image: 'c2VsZmll', options: { depth: [1, 2] }, threshold: 0.5 }
    const result = { human_score: 0.2, later: ['field'] }
    service.respondTo(`POST /api/v2${path}`, ok(result))

    expect(await call(body)).toEqual(result)
    expect(await service.requests[0]?.json()).toEqual(body)
  },
)

it('has no method to unlink a face, because the contract gives that operation no path', () => {
  const methodsOf = (resource: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).sort()

  expect(methodsOf(client.antispoof)).toEqual(['check', 'constructor', 'identity'])
  expect(methodsOf(client.faceUniqueness)).toEqual(['check', 'constructor', 'delete'])
})
