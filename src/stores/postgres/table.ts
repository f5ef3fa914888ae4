import { SharedWork } from '../../runtime/shared-work.ts'
import { driverCode, type EngineLimit, withTimeLimit } from '../operation.ts'

const undefinedTable = '42P01'

interface TableCreation extends EngineLimit {
  /** Without it, nothing is created. */
  readonly createTable: boolean
}

/** Returns a function that runs what needs a table, and before the first use creates the table. */
export function tableCreation(
  create: (signal: AbortSignal) => Promise<unknown>,
  { createTable, ...limit }: TableCreation,
) {
  const creation = new SharedWork(limit.timing)
  let isCreated = false
  const created = async () => {
    while (!isCreated) {
      // Other operations wait for this too, so it must not end with the one that started it.
      const operation = { ...limit, operation: 'the creation of its table', mayHaveHappened: false }
      if (!creation.isPending) creation.start(withTimeLimit(create, operation), limit.timeoutMs)
      isCreated = (await creation.settled()) !== undefined
    }
  }
  return async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      if (createTable) await created()
      return await use()
    } catch (thrown) {
      // The table was created in a transaction that was rolled back, or was dropped. The next call creates it again.
      if (driverCode(thrown) === undefinedTable) isCreated = false
      throw thrown
    }
  }
}
