import { expect } from 'vitest'
import type { Logger, RequestOptions } from '../../src/index.ts'
import { operations } from '../support/operations.ts'
import { testOrg } from '../support/org-client.ts'
import { rosterOperations } from '../support/roster-operations.ts'
import { errorResponse, ok, type ScriptedResponse, scriptedService } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

/** Clients that reject what is not documented, in front of a service that a test scripts. */
export function documentedCalls() {
  const service = scriptedService()

  /** Clients with their own warnings, because a client warns once for each operation. The clock is `client`'s. */
  const strictClients = () => {
    const warnings: unknown[] = []
    const note = (...record: unknown[]) => void warnings.push(record)
    const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note }
    const options = { responseValidation: 'strict', logger, maxRetries: 0 } as const
    return { ...testOrg(options), ...testClient(options), warnings }
  }

  /** Sends the request of a method, such as `sessions.create`. */
  const send = async (name: string, response: ScriptedResponse, options?: RequestOptions) => {
    const clients = strictClients()
    const operation = operations.find((one) => one.name === name)
    const rosterOperation = rosterOperations.find((one) => one.name === name)
    const { method, path } = operation ?? rosterOperation ?? expect.fail(`no operation is called ${name}`)
    service.respondTo(`${method} ${path}`, response)
    const call = operation?.call(clients.client, options) ?? rosterOperation?.call(clients.org, options)
    return { call: Promise.resolve(call), warnings: clients.warnings }
  }

  return {
    service,
    strictClients,

    /** Returns what a method gives for `data`. Fails if the client warns about it. */
    async received(name: string, data: unknown, options?: RequestOptions): Promise<unknown> {
      const { call, warnings } = await send(name, ok(data), options)
      const result = await call
      expect(warnings).toEqual([])
      return result
    },

    /** Returns the error that a method throws for `data`. */
    async rejected(name: string, data: unknown): Promise<unknown> {
      return thrownBy((await send(name, ok(data))).call)
    },

    /** Returns the error that a method throws for an error of the service. */
    async failed(name: string, status: number, code: string, more: object = {}): Promise<unknown> {
      return thrownBy((await send(name, errorResponse(status, code, more))).call)
    },

    /** Returns the last request that a method sends, to a service that responds with `data`. */
    async sent(call: (clients: ReturnType<typeof strictClients>) => PromiseLike<unknown>): Promise<Request> {
      await call(strictClients())
      return service.requests.at(-1) ?? expect.fail('nothing was sent')
    },
  }
}

export type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object'

/** A value of another type. */
export const otherThan: Readonly<Record<JsonType, unknown>> = {
  string: 7,
  number: 'seven',
  boolean: 'yes',
  array: 'a, b',
  object: 'an object',
}
