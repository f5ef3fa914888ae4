import { table } from '../../bench/table.js'

/** The part of the page that is generated. */
const block = /(<!-- catalog -->\n)[\s\S]*?(\n<!-- catalog end -->)/

const actors = { caller: 'your code', end_user: 'the person', operator: 'the account', wait: 'no one: wait' }
const retries = { never: 'no', after_change: 'after a change', later: 'later' }

/**
 * Returns the page with its generated part rebuilt from the catalog.
 *
 * @param {string} page
 * @param {Readonly<Record<string, import('identity-service-sdk/errors').ErrorCatalogEntry>>} catalog
 */
export const withCatalog = (page, catalog) =>
  page.replace(block, (_, begin, end) => `${begin}\n${tableOf(catalog)}\n${end}`)

/** @param {Parameters<typeof withCatalog>[1]} catalog */
const tableOf = (catalog) =>
  table(
    ['Code', 'Status', 'Meaning', 'Who can act', 'Retry'],
    Object.entries(catalog)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, { statuses, meaning, advice }]) => [
        `\`${code}\``,
        statuses.join(', '),
        meaning,
        actors[advice.actor],
        retries[advice.retry],
      ]),
  )
