import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'

const photo = '\u00ff\u00d8\u00ff\r\n--no boundary\r\n\u0000'

/** The forms of clients in other languages. `B` stands for the boundary, and `PHOTO` for the bytes of an image. */
const forms: [client: string, boundary: string, form: string][] = [
  [
    'HttpClient of .NET, which quotes nothing but the boundary',
    '"B"',
    "--B\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=vendor_data\r\n\r\nada\r\n--B\r\nContent-Type: image/jpeg\r\nContent-Disposition: form-data; name=image; filename=a.jpg; filename*=utf-8''a.jpg\r\n\r\nPHOTO\r\n--B--\r\n",
  ],
  [
    'requests of Python, with a name that is not ASCII',
    'B',
    '--B\r\nContent-Disposition: form-data; name="vendor_data"\r\n\r\nada\r\n--B\r\nContent-Disposition: form-data; name="image"; filename*=utf-8\'\'%E2%82%AC.jpg\r\n\r\nPHOTO\r\n--B--\r\n',
  ],
  [
    'mime/multipart of Go, which escapes quotes',
    'B',
    '--B\r\nContent-Disposition: form-data; name="vendor_data"\r\n\r\nada\r\n--B\r\nContent-Disposition: form-data; name="image"; filename="a\\"b\\\\.jpg"\r\nContent-Type: application/octet-stream\r\n\r\nPHOTO\r\n--B--\r\n',
  ],
  [
    'OkHttp of Java, with the length of each part',
    'B',
    '--B\r\nContent-Disposition: form-data; name="vendor_data"\r\nContent-Length: 3\r\n\r\nada\r\n--B\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\nContent-Length: 19\r\n\r\nPHOTO\r\n--B--\r\n',
  ],
  [
    'Apache HttpClient of Java, with a transfer encoding',
    'B; charset=ISO-8859-1',
    '--B\r\nContent-Disposition: form-data; name="vendor_data"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\nada\r\n--B\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: binary\r\n\r\nPHOTO\r\n--B--\r\n',
  ],
  [
    'Guzzle of PHP, with headers in another order',
    'B',
    '--B\r\nContent-Length: 3\r\ncontent-disposition: form-data; name="vendor_data"\r\n\r\nada\r\n--B\r\nContent-Length: 19\r\nContent-Type: image/jpeg\r\ncontent-disposition: form-data; filename="a.jpg"; name="image"\r\n\r\nPHOTO\r\n--B--\r\n',
  ],
  [
    'HttpClient of .NET, which sends a filename only if one is passed',
    '"B"',
    '--B\r\nContent-Type: image/jpeg\r\nContent-Disposition: form-data; name=image\r\n\r\nPHOTO\r\n--B--\r\n',
  ],
  [
    'a sender with all that RFC 2046 allows: a preamble, blanks, an epilogue and folded headers',
    'B',
    'This is a form.\r\n--B \t\r\nContent-Disposition: form-data;\r\n name="vendor_data"\r\n\r\nada\r\n--B\r\nContent-Disposition: form-data; name="image"; filename=""\r\n\r\nPHOTO\r\n--B--\r\nepilogue\r\n--B--\r\n',
  ],
]

const bytesOf = (form: string) => Buffer.from(form.replace('PHOTO', photo), 'latin1')

const send = (emulator: ReturnType<typeof createEmulator>, boundary: string, form: string) =>
  emulator.fetch(
    new Request('http://127.0.0.1/api/v2/liveness', {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'x-api-key': emulator.options.verification.apiKey,
      },
      body: bytesOf(form),
    }),
  )

it.each(forms)('reads the form of %s', async (_, boundary, form) => {
  const emulator = createEmulator({ readings: { unlistedFields: 'ignored' } })

  const response = await send(emulator, boundary, form)

  expect(await response.json()).toMatchObject({ success: true, data: { status: 'passed' } })
  expect(emulator.ledger).toHaveLength(1)
})

it.each([
  ['without an end', '--B\r\nContent-Disposition: form-data; name=image; filename=a\r\n\r\nPHOTO'],
  ['without the end of its headers', '--B\r\nContent-Disposition: form-data; name=image; filename=a\r\n--B--\r\n'],
  ['without a boundary', 'PHOTO'],
])('rejects a form %s', async (_, form) => {
  const response = await send(createEmulator(), 'B', form)

  expect(response.status).toBe(400)
})
