import { expect, it, vi } from 'vitest'

type Class = new (facts: object) => Error

/** The classes of the modules of errors, also those that are not exported by an entry, of a copy of its own. */
async function copyOfClasses() {
  vi.resetModules()
  const modules = await Promise.all([
    import('../../src/errors/sdk-error.ts'),
    import('../../src/errors/api-errors.ts'),
    import('../../src/errors/call-errors.ts'),
  ])
  const values = modules.flatMap((module) => Object.entries(module))
  return new Map(values.filter((entry): entry is [string, Class] => /^[A-Z]\w*Error$/.test(entry[0])))
}

const parents = (error: Error, classes: Awaited<ReturnType<typeof copyOfClasses>>) =>
  [...classes].filter(([, type]) => error instanceof type).map(([name]) => name)

const facts = { message: 'no', code: 'not_found', status: 404, issues: [] }

it('an error of another copy is an instance of the same classes, except of those without a name', async () => {
  const own = await copyOfClasses()
  const other = await copyOfClasses()
  const made = [...other.values()].map((type) => new type(facts))

  expect(made.length).toBeGreaterThan(20)
  for (const error of made)
    expect(parents(error, own)).toEqual(parents(error, other).filter((name) => name !== 'UnansweredError'))
})

const named = (copy: Map<string, Class>) => Object.fromEntries(copy) as Record<'StoreError' | 'NotFoundError', Class>

it('a class of the application is that of no other copy, and what has only a name is none of ours', async () => {
  const { StoreError, NotFoundError } = named(await copyOfClasses())
  const foreign = named(await copyOfClasses())
  class Mine extends StoreError {}
  class MissingPage extends NotFoundError {}
  class Theirs extends foreign.StoreError {
    readonly #name = 'Theirs'
    override get name() {
      return this.#name
    }
  }
  const renamed = Object.defineProperty(new foreign.StoreError(facts), 'name', { value: 'NotFoundError' })

  expect(new foreign.StoreError(facts)).not.toBeInstanceOf(Mine)
  expect(new foreign.NotFoundError(facts)).not.toBeInstanceOf(MissingPage)
  expect(new Theirs(facts)).toBeInstanceOf(StoreError)
  expect(renamed).not.toBeInstanceOf(NotFoundError)
  for (const value of [new Error('no'), null, 'StoreError', { name: 'StoreError' }, Object.create(null)])
    expect(value instanceof StoreError).toBe(false)
})
