/**
 * Returns the rows of a comparison as a group of a result.
 *
 * @param {string} title
 * @param {Awaited<ReturnType<typeof import('./rounds.js').inRounds>>} measured
 * @param {{ own: readonly string[], work: string, longest?: number }} how
 * @returns {import('./result.js').Group}
 */
export function ratioGroup(title, measured, { own, work, longest }) {
  const [base = ''] = measured.keys()
  return {
    title,
    columns: [
      { key: 'cpu', label: `CPU per ${work}`, unit: 'µs' },
      { key: 'ratio', label: `CPU as a multiple of ${base}`, unit: '' },
    ],
    bars: 'ratio',
    ...(longest === undefined ? {} : { longest }),
    rows: [...measured].map(([name, figures]) => ({
      name,
      ...(own.includes(name) ? { own: true } : {}),
      figures,
    })),
  }
}

/**
 * @param {ReadonlyMap<string, { ratio: import('./spread.js').Spread }>} measured
 * @param {string} name
 */
export const ratioOf = (measured, name) => measured.get(name)?.ratio.median ?? Number.NaN
