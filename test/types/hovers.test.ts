import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

/** A program as a user writes it. A comment before a name marks a hover. */
const program = `
  import {
    type CheckType, type Scope, type SessionStatus,
    type ApiError, type Bulk, type Check, createWebhookHandler, type Decision, isErrorCode, isSdkError, NotFoundError,
    OidcClient, OrgClient, type Session, type SignedInTokens, type StandaloneResult, type Store, VerificationClient,
    verifyWebhook, type WebhookEvent,
  } from 'identity-service-sdk'

  const client = new /*VerificationClient*/VerificationClient({ apiKey: 'key' })
  const /*a session*/session = await client.sessions./*sessions.create*/create({ workflow_id: 'wf_1' })
  export const kept: /*Session*/Session = session
  export const id = session./*session_id*/session_id
  export const prefix = id.slice(0, 5)
  export const status = session./*status*/status
  const /*an awaited decision*/decided = await client.sessions./*waitForDecision*/waitForDecision(session.session_id)
  export const last: /*Decision*/Decision = decided
  for (const /*a check*/check of decided.checks) {
    if (check.type === 'liveness') console.log(check./*data of a liveness check*/data)
  }
  export type Checks = /*Check*/Check[]
  export type Status = /*SessionStatus*/SessionStatus
  export type Types = /*CheckType*/CheckType
  export type Granted = /*Scope*/Scope
  export const /*a liveness result*/live = await client.checks.liveness({ image: 'data:image/png;base64,' })
  export type Live = /*StandaloneResult*/StandaloneResult<'liveness'>

  const delivery = { body: '', headers: {}, secret: 'secret' }
  export const /*a verified event*/event = await /*verifyWebhook*/verifyWebhook(delivery)
  export type Event = /*WebhookEvent*/WebhookEvent
  const handler = /*createWebhookHandler*/createWebhookHandler({
    secret: 'secret',
    on: { 'verification.approved': (/*event of a callback*/event) => console.log(event) },
  })
  export const /*a delivery's result*/result = await handler.handle(delivery)

  try {
    await client.sessions.retrieve('sess_123')
  } catch (error) {
    if (error instanceof /*NotFoundError*/NotFoundError) console.log(error./*status of NotFoundError*/status)
    if (/*isErrorCode*/isErrorCode(error, 'already_decided')) console.log(/*an error with a code*/error)
    if (/*isSdkError*/isSdkError(error)) console.log(/*an error of the package*/error)
  }
  export type Service = /*ApiError*/ApiError

  const oidc = new /*OidcClient*/OidcClient({ redirectUri: 'https://app.example.com/callback' })
  const login = await oidc.createAuthorization()
  const /*tokens of a sign-in*/tokens = await oidc./*handleCallback*/handleCallback('/callback?code=1', login)
  export const signedIn: /*SignedInTokens*/SignedInTokens = tokens

  const org = new /*OrgClient*/OrgClient()
  const /*a bulk call*/adding = org.members./*members.addAll*/addAll([])
  for await (const /*an item of it*/batch of adding) console.log(batch)
  export const /*its totals*/totals = await adding
  export type Work = /*Bulk*/Bulk<string, number>
  export type Shared = /*Store*/Store
`
const maxLines = 10
const maxWidth = 120

let installed: InstalledPackage
let completions: (name: string) => string[]
let hovers: readonly { readonly name: string; readonly lines: readonly string[] }[]

beforeAll(async () => {
  installed = await installPackage()
  ;({ hovers, completions } = read(installed.project))
}, 60_000)

afterAll(() => installed.remove())

/** Returns what an editor shows for each marked name, without the docstring, and what it offers after a name. */
function read(project: string) {
  const file = join(project, 'hovers.mts')
  writeFileSync(file, program)
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) =>
      ts.sys.fileExists(path) ? ts.ScriptSnapshot.fromString(readFileSync(path, 'utf8')) : undefined,
    getCurrentDirectory: () => project,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      typeRoots: [join(project, 'node_modules/@types')],
      types: ['node'],
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  const errors = service
    .getSemanticDiagnostics(file)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  if (errors.length > 0) throw new Error(errors.join('\n'))
  const offered = (name: string) =>
    (service.getCompletionsAtPosition(file, program.indexOf(name) + name.length, {})?.entries ?? []).map(
      (entry) => entry.name,
    )
  const shown = [...program.matchAll(/\/\*(.+?)\*\//g)].map(({ 0: mark, 1: name = '', index }) => {
    const hover = service.getQuickInfoAtPosition(file, index + mark.length)
    return { name, lines: ts.displayPartsToString(hover?.displayParts).split('\n').flatMap(wrap) }
  })
  return { hovers: shown, completions: offered }
}

/** Breaks a long line at spaces, as editors do. */
function wrap(line: string): string[] {
  const [indent = ''] = /^ */.exec(line) ?? []
  const lines: string[] = []
  let current = indent
  for (const word of line.trim().split(' ')) {
    const isFirst = current.trim() === ''
    if (!isFirst && `${current} ${word}`.length > maxWidth) {
      lines.push(current)
      current = `${indent}    ${word}`
    } else {
      current = isFirst ? `${current}${word}` : `${current} ${word}`
    }
  }
  return [...lines, current]
}

it('what an editor shows for the names that users meet most is at most ten lines long', () => {
  const long = hovers.filter(({ lines }) => lines.length > maxLines || lines.some((line) => line.length > maxWidth))

  expect(hovers.length).toBeGreaterThan(20)
  expect(long).toEqual([])
})

it('hovers.md shows them', async () => {
  const sections = hovers.map(({ name, lines }) => `## ${name}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`)
  const page = `# Hovers\n\nWhat an editor shows for the names that users meet most, without docstrings.\n\n${sections.join('\n')}`

  await expect(page).toMatchFileSnapshot('hovers.md')
})

it('an editor offers the methods of strings for an id, and nothing else', () => {
  const offered = completions('export const prefix = id.')

  expect(offered).toContain('startsWith')
  expect(offered.filter((name) => !(name in String.prototype))).toEqual([])
})
