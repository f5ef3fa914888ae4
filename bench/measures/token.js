// Measures tokens: an id_token, an access token at its first validation, and the same access token when it is cached.
import { byMode } from '../harness/arguments.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'

const how = { rounds: byMode(21, 81), blockMs: byMode(50, 100) }
const validations = [
  'validateIdToken of a client',
  'validateIdToken, key set object',
  'validateIdToken, new key set object each time',
]
const cached = ['first validation', 'cached token']
const idTokens = await inRounds('token', ['jose jwtVerify', 'jose jwtVerify (control)', ...validations], {
  ...how,
  own: validations,
})
const accesses = await inRounds('token', cached, { ...how, own: cached })

writeResult('token', {
  title: 'CPU of a token',
  what: 'CPU to validate an id_token, as a multiple of jwtVerify of jose, and a cached access token, as a multiple of its first validation.',
  groups: [
    ratioGroup('id_token', idTokens, { own: validations, work: 'token' }),
    ratioGroup('Access token', accesses, { own: cached, work: 'token' }),
  ],
  targets: [
    ...validations.map((name) => ({
      what: `${name}, against jwtVerify of jose`,
      most: 1.1,
      measured: ratioOf(idTokens, name),
      unit: 'x',
    })),
    {
      what: 'validateAccessToken of a cached token, speedup over the first validation',
      least: 10,
      measured: 1 / ratioOf(accesses, 'cached token'),
      unit: 'x',
    },
  ],
})
