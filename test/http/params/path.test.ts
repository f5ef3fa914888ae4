// Not ASCII: cspell:ignore çødé

import { expect, it } from 'vitest'
import { InvalidParamsError } from '../../../src/index.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')

it.each([
  ['a/b', 'a%2Fb'],
  ['a?b=c#d', 'a%3Fb%3Dc%23d'],
  ['ada+tag@example.test', 'ada%2Btag%40example.test'],
  ['ünï/çødé', '%C3%BCn%C3%AF%2F%C3%A7%C3%B8d%C3%A9'],
  ['😀', '%F0%9F%98%80'],
  ['100%', '100%25'],
  ['a/b..c/.d', 'a%2Fb..c%2F.d'],
  ['..;', '..%3B'],
  ['a\r\nb', 'a%0D%0Ab'],
  ['...', '...'],
])('encodes the id %j as one segment of the path: %s', async (id, segment) => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })

  await client.sessions.retrieve(id)

  expect(requests[0]?.url).toBe(`https://id.example.test/api/v2/session/${segment}`)
})

it.each([
  '',
  '.',
  '..',
  '\\',
  'a\\b',
  '..\\..\\usage',
  'a%5cb',
  '%5C',
  '%2e',
  '%2E%2e',
  '.%2e',
  '../usage',
  'a/../../usage',
  'a/.',
  '%2e%2e%2f',
  '..%2Fusage',
  '\ud800',
  'a\udc00b',
  undefined,
  null,
  7,
  ['a'],
])('rejects the id %j', async (id) => {
  const { client } = testClient({ fetch: noFetch })

  const error = await thrownBy(client.sessions.retrieve(id as string))

  expect(error).toBeInstanceOf(InvalidParamsError)
  const message = expect.stringMatching(/^must (?:be|not) /)
  expect(error).toMatchObject({ attempts: 0, issues: [{ path: 'id', message }] })
})

it.each([
  [{ note: 'cut\ud800' }, 'note'],
  [{ 'no\udc00te': 'a' }, 'no\ufffdte'],
  [{ good: 'a', 'b\ud800': '\ud800' }, 'b\ufffd'],
])('rejects a query with a lone surrogate: %j', async (query, path) => {
  const { client } = testClient({ fetch: noFetch })

  await expect(client.request({ method: 'GET', path: '/api/v2/usage', query })).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path, message: expect.stringContaining('lone surrogates') }],
  })
})
