import { ConfigurationError } from '../../errors/sdk-error.ts'

/** A client for the callback of one event. */
interface TransactionClient<Client> {
  readonly tx: Client
  /** From now on, statements on `tx` throw, because they would run outside the transaction. */
  end(): void
}

/**
 * Returns a client of a pool as a callback uses it. It accepts statements until the callback has ended. Its `release`
 * does nothing, so that a library that takes connections from a pool can be passed a pool of this one.
 */
export function transactionClient<Client extends object>(client: Client): TransactionClient<Client> {
  let hasEnded = false
  const query = (...args: unknown[]): unknown => {
    if (hasEnded) throw endedAlready()
    return Reflect.apply(Reflect.get(client as object, 'query'), client, args)
  }
  const own: Readonly<Record<PropertyKey, unknown>> = { query, release: () => {} }
  const tx = new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value
    },
  })
  return {
    tx,
    end: () => {
      hasEnded = true
    },
  }
}

const endedAlready = () =>
  new ConfigurationError({
    message:
      'postgresInbox: the transaction of this event has ended, so tx runs no more statements. ' +
      'Await every statement in the callback.',
  })
