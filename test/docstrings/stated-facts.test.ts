import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { errorCatalog, type KnownErrorCode } from '../../src/contract/errors/catalog.ts'
import { invitesPerMinute } from '../../src/contract/organization/members.ts'
import { membersPerCall } from '../../src/contract/organization/roles.ts'
import { accountAgeThresholds, maxImageBytes } from '../../src/contract/service.ts'
import { loginMarkerMs } from '../../src/contract/sign-in/legacy.ts'
import { accessTokenSeconds, codeLifetimeMs } from '../../src/contract/sign-in/oidc.ts'
import { frameLimits } from '../../src/contract/verification/experimental.ts'
import { webhookToleranceSeconds } from '../../src/contract/webhooks/headers.ts'
import { createEmulator } from '../../src/emulator.ts'
import { apiErrorFor } from '../../src/errors/api-errors.ts'
import { defaultMaxRetries, longestRetryAfterMs, RetryBudget } from '../../src/http/attempts/retry-policy.ts'
import { OrgClient, VerificationClient } from '../../src/index.ts'
import { signInTtlMs } from '../../src/oidc/sign-in/sign-in-cookies.ts'
import { maxClockDifferenceMs } from '../../src/oidc/use-once.ts'
import { readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'
import { docstringOf, sourceOf } from '../support/source-files.ts'

const sources = readdirSync(fileURLToPath(new URL('../../src', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/${file}`)

/** Every page and every source file, without line breaks, stars of docstrings and padding of tables. */
const texts = [...publicPages, ...sources].map((path) => ({
  path,
  text: sourceOf(path).replace(/\n\s*\*?\s*|\s+/g, ' '),
}))

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const units: Readonly<Record<string, number>> = { s: 1, second: 1, minute: 60, hour: 3_600, day: 86_400 }

/** Reads `5`, `five`, `33_554_432` and `5 minutes`. Durations are in seconds. */
function read(text: string): number {
  const [amount = '', unit] = text
    .toLowerCase()
    .replace(/(?<=\d)[,_](?=\d{3})/g, '')
    .split(' ')
  const number = words.includes(amount) ? words.indexOf(amount) : Number(amount)
  return unit === undefined ? number : number * (units[unit.replace(/(?<=..)s$/, '')] ?? Number.NaN)
}

/** Stands for a number, or for a duration. */
const figure = String.raw`([\d_,.]*\d|zero|one|two|three|four|five|six|seven|eight|nine|ten)`
const duration = String.raw`((?:[\d_,.]*\d|one|two|three|four|five|six|seven|eight|nine|ten) (?:seconds?|minutes?|hours?|days?|s))`

/** The value of a default that the source states next to its name. */
function defaultIn(path: string, name: string): number {
  const [, value = ''] =
    new RegExp(String.raw`\b${name}\)?(?: =|,? \?\?|[\w., ]* \?\?) ([\d_]+(?: \* [\d_]+)*)`).exec(sourceOf(path)) ?? []
  return value.split(' * ').reduce((product, factor) => product * read(factor), 1)
}

const slowTimeoutMs = defaultIn('src/http/attempts/retry-policy.ts', 'slowTimeoutMs')
const defaultTimeoutMs = defaultIn('src/http/attempts/retry-policy.ts', 'defaultTimeoutMs')
const maxBodyBytes = defaultIn('src/webhooks/settings.ts', 'maxBodyBytes')
const maxRetained = defaultIn('src/webhooks/settings.ts', 'dayMs') * 7
const MiB = 1024 * 1024

/** A sentence that states a fact, with `N` for its number or `D` for its duration, and the value as it is declared. */
const statements: readonly (readonly [sentence: string, declared: number])[] = [
  ['1 to N members and', membersPerCall.max],
  ['members to add, 1 to N', membersPerCall.max],
  ['members per add call \\| 1 to N', membersPerCall.max],
  ['(?:calls|requests) of up to N', membersPerCall.max],
  ['`n / N` calls', membersPerCall.max],
  ['events that are older than D', webhookToleranceSeconds],
  ['signed more than D ago', webhookToleranceSeconds],
  ['or more than D in the future', webhookToleranceSeconds],
  ['off by more than D, every webhook', webhookToleranceSeconds],
  ['webhook timestamp \\| D', webhookToleranceSeconds],
  ['if they are more than D ahead', webhookToleranceSeconds],
  ['signature is accepted for D', webhookToleranceSeconds],
  ['change it at the service, remove the old one after D', webhookToleranceSeconds],
  ['@default N \\(contract, section 8\\)', webhookToleranceSeconds],
  ['can be used once, within D', codeLifetimeMs / 1000],
  ['was used, or its D are over', codeLifetimeMs / 1000],
  ['was used, or is older than D', codeLifetimeMs / 1000],
  ['authorization code \\| D', codeLifetimeMs / 1000],
  ['access token (?:\\| |lasts )about D', accessTokenSeconds],
  ['access token in seconds, about N', accessTokenSeconds],
  ['less than D old and was not used', loginMarkerMs / 1000],
  ['D, and can be used once', loginMarkerMs / 1000],
  ['lasts D and can be used once', loginMarkerMs / 1000],
  ['marker was used \\| D', (loginMarkerMs + maxClockDifferenceMs) / 1000],
  ['in its browser for D|its browser\\. It lasts D|browser for D\\. A sign-in', signInTtlMs / 1000],
  ['sign-in was started more than D ago', signInTtlMs / 1000],
  ['N invites a minute', invitesPerMinute],
  ['invite resends \\| N a minute', invitesPerMinute],
  ['more than N (?:invites )?in a minute', invitesPerMinute],
  ['keeps to N in total', invitesPerMinute],
  ['limits them to N a minute', invitesPerMinute],
  ['N to \\d+ `?frames', frameLimits.min],
  ['\\d to N `?frames', frameLimits.max],
  ['frames of a burst \\| 3 to N', frameLimits.max],
  ['image \\| under N MB', maxImageBytes / MiB],
  ['smaller than N MiB', maxImageBytes / MiB],
  ['N MiB (?:and|or) more', maxImageBytes / MiB],
  [
    'thresholds?[^.]{0,40} 16, 18, 21, 30 and N|supports only 16, 18, 21, 30 and N',
    accountAgeThresholds.at(-1) as number,
  ],
  ['so the default timeout is D', slowTimeoutMs / 1000],
  ['timeout of D for an attempt', slowTimeoutMs / 1000],
  ['as slow: D for one attempt', slowTimeoutMs / 1000],
  ['for one attempt defaults to N here', slowTimeoutMs],
  ['default [\\d,]+; N for license lookups', slowTimeoutMs],
  ['@default [\\d_]+; N for `checks', slowTimeoutMs],
  ['last byte: default N; ', defaultTimeoutMs],
  ['including the upload; defaults to N', defaultTimeoutMs],
  ['@default N; [\\d_]+ for `checks', defaultTimeoutMs],
  ['after the first: 0 to 10, default N', defaultMaxRetries],
  ['@default N \\(`0` turns retries off', defaultMaxRetries],
  ['budget of N retries', RetryBudget.size],
  ['`Retry-After` overrides the backoff, in seconds or as a date. If it is more than D', longestRetryAfterMs / 1000],
  ['`maxBodyBytes`, which defaults to N MiB', maxBodyBytes / MiB],
  ['N MiB\\) @throws|@default N \\(8 MiB\\)', maxBodyBytes],
  ['rejects more than N MiB \\| `maxBodyBytes`', maxBodyBytes / MiB],
  ['`retainMs`, D', maxRetained / 1000],
]

it.each(statements)('%s: every page and docstring states what is declared', (sentence, declared) => {
  const pattern = new RegExp(sentence.replace(/\bN\b/g, figure).replace(/\bD\b/g, duration), 'g')
  const stated = texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => [path, read(match.slice(1).find(Boolean) ?? '')]),
  )

  expect(stated).not.toEqual([])
  expect(stated.filter(([, value]) => value !== declared)).toEqual([])
})

it('the emulator has the defaults that its docstrings and its page state', async () => {
  const emulator = createEmulator()
  const client = new VerificationClient(emulator.options.verification)
  const { subscription, currency } = await new OrgClient(emulator.options.org).billing.retrieve()
  await client.checks.age({ dob: '1990-01-01', bands: [18] })
  const [charge] = emulator.ledger
  const { expires_at } = await client.sessions.create()
  const lifetimeSeconds = Math.round((Date.parse(expires_at) - emulator.clock.now().getTime()) / 1000)
  const defaultOf = (file: string, name: string) =>
    / @default (\S+)/.exec(docstringOf(`src/emulator/model/options/${file}.ts`, name))?.[1]
  const page = texts.find(({ path }) => path === 'docs/about/emulator-choices.md')?.text ?? ''
  const [, lifetime = ''] = /the first workflow; (\w+ \w+) without `ttl_seconds`/.exec(page) ?? []

  expect(defaultOf('roster-options', 'EmulatorBillingOptions.pricePerSeat')).toBe(`${subscription?.price_per_seat}`)
  expect(defaultOf('roster-options', 'EmulatorBillingOptions.currency')).toBe(`'${currency}'`)
  expect(defaultOf('options', 'EmulatorWalletOptions.pricePerCall')).toBe(`${charge?.amount}`)
  expect(defaultOf('options', 'EmulatorWalletOptions.balance')).toBe(
    `${(charge?.balance ?? 0) + (charge?.amount ?? 0)}`,
  )
  expect(page).toContain(`${charge?.amount} (\`wallet.pricePerCall\`)`)
  expect(read(lifetime)).toBe(lifetimeSeconds)
})

const isCode = (code: string): code is KnownErrorCode => Object.hasOwn(errorCatalog(), code)

const apiErrors = Object.values(errorCatalog()).flatMap(({ statuses }) =>
  statuses.map((status) => apiErrorFor({ code: 'not_found', message: 'x', status }).name),
)

/** The classes that a documented code can have. */
const classesOf = (code: KnownErrorCode) =>
  errorCatalog()[code].statuses.map((status) => apiErrorFor({ code, message: 'x', status }).name)

it('every docstring and table that names the class of a code names one of its documented statuses', () => {
  const named = texts.flatMap(({ path, text }) => [
    ...[...text.matchAll(/@throws \{([^}]+)\} ((?:(?!@|\*\/).)*)/g)].flatMap(([, classes = '', rest = '']) =>
      [...rest.matchAll(/`(\w+)`/g)].map(([, code = '']) => ({ path, classes, code })),
    ),
    ...[...text.matchAll(/\| `(\w+Error)` ((?:`\w+`(?:, )?)+)/g)].flatMap(([, classes = '', rest = '']) =>
      [...rest.matchAll(/`(\w+)`/g)].map(([, code = '']) => ({ path, classes, code })),
    ),
  ])
  const known = named.flatMap(({ path, classes, code }) =>
    isCode(code) && apiErrors.some((name) => classes.includes(name))
      ? [{ path, classes: classes.split(/\s*\|\s*/), code }]
      : [],
  )

  expect(known.length).toBeGreaterThan(30)
  expect(
    known.filter(({ classes, code }) => {
      const expected: readonly string[] = classesOf(code)
      return expected.length > 0 && !classes.some((name) => expected.includes(name))
    }),
  ).toEqual([])
})

const links = new Set(
  texts.flatMap(({ path, text }) =>
    path.startsWith('src/')
      ? [...text.matchAll(/@see (docs\/[\w/-]+\.md(?:#[\w-]+)?)/g)].map(([, link = '']) => link)
      : [],
  ),
)

it.each([...links])('the place in the documentation that a docstring names exists: %s', (link) => {
  const [path = '', anchor] = link.split('#')
  const anchors = readPage(sourceOf(path)).headings.map((heading) => heading.anchor)

  if (anchor !== undefined) expect(anchors).toContain(anchor)
})
