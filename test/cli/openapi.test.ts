import { expect, it } from 'vitest'
import { createOpenApiDocument } from '../../tools/openapi/document.ts'
import { runCli } from './terminal.ts'

it.each(['openapi', 'openapi --json'])('%s prints the document as JSON, and nothing else', async (line) => {
  const { status, stdout, stderr } = await runCli(line)

  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument())))
})
