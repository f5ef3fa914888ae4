import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeErrorCode } from '../../src/index.ts'

const page = readFileSync(new URL('../../docs/guides/troubleshooting.md', import.meta.url), 'utf8')

it('every symptom of troubleshooting that is a code is one of the service or the package', () => {
  const symptoms = [...page.matchAll(/^\*\*([^*]+)\*\*/gm)].map(([, text]) => String(text))
  const codes = symptoms.flatMap((text) => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code))

  expect(symptoms.length).toBeGreaterThan(20)
  expect(codes.length).toBeGreaterThan(8)
  expect(codes.filter((code) => describeErrorCode(String(code)) === undefined)).toEqual([])
})
