import { Stream } from '../../../src/observe/stream.ts'
import { Cells } from '../../../src/stores/cell.ts'
import { exclusively, Lease, leased } from '../../../src/stores/exclusive.ts'
import { guardedStore } from '../../../src/stores/operation.ts'
import type { Protocol } from '../protocol.ts'
import { exchange, transportFaults } from '../request.ts'
import { StoreData, simulatedStore } from '../store.ts'
import type { Process } from '../world.ts'

const leaseMs = 3_000
const operationTimeoutMs = 300
const recordKey = 'record'

/** What is made once for a key. `by` names the lease of the process that is making it. */
interface Made {
  readonly id: string
  readonly by: string | null
  readonly thing: string | null
}

const madeOf = (text: string | null): Made | null => (text === null ? null : (JSON.parse(text) as Made))

/**
 * The protocol of `stores/exclusive.ts`, without its four uses: all processes need one thing, which is made once for a
 * key. Before a process sends the request, the record names its lease. A process that finds the name of a lease that has
 * ended first looks for what that request has made.
 */
export const exclusive: Protocol = {
  name: 'exclusive',
  faults: ['crash', 'end', 'pause', 'clock', 'deletion', ...transportFaults],
  pauseMs: leaseMs + 1_000,
  lateMs: operationTimeoutMs + 200,
  begin(world, { processes }) {
    const data = new StoreData(world)
    /** What the service has made. */
    const things: string[] = []
    const deleted = new Set<string>()
    const done = new Map<string, string>()
    data.onWrite.push(({ before, after, key }) => {
      if (key !== recordKey) return
      const [old, next] = [madeOf(before), madeOf(after)]
      if (old && !next) deleted.add(old.id)
      if (next && deleted.has(next.id)) world.violate('a record comes back after it was deleted')
      if (old?.thing && next && next.thing !== old.thing) world.violate('what was made is replaced')
    })
    // Anything may be made again once it is deleted, and a request that arrives after everyone has given it up is executed.
    const mayRepeat = () => world.happened.some(({ fault }) => fault === 'deletion' || fault === 'late request')
    const remove = { label: 'the record is deleted', take: () => data.write(world.outsider('other'), recordKey, null) }
    world.hold(world.outsider('other'), 'outside', 'looks on', () => {}, { faults: [{ ...remove, fault: 'deletion' }] })

    const request = <Result>(process: Process, label: string, deadlineMs: number, serve: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        const cancel = process.timing.timer(() => reject(new Error('timeout')), deadlineMs)
        exchange(process, { label, serve, lateMs: leaseMs, error: () => new Error('no connection') })
          .then(resolve, reject)
          .finally(cancel)
      })

    const get = (process: Process): Promise<string> => {
      const { timing } = process
      const stream = new Stream({ observation: {}, timing })
      const store = guardedStore('test', { ...simulatedStore(data, process), operationTimeoutMs }, 'the store', {
        timing,
        stream,
      })
      const form = {
        encode: (_: string, made: Made | null) => made && JSON.stringify(made),
        decode: (_: string, text: string | null) => madeOf(text),
      }
      const cells = new Cells<Made | null>(store, { form, timing })
      const begin = async () => {
        const holder = crypto.randomUUID()
        const lost = () => new Error('lost') as never
        return (await Lease.acquire({ store, key: holder, holder, ttlMs: leaseMs, timing, lost })) as Lease
      }
      return exclusively<Awaited<ReturnType<typeof cells.read>>, string>(
        {
          read: () => cells.read(recordKey),
          doneIn: ({ value }) => value?.thing ?? undefined,
          isTaken: async ({ value }) => !!value?.by && (await store.get(value.by)) !== null,
          attempt: (found) =>
            leased(
              begin,
              async (lease) => {
                const { holder } = await lease()
                const id = found.value?.id ?? holder
                const named = await cells.replace(recordKey, found, { id, by: holder, thing: null })
                const { requestMs } = await lease()
                if (named === undefined || requestMs === undefined) return undefined
                const make = () => {
                  if (things.length > 0 && !mayRepeat()) world.violate('two are made')
                  return things[things.push(`thing_${things.length + 1}`) - 1] as string
                }
                // A name without a lease: what was sent for it may have arrived.
                const lost = found.value?.by
                  ? await request(process, 'look for it', requestMs, () => things.at(-1) ?? null)
                  : null
                const { requestMs: leftMs } = await lease()
                if (leftMs === undefined) return undefined
                const thing = lost ?? (await request(process, 'make it', leftMs, make))
                const made = await cells.replace(recordKey, named, { id, by: null, thing })
                return made && thing
              },
              () => 'expire',
            ),
          limitMs: 4 * leaseMs,
          tooLong: () => {
            throw new Error('others take too long')
          },
        },
        timing,
      )
    }
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        for (;;) {
          try {
            const thing = await get(process)
            if (!things.includes(thing)) world.violate('what was returned was never made')
            done.set(`p${i}`, thing)
            return
          } catch (error) {
            world.note(process, `fails: ${(error as Error).message}`)
            await process.timing.sleep(5_000, undefined)
          }
        }
      })
    return {
      state: () => `${data.state()} ${things.join()} ${[...done].join()} ${[...deleted].join()}`,
      atEnd() {
        for (const { name, process } of world.roles)
          if (process.isAlive && !done.has(name)) world.violate(`${name} has not ended`)
        const record = madeOf(data.read(recordKey))
        if (record?.by && !world.happened.some(({ fault }) => fault === 'end'))
          world.violate('the record names a lease')
      },
    }
  },
}
