import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = temporaryFolder()

const [, section = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(/^## Add an endpoint$/m)
/** The first file or folder that each step names. */
const places = [...section.matchAll(/^\d\. \*\*.+?`((?:src|test|tools)\/[^`]+)`/gms)].map(([, path]) => String(path))
const commands = [
  ...section.matchAll(/^(npm run types|npx vitest run test\/(?:openapi|contract)\/?.*?)(?: #.*)?$/gm),
].map(([, command]) => String(command))

/** What an operation next to existing ones adds: to a file, before a line, these lines. */
const additions: readonly (readonly [file: string, before: string, lines: string])[] = [
  [
    'src/contract/verification/sessions.ts',
    'export interface SessionOperations {',
    `export const archiveSession = {
      operation: 'sessions.archive',
      section: '4.1',
      errors: ['not_found'],
      method: 'POST',
      path: '/api/v2/session/{id}/archive',
      response: session,
      replay: 'if-not-executed',
    } as const satisfies Endpoint`,
  ],
  [
    'src/contract/verification/sessions.ts',
    "  readonly 'sessions.list':",
    "  readonly 'sessions.archive': OperationFacts<'POST /api/v2/session/{id}/archive', 'not_found'>",
  ],
  ['src/contract/verification/sessions.ts', '  createSession,\n  listSessions,', '  archiveSession,'],
  ['src/verification/sessions.ts', '  retrieveSession,\n', '  archiveSession,'],
  [
    'src/verification/sessions.ts',
    '  decision(id: ',
    "  archive(id: Id<'session'>, options?: RequestOptions): ApiPromise<Session>",
  ],
  [
    'src/verification/sessions.ts',
    '  decision: (id, options)',
    '  archive: (id, options) => http.send(archiveSession, { path: { id } }, options),',
  ],
  ['src/emulator/service/sessions.ts', '  retrieveSession,\n', '  archiveSession,'],
  [
    'src/emulator/service/sessions.ts',
    '    serve(retrieveDecision,',
    '    serve(archiveSession, ({ ids, origin }) => fullSession(find(ids.id), origin)),',
  ],
  [
    'test/support/operations.ts',
    "  {\n    name: 'sessions.decision',",
    `  {
      name: 'sessions.archive',
      section: '4.1',
      call: (client, options) => client.sessions.archive('sess_1', options),
      method: 'POST',
      path: '/api/v2/session/sess_1/archive',
      data: aSession(),
      billable: false,
      errors: byId,
    },`,
  ],
  [
    'tools/openapi/operations.ts',
    "  'sessions.decision': {",
    "  'sessions.archive': { summary: 'Archive a session', result: 'Session', example: { ids: sessionId, data: session } },",
  ],
]

it('a new operation takes the files that CONTRIBUTING.md lists, and then passes its commands', async () => {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const file of execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean))
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const [file, before, lines] of additions) {
    const source = readFileSync(join(copy, file), 'utf8')
    expect(source.split(before), `${file} has one place for ${lines}`).toHaveLength(2)
    writeFileSync(
      join(copy, file),
      source.replace(before, () => `${lines}\n${before}`),
    )
  }

  const files = [...new Set(additions.map(([file]) => file))]
  expect(places).toHaveLength(files.length)
  for (const [i, place] of places.entries())
    expect(files[i]?.startsWith(place), `step ${i + 1} names ${place}`).toBe(true)
  expect(commands).toHaveLength(2)
  const [program, shell] = ['sh', ['-e', '-c', commands.join('\n')]]
  const env = { ...process.env, CI: '' }
  // What a command prints is part of the error if it fails.
  await promisify(execFile)(program, shell, { cwd: copy, env, maxBuffer: 2 ** 26 })
}, 600_000)
