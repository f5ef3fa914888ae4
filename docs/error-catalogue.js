import { table } from '../bench/harness/tables.js'

/** Between these, the page says what the catalogue says. */
const block = /(<!-- catalogue -->\n)[\s\S]*?(\n<!-- catalogue end -->)/

const actors = { caller: 'your code', end_user: 'the person', operator: 'the account', wait: 'nobody' }
const repeats = { never: 'no', after_change: 'once changed', later: 'later' }

/**
 * A page with its block as the catalogue has it.
 *
 * @param {string} page
 * @param {Readonly<Record<string, import('identity-service-sdk/errors').ErrorCatalogEntry>>} catalog
 */
export const withCatalogue = (page, catalog) =>
  page.replace(block, (_, begin, end) => `${begin}\n${tableOf(catalog)}\n${end}`)

/** @param {Parameters<typeof withCatalogue>[1]} catalog */
const tableOf = (catalog) =>
  table(
    ['Code', 'Status', 'Meaning', 'Who can act', 'Again'],
    Object.entries(catalog)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, { statuses, meaning, advice }]) => [
        `\`${code}\``,
        statuses.join(', '),
        meaning,
        actors[advice.actor],
        repeats[advice.repeat],
      ]),
  )
