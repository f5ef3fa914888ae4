import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { createEmulator } from '../../src/emulator.ts'
import { OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { publicPages } from '../support/public-pages.ts'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const page = readFileSync(at('docs/reference/unconfirmed.md'), 'utf8')
const endpoints = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints, ...legacyEndpoints]

/** The names in the last column: where each open point matters. */
const places = [...page.matchAll(/^\|.*\| ([^|]*) \|$/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => String(name)),
)

it('lists every operation whose shape the contract does not confirm', () => {
  const unconfirmed = endpoints.filter((endpoint) => 'unconfirmed' in endpoint)

  expect(unconfirmed.length).toBeGreaterThan(0)
  expect(unconfirmed.map(({ operation }) => operation).filter((name) => !places.includes(name))).toEqual([])
})

it('names only methods and options that exist', () => {
  const reports = readdirSync(at('api'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(at(`api/${file}`), 'utf8'))
    .join('\n')
  const { options } = createEmulator()
  const client = new VerificationClient(options.verification)
  const oidc = new OidcClient(options.oidc)
  const resources: Readonly<Record<string, object>> = {
    client,
    oidc,
    ...client,
    ...new OrgClient(options.org),
  }
  const exists = (name: string) => {
    const [object = '', method] = name.split('.')
    if (method === undefined) return new RegExp(`\\b${name}\\b`).test(reports)
    return method in (resources[object] ?? {})
  }

  expect(places.length).toBeGreaterThan(80)
  expect([...new Set(places)].filter((name) => !exists(name))).toEqual([])
})

it.each([
  ['getting-started', /from the developer console; test and production/],
  ['guides/hosted-verification', /the person left|time is over|do nothing: the session accepts no decision/],
  ['guides/credential-checks', /search can have the status `passed`|the jurisdiction does not exist/],
])('%s does not state as fact what the contract leaves open', (guide, claim) => {
  expect(readFileSync(at(`docs/${guide}.md`), 'utf8')).not.toMatch(claim)
})

/** Sentences that the contract does not say, or that it says of something else. */
it.each([
  ['that a call is not billed', /\b(?:is|are|be) not (?:billed|charged)\b|\bno billed call|\bunbilled\b/i],
  ['that a sender retries deliveries', /\b(?:the )?(?:sender|service) (?:retries|resends)\b(?! nothing)/i],
  ['the unit of an accuracy', /accuracy\b[^.;]{0,30}\bmet(?:er|re)s/i],
  ['what face uniqueness does', /search(?:es)? for an enrolled face/i],
  [
    'that reuse revokes the tokens of a person only',
    /revokes? (?:all|every) refresh tokens? of (?:that|the|this|a) (?:person|user)(?! and)/i,
  ],
])('no page, example and source file states %s', (_, claim) => {
  // What is installed or built below the examples is not ours.
  const tracked = execFileSync('git', ['ls-files', 'examples'], { cwd: at('.'), encoding: 'utf8' })
  const examples = tracked.split('\n').filter((file) => /\.[cm]?[jt]sx?$/.test(file))
  const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('emulator'))
    .map((file) => `src/${file}`)
  // The changelog tells what earlier versions said.
  const others = publicPages.filter((path) => !/CHANGELOG|unconfirmed/.test(path))
  const stating = [...others, ...sources, ...examples].filter((path) => {
    const text = readFileSync(at(path), 'utf8').replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ')
    // The emulator is ours.
    return text.split(/(?<=[.|`:]) /).some((sentence) => claim.test(sentence) && !/emulator/i.test(sentence))
  })

  expect(stating).toEqual([])
})

it('no page and no source file promises what a repeated idempotency key costs', () => {
  const promise = /(?:charged|billed) (?:only |at most )?once|never (?:bill|charge)s?|second charge|not billed again/i
  const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('emulator'))
    .map((file) => `src/${file}`)
  const promising = [...publicPages, 'docs/site/index.md', ...sources].filter((path) => {
    const sentences = readFileSync(at(path), 'utf8').split(/(?<=[.|`])\s/)
    return sentences.some((sentence) => promise.test(sentence) && !/emulator/i.test(sentence))
  })

  expect(promising).toEqual([])
})
