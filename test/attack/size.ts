/** True with `npm run attack`, which the nightly workflow runs. */
const isLong = process.env.ATTACK !== undefined

/** The seed of random inputs. The same seed makes the same inputs. */
export const seed = Number(process.env.SEED ?? 1)

/** Returns how many inputs an attack tries: a few of them in a usual run, and many with `npm run attack`. */
export const tries = (usual: number, long: number): number => (isLong ? long : usual)

/** Returns some items of a list, evenly spread, and all of them with `npm run attack`. */
export const some = <Item>(items: readonly Item[], usual: number): readonly Item[] =>
  isLong ? items : items.filter((_, i) => i % Math.ceil(items.length / usual) === 0)

/** Prints how many inputs an attack has tried, with `npm run attack`. */
export function tried(count: number, inputs: string): void {
  if (isLong) console.log(`tried ${count} ${inputs}`)
}
