// Measures tokens: an id_token, an access token at its first validation, and the same access token when it is cached.
import { compareCpu } from '../cpu.js'
import { report } from '../result.js'

report('token', [
  await compareCpu('token', {
    title: 'id_token',
    of: 'token',
    times: 100,
    settings: ['id_token'],
    own: {
      'validateIdToken of a client': 1.3,
      'validateIdToken, key set object': 1.3,
      'validateIdToken, new key set object each time': undefined,
    },
  }),
  await compareCpu('token', {
    title: 'Access token',
    of: 'token',
    times: 100,
    settings: ['access token'],
    // How much faster a cached token is depends on the machine: its signature costs native code, the cache JavaScript.
    own: { 'first validation': undefined, 'cached token': 0.1 },
  }),
])
