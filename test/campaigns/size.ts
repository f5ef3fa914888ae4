/** True with `npm run campaigns -- --full`, which the nightly workflow runs. */
const isFull = Boolean(process.env.WHOLE)

/** Returns a tenth of the full size of a campaign, unless it runs in full. */
export const sized = (full: number): number => (isFull ? full : full / 10)

/** Returns some items of a list, evenly spread, unless the campaign runs in full. */
export const sampled = <T>(items: readonly T[], count: number): readonly T[] =>
  isFull
    ? items
    : items.filter((_, i) => Math.floor((i * count) / items.length) !== Math.floor(((i - 1) * count) / items.length))
