import { html } from 'hono/html'
import { emptyState, type Markup, scrollable } from '../design/components.ts'
import type { IconName } from '../design/icons.ts'

/** Rows of one page of a table. */
export const rowsOfPage = 100

interface RecordList<Record> {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly headings: readonly string[]
  readonly cells: (record: Record) => readonly (Markup | string)[]
  /** Shown while there are no records. */
  readonly empty: { readonly icon: IconName; readonly title: string; readonly hint: Markup | string }
  /** Address of the page. Its query selects records: `q` by their text, and `page`. */
  readonly url: URL
  /** What a record is searched by. @default no search */
  readonly textOf?: (record: Record) => string
  /** A field of the search form, for another choice. @default none */
  readonly choice?: Markup
}

/** Renders a table with a search and with pages. @param records in the order of the rows */
export function recordList<Record>(
  records: readonly Record[],
  { label, headings, cells, empty, url, textOf, choice }: RecordList<Record>,
): Markup {
  const sought = url.searchParams.get('q') ?? ''
  const isSearched = textOf !== undefined && (records.length > 0 || choice !== undefined)
  const found = isSearched ? records.filter((record) => contains(textOf(record), sought)) : records
  const search = isSearched ? searchForm(sought, choice) : ''
  if (found.length === 0)
    return html`${search}${
      sought === '' && choice === undefined
        ? emptyState(empty.icon, empty.title, empty.hint)
        : emptyState(empty.icon, 'Nothing found', html`<a href="${url.pathname}">Show everything</a>`)
    }`
  const { shown, pager } = pageOf(found, url)
  const rows = shown.map(
    (record) =>
      html`<tr>${cells(record).map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )
  return html`${search}<div>${tableOf(label, headings, html`<tbody>${rows}</tbody>`)}${pager}</div>`
}

/** Renders a table. @param bodies its `tbody` elements */
export const tableOf = (label: string, headings: readonly string[], bodies: Markup): Markup =>
  scrollable(
    label,
    html`<table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
${bodies}
</table>`,
  )

export const contains = (text: string, sought: string) => text.toLowerCase().includes(sought.toLowerCase())

/** Renders the form that searches. It is a GET, so that a search has an address. */
export const searchForm = (sought: string, choice: Markup | undefined): Markup =>
  html`<form class="filter" role="search"><label>Search <input type="search" name="q" value="${sought}"></label>${choice ?? ''}
<button class="outline">Search</button></form>`

/** Returns the records of the page that the address names, and links to its neighbors. */
export function pageOf<Record>(
  records: readonly Record[],
  url: URL,
): { readonly shown: readonly Record[]; readonly pager: Markup } {
  const last = Math.max(1, Math.ceil(records.length / rowsOfPage))
  const number = Math.min(last, Math.max(1, Math.trunc(Number(url.searchParams.get('page'))) || 1))
  const shown = records.slice((number - 1) * rowsOfPage, number * rowsOfPage)
  if (last === 1) return { shown, pager: html`` }
  const link = (to: number, text: string) => {
    const query = new URLSearchParams(url.searchParams)
    query.set('page', String(to))
    return html`<a href="?${query.toString()}">${text}</a>`
  }
  const first = (number - 1) * rowsOfPage + 1
  return {
    shown,
    pager: html`<nav class="pager" aria-label="Pages of the table"><span class="quiet">${first} to ${first + shown.length - 1} of ${records.length}</span>
${number > 1 ? link(number - 1, 'Previous') : ''} ${number < last ? link(number + 1, 'Next') : ''}</nav>`,
  }
}
