import { html } from 'hono/html'
import { type Markup, page, scrollable } from '../pages/page.ts'

/** Path of the console. No path of the service starts with it. */
export const consolePath = '/_emulator'

/** The pages in the order of the navigation: path below the console, and name. */
export const consolePages = {
  overview: ['', 'Overview'],
  sessions: ['/sessions', 'Sessions'],
  checks: ['/checks', 'Checks'],
  webhooks: ['/webhooks', 'Webhooks'],
  members: ['/members', 'Members'],
  tokens: ['/tokens', 'Tokens'],
  ledger: ['/ledger', 'Ledger'],
  requests: ['/requests', 'Requests'],
  faults: ['/faults', 'Faults'],
} as const

export type ConsolePage = keyof typeof consolePages

export const addressOf = (name: ConsolePage, ...below: string[]) =>
  [consolePath + consolePages[name][0], ...below.map(encodeURIComponent)].join('/')

const note = 'This console shows what the emulator holds in memory. All names and data are made up.'

/** Renders a page of the console. @param about `title` defaults to the name of the page */
export function consolePage(
  name: ConsolePage,
  content: Markup,
  about: { readonly status?: number; readonly title?: string; readonly script?: string } = {},
): Promise<Response> {
  const { status = 200, title = consolePages[name][1], script } = about
  const names = Object.keys(consolePages) as ConsolePage[]
  const nav = html`${names.map(
    (one) =>
      html`<a href="${addressOf(one)}"${one === name ? html` aria-current="page"` : ''}>${consolePages[one][1]}</a>
`,
  )}`
  return page(
    status,
    { title: `${title} - console`, note, nav, isWide: true, script },
    html`<h1>${title}</h1>
${content}`,
  )
}

/** Maximum number of rows in a table. */
const maxRows = 200

/** Renders a table of the newest records, newest first. @param records oldest first */
export function recordTable<Record>(
  label: string,
  headings: readonly string[],
  records: readonly Record[],
  cells: (record: Record) => readonly (Markup | string)[],
): Markup {
  if (records.length === 0) return html`<p class="quiet">None yet.</p>`
  const rows = records
    .slice(-maxRows)
    .reverse()
    .map(
      (record) =>
        html`<tr>${cells(record).map((cell) => html`<td>${cell}</td>`)}</tr>
`,
    )
  const more =
    records.length > maxRows
      ? html`<p class="quiet">Showing the newest ${maxRows} of ${records.length}.</p>`
      : html``
  return html`${scrollable(
    label,
    html`<table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`,
  )}${more}`
}

/** Renders names with their values. */
export const factList = (pairs: readonly (readonly [name: string, value: Markup | string])[]): Markup =>
  html`<dl>${pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
