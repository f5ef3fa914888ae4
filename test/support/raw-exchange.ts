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

/** The head of a POST. A header whose value is undefined is left out. */
export const headOf = (path: string, headers: object): string =>
  ['POST', path, 'HTTP/1.1\r\n'].join(' ') +
  Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('') +
  '\r\n'
