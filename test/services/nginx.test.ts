import { expect, it, onTestFinished, vi } from 'vitest'
import { OidcClient, OrgClient } from '../../src/index.ts'
import { describeWith } from '../support/programs.ts'
import { emulatorBehindNginx, upload } from './behind-nginx.ts'

describeWith('nginx', 'that clients work through a proxy that terminates TLS', () => {
  it.each([
    ['HTTP/1.1', false],
    ['HTTP/2.0', true],
  ])('a session, an upload, a sign-in and the roster work over TLS and %s', async (protocol, http2) => {
    const directives = ['gzip on', 'gzip_types application/json', 'gzip_min_length 1']
    const { emulator, nginx, reach, clientWith } = await emulatorBehindNginx({ http2, directives })
    const { oidc, org } = emulator.options
    const client = clientWith()
    // The emulator takes its issuer from the request, which reaches it without TLS.
    const issuer = nginx.url.replace('https', 'http')
    const signIn = new OidcClient({ ...oidc, ...reach, issuer })
    const roster = new OrgClient({ ...org, ...reach })

    const session = await client.sessions.create({ workflow_id: 'wf_identity' })
    const check = await client.checks.liveness(upload(500_000))
    const login = await signIn.createAuthorization()
    const tokens = await signIn.handleCallback(emulator.signIn.approve(login.url), login)
    const { members } = await roster.members.list()

    expect(session.status).toBe('NOT_STARTED')
    expect(check.status).toBe('passed')
    expect(tokens.claims).toMatchObject({ iss: issuer, sub: 'user_sample' })
    expect(members).toMatchObject([{ email: 'ada@example.test' }])
    expect(emulator.ledger).toHaveLength(1)
    await expect.poll(() => nginx.log()).toHaveLength(5)
    expect(new Set((await nginx.log()).map((logged) => logged.protocol))).toEqual(new Set([protocol]))
  })

  it.each([
    ['offers HTTP/2 if http2 is true', true, 'HTTP/2.0'],
    ['uses HTTP/1.1 by default', undefined, 'HTTP/1.1'],
  ])('the default pool of a client %s', async (_, http2, protocol) => {
    // The default pool trusts the certificates that Node trusts, which cannot be changed in a running process.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { nginx, clientWith } = await emulatorBehindNginx({ http2: true })
    const client = clientWith({ dispatcher: undefined, http2 })
    onTestFinished(() => client.close())

    const calls = Array.from({ length: 20 }, () => client.checks.liveness(upload(100_000)))

    expect(await Promise.all(calls)).toHaveLength(20)
    await expect.poll(() => nginx.log()).toHaveLength(20)
    expect(new Set((await nginx.log()).map((logged) => logged.protocol))).toEqual(new Set([protocol]))
  })

  it('an untrusted certificate ends a call before anything is sent', async () => {
    const { nginx, clientWith } = await emulatorBehindNginx()
    const client = clientWith({ dispatcher: undefined })
    onTestFinished(() => client.close())

    await expect(client.checks.liveness(upload(100))).rejects.toMatchObject({
      name: 'ConnectionError',
      mayHaveArrived: false,
      attempts: 3,
      idempotencyKey: expect.any(String),
    })
    expect(await nginx.log()).toEqual([])
  })
})
