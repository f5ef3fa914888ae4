// Accepts any upload, counts its bytes, and responds in the form that the calling package expects.
import { createServer } from 'node:http'
import { listenForParent } from './listening.js'

const check = {
  type: 'liveness',
  status: 'passed',
  score: 1,
  data: { live_score: 1, result: 'live' },
  error: null,
}
const result = {
  success: true,
  data: { session_id: 'sess_1', status: 'passed', check },
  error: null,
  id: 'file_1',
  object: 'file',
}

listenForParent(
  createServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk) => {
      bytes += chunk.length
    })
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
      response.end(JSON.stringify({ ...result, bytes }))
    })
  }),
)
