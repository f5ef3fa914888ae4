import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type NextFunction, type Request, type Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { onTestFinished } from 'vitest'
import { atAddress } from '../../src/emulator/controls/http.ts'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'
import { createOpenApiDocument } from '../../tools/openapi/document.ts'

interface Seen {
  /** Method, path template of the document and status. */
  readonly exchange: string
  readonly code: string | undefined
}

/** An emulator behind a proxy that validates every request and every response against the document. */
interface ValidatingProxy {
  readonly url: string
  readonly emulator: Emulator
  /** What differed from the document. */
  readonly violations: readonly string[]
  readonly seen: readonly Seen[]
}

interface Received extends Request {
  raw?: Buffer<ArrayBuffer>
}

/** Starts the proxy. It is closed when the test ends. */
export async function validatingProxy(options: EmulatorOptions): Promise<ValidatingProxy> {
  const emulator = createEmulator(options)
  const violations: string[] = []
  const seen: Seen[] = []
  const app = express()
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const forward = emulator.at(url)

  app.use((req: Received, _: Response, next: NextFunction) => void readBody(req).then(() => next(), next))
  app.use(
    OpenApiValidator.middleware({
      apiSpec: atAddress(createOpenApiDocument(), url) as never,
      validateResponses: true,
      validateSecurity: true,
      fileUploader: false,
    }),
  )
  app.use(async (req: Received, res: Response) => {
    const { method, headers, raw, originalUrl } = req
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    const hasBody = raw !== undefined && raw.byteLength > 0
    const request = { method, headers: sent, redirect: 'manual' as const, ...(hasBody && { body: raw }) }
    const response = await forward(url + originalUrl, request)
    const text = await response.text()
    res.status(response.status)
    for (const [name, value] of response.headers) if (name !== 'content-length') res.setHeader(name, value)
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body = isJson ? JSON.parse(text) : text
    const { openapi } = req as { openapi?: { openApiRoute?: string } }
    seen.push({
      exchange: `${method} ${openapi?.openApiRoute ?? originalUrl} ${response.status}`,
      code: body?.error?.code ?? body?.error ?? undefined,
    })
    isJson ? res.json(body) : res.send(text)
  })
  app.use((error: Error & { status?: number }, { method, path }: Request, res: Response, _: NextFunction) => {
    const message = `${method} ${path}: ${error.message}`
    violations.push(message)
    // The error of the call shows the message.
    const body = { success: false, data: null, error: { code: 'violation', message } }
    res.status(599).type('json').end(JSON.stringify(body))
  })
  return { url, emulator, violations, seen }
}

/** Reads the whole body, because it is validated and sent on. */
async function readBody(req: Received): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  req.raw = Buffer.concat(chunks)
  const type = req.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) req.body = JSON.parse(String(req.raw))
  if (!type.startsWith('multipart/form-data')) return
  const form = await new Response(req.raw, { headers: { 'content-type': type } }).formData()
  const fields = [...new Set(form.keys())].map((name): [string, unknown] => {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : 'the bytes of a file'))
    return [name, values.length === 1 ? values[0] : values]
  })
  req.body = Object.fromEntries(fields)
}
