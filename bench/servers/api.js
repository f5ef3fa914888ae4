// Responds to every call at once, in the form that the calling package expects.
import { createServer } from 'node:http'
import { listenForParent } from './listening.js'

const session = JSON.stringify({
  success: true,
  data: {
    session_id: 'sess_1',
    status: 'NOT_STARTED',
    url: 'https://id.example.com/s/1',
    session_token: 'token',
    features: ['id_verification', 'liveness'],
    redirect_url: null,
    expires_at: '2026-01-01T00:00:00Z',
  },
  error: null,
})
const other = JSON.stringify({
  id: 'one_1',
  object: 'thing',
  uid: null,
  name: 'user-42',
  domains: [],
  metadata: {},
  created: 1_767_225_600,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
})

listenForParent(
  createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-request-id': 'req_4f1c9a7e2b5d48c6a0e3f7b1',
      })
      response.end(request.url?.startsWith('/api/v2/') ? session : other)
    })
  }),
)
