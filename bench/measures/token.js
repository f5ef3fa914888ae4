// What a token costs: an id_token validated, an access token met for the first time and met again.
import { byMode } from '../harness/arguments.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'

const how = { rounds: byMode(21, 81), blockMs: byMode(50, 100) }
const idTokens = await inRounds('token', ['jose jwtVerify', 'jose jwtVerify again', 'validateIdToken'], how)
const accesses = await inRounds('token', ['met for the first time', 'met before'], how)

writeResult('token', {
  title: 'CPU of a token',
  what: 'CPU to validate an id_token as a multiple of jwtVerify of jose, and an access token met before as a multiple of one met for the first time.',
  groups: [
    ratioGroup('id_token', idTokens, { own: ['validateIdToken'], work: 'token' }),
    ratioGroup('Access token', accesses, { own: ['met before'], work: 'token' }),
  ],
  targets: [
    {
      what: 'validateIdToken against jwtVerify of jose',
      most: 1.1,
      measured: ratioOf(idTokens, 'validateIdToken'),
      unit: 'x',
    },
    {
      what: 'validateAccessToken of a token met before, times as fast as the first time',
      least: 10,
      measured: 1 / ratioOf(accesses, 'met before'),
      unit: 'x',
    },
  ],
})
