import { sign } from 'node:crypto'
import { validateIdToken, verifyWebhook } from '../../src/index.ts'
import { baseUrl, claimsOf, clientId, headerOf, key } from '../oidc/issuer.ts'
import { aSession } from './fixtures.ts'
import { testClient } from './verification-client.ts'
import { anEvent, clockAt, secret, signedAt, signedBytes } from './webhook.ts'

/** A place at which the package parses JSON of others. */
export interface JsonEntry {
  readonly name: string
  /** Passes a text as the whole JSON. */
  readonly whole: (json: Uint8Array) => Promise<unknown>
  /** Passes a text as the value of a member of a valid JSON. Returns what the caller gets as that value. */
  readonly member: (json: Uint8Array) => Promise<unknown>
}

/** Returns the JSON of an object with one more member, whose value is any text. */
const withMember = (object: object, json: Uint8Array) =>
  Buffer.concat([Buffer.from(`${JSON.stringify(object).slice(0, -1)},"later":`), json, Buffer.from('}')])

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

const clientWith = (body: Uint8Array) =>
  testClient({
    fetch: async () => new Response(new Uint8Array(body), { headers: { 'content-type': 'application/json' } }),
  }).client

const receive = async (body: Uint8Array) =>
  verifyWebhook({ ...(await signedBytes(body, 'evt_1')), secret, now: clockAt(signedAt) })

/** Validates a token with any two parts. The caller sets the clock to the time of {@link claimsOf}. */
const validate = (header: Uint8Array, payload: Uint8Array) => {
  const input = [header, payload].map((part) => Buffer.from(part).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(input), key.privateKey).toString('base64url')
  const options = { jwks: { keys: [key.jwk] }, issuer: baseUrl, audience: clientId }
  return validateIdToken(`${input}.${signature}`, options)
}

export const jsonEntries: readonly JsonEntry[] = [
  {
    name: 'the response of a documented call',
    whole: (json) => clientWith(json).sessions.retrieve('sess_1'),
    member: async (json) => {
      const body = Buffer.concat([
        Buffer.from('{"success":true,"error":null,"data":'),
        withMember(aSession(), json),
        Buffer.from('}'),
      ])
      return Object(await clientWith(body).sessions.retrieve('sess_1')).later
    },
  },
  {
    name: 'the response of a call without a method',
    whole: (json) => clientWith(json).request({ method: 'GET', path: '/api/account' }),
    member: async (json) =>
      Object(await clientWith(withMember({ id: 1 }, json)).request({ method: 'GET', path: '/api/account' })).later,
  },
  {
    name: 'the body of a webhook',
    whole: receive,
    member: async (json) => ((await receive(withMember(anEvent(), json))) as { later?: unknown }).later,
  },
  {
    name: 'the header of a token',
    whole: (json) => validate(json, bytesOf(claimsOf())),
    // The header is not returned, so this shows only whether it is accepted.
    member: async (json) => {
      await validate(withMember(headerOf(), json), bytesOf(claimsOf()))
      return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(json))
    },
  },
  {
    name: 'the payload of a token',
    whole: (json) => validate(bytesOf(headerOf()), json),
    member: async (json) => (await validate(bytesOf(headerOf()), withMember(claimsOf(), json))).later,
  },
]
