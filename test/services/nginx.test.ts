import { expect, it, onTestFinished, vi } from 'vitest'
import { OidcClient, OrgClient } from '../../src/index.ts'
import { describeWith } from '../support/services.ts'
import { emulatorBehindNginx, upload } from './behind-nginx.ts'

describeWith('nginx', 'that clients work through a proxy that ends TLS', () => {
  it.each([
    ['HTTP/1.1', false],
    ['HTTP/2.0', true],
  ])('a session, an upload, a sign-in and the roster work over TLS and %s', async (protocol, http2) => {
    const directives = ['gzip on', 'gzip_types application/json', 'gzip_min_length 1']
    const { emulator, nginx, reach, clientWith } = await emulatorBehindNginx({ http2, directives })
    const { oidc, org } = emulator.options
    const client = clientWith()
    // The emulator names itself as it was called, and TLS ends before it.
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
    ['offers HTTP/2 when told to', true, 'HTTP/2.0'],
    ['stays with HTTP/1.1 unless told otherwise', undefined, 'HTTP/1.1'],
  ])('the own pool of a client %s', async (_, http2, protocol) => {
    // A pool of our own trusts what Node trusts, which is fixed when the process starts.
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

  it('a certificate that nobody vouches for ends a call before anything is sent', async () => {
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
