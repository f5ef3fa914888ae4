/** @typedef {import('./result.js').Target} Target */

/** @param {Target} target */
export const isMet = ({ most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY, measured }) =>
  measured <= most && measured >= least

/** @param {Target} target */
export const limitOf = ({ most, least }) => (most === undefined ? `at least ${least}` : `at most ${most}`)
