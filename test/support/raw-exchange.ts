import { connect } from 'node:net'

/** Sends the text of a request unchanged, and reads until the connection ends. */
export async function rawExchange(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  socket.write(request)
  let response = ''
  for await (const chunk of socket) response += chunk
  return response
}
