import {
  ApiError,
  ConnectionError,
  createTokenManager,
  TimeoutError,
  type TokenManager,
  TokenManagerError,
  type TokenRefresher,
  type TokenSet,
} from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import type { Protocol } from '../protocol.ts'
import { exchange, transportFaults } from '../request.ts'
import { StoreData, simulatedStore } from '../store.ts'
import { epoch, type Fault, type Process } from '../world.ts'

const lockTtlMs = 3_000
const operationTimeoutMs = 300
const expiresIn = 900
const recordKey = 'tokens:user'
const lossy: readonly Fault[] = ['lost request', 'lost response', 'failed response', 'late request', 'late response']

/** The token manager: each process needs a valid access token of the same person, whose token has expired. */
export const tokens: Protocol = {
  name: 'tokens',
  faults: ['crash', 'pause', ...transportFaults],
  pauseMs: lockTtlMs + 1_000,
  lateMs: operationTimeoutMs + 200,
  begin(world, { processes, rounds }) {
    const data = new StoreData(world)
    /** The refresh tokens that the service has issued, and those that were used. */
    const issued: string[] = []
    const used = new Set<string>()
    const stored = new Set<string>()
    const got: string[] = []
    let signIns = 0
    let refreshes = 0

    const issue = (at: number): TokenSet => {
      const n = issued.push(`refresh_${issued.length}`) - 1
      return {
        access_token: `access_${n}`,
        refresh_token: `refresh_${n}`,
        token_type: 'Bearer',
        scope: 'openid',
        expires_in: expiresIn,
        expiresAtSeconds: Math.floor((epoch + at) / 1000) + expiresIn,
      }
    }
    const serve = (refreshToken: string): TokenSet | undefined => {
      if (used.has(refreshToken)) world.violate(`the spent refresh token ${refreshToken} was presented`)
      if (used.has(refreshToken)) return undefined
      used.add(refreshToken)
      refreshes++
      return issue(world.now)
    }

    data.show = (text) => {
      const { state, tokens: { refresh_token = '' } = {} } = text.startsWith('{') ? JSON.parse(text) : { state: text }
      return `${state} ${refresh_token}`.trim()
    }
    data.onWrite.push(({ key, after }) => {
      if (key === recordKey && after) stored.add(JSON.parse(after).tokens?.access_token)
    })
    // The tokens of a sign-in that expired long ago.
    const first = world.outsider('sign-in')
    data.write(
      first,
      recordKey,
      JSON.stringify({ state: 'held', tokens: { ...issue(0), expiresAtSeconds: epoch / 1000 - 1 } }),
    )

    const refresherOf = (process: Process): TokenRefresher => ({
      refresh: (refreshToken, _, { deadlineMs = 0 }) =>
        new Promise((resolve, reject) => {
          const expire = () =>
            reject(new TimeoutError({ operation: 'oidc.refresh', limit: 'deadlineMs', limitMs: deadlineMs }))
          const cancel = process.timing.timer(expire, deadlineMs)
          exchange(process, {
            label: `refresh with ${refreshToken}`,
            serve: () => serve(refreshToken),
            show: (result) => result?.refresh_token ?? 'invalid_grant',
            lateMs: lockTtlMs,
            error: (part) => new ConnectionError({ message: 'no connection', mayHaveArrived: part === 'response' }),
          })
            .then((result) => {
              if (result) return resolve(result)
              reject(new ApiError({ status: 400, code: 'invalid_grant', message: 'spent' } as never))
            }, reject)
            .finally(cancel)
        }),
    })

    /** Whether what has happened explains that it is unknown if a token was used. */
    const mayBeUnknown = () =>
      world.happened.some(
        ({ fault, of }) => ['crash', 'pause'].includes(fault) || (lossy.includes(fault) && of.includes('refresh with')),
      ) || world.happened.length >= 3

    const signIn = async (process: Process, manager: TokenManager) => {
      signIns++
      // It takes a while, in which other processes go on.
      await process.timing.sleep(2_000, undefined)
      world.note(process, 'the person signs in again')
      await manager.save('user', issue(world.now))
    }

    const work = async (process: Process, manager: TokenManager, round: number) => {
      for (;;) {
        try {
          const token = await manager.getAccessToken('user')
          world.note(process, `gets ${token}`)
          if (!stored.has(token)) world.violate(`${token} was returned before it was stored`)
          got.push(`${process.name} ${round}`)
          return
        } catch (error) {
          const reason = error instanceof TokenManagerError ? error.reason : undefined
          world.note(process, `getAccessToken fails: ${reason ?? (error as Error).message}`)
          if (reason === 'refresh_outcome_unknown' && !mayBeUnknown())
            world.violate('the outcome is reported as unknown, although nothing has left it open')
          if (reason === 'refresh_rejected') world.violate('the tokens were rejected')
          if (reason) await signIn(process, manager).catch(() => {})
          else await process.timing.sleep(3_000, undefined)
        }
      }
    }
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        const options = {
          oidc: refresherOf(process),
          store: { ...simulatedStore(data, process), operationTimeoutMs },
          lockTtlMs,
        }
        const manager = createTokenManager({ ...options, [timing]: process.timing } as typeof options)
        for (let round = 1; round <= rounds; round++) {
          await work(process, manager, round)
          if (round < rounds) await process.timing.sleep(expiresIn * 1000, undefined)
        }
      })

    return {
      state: () =>
        `${data.state()}\n${[...used].join()} ${issued.length} ${signIns} ${got.join()} ${[...stored].join()}`,
      atEnd() {
        const missing = world.roles.filter(({ process }) => !got.includes(`${process.name} ${rounds}`))
        for (const { name } of missing) world.violate(`${name} never got an access token`)
        if (world.happened.length > 0) return
        if (refreshes !== rounds) world.violate(`${refreshes} refreshes, although nothing has failed`)
        if (signIns > 0) world.violate('a person had to sign in again, although nothing has failed')
      },
    }
  },
}
