import { html } from 'hono/html'
import { emptyState, type Markup, scrollable } from '../pages/design/components.ts'
import type { IconName } from '../pages/design/icons.ts'

/** Rows of one page of a table. */
export const rowsOfPage = 100

/** A field of a search form that selects records by one choice. */
interface Choice<Record> {
  /** The name of the field in the query. */
  readonly name: string
  readonly label: string
  /** The first one is the default, and selects all. */
  readonly options: readonly string[]
  readonly accepts: (record: Record, option: string) => boolean
}

interface Search<Record> {
  /** What a record is searched by. */
  readonly textOf: (record: Record) => string
  /** @default none */
  readonly choice?: Choice<Record>
}

interface RecordList<Record> {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly headings: readonly string[]
  readonly cells: (record: Record) => readonly (Markup | string)[]
  /** Shown while there are no records. */
  readonly empty: EmptyList
  /** Address of the page. Its query selects records. */
  readonly url: URL
  /** @default none */
  readonly search?: Search<Record>
}

interface EmptyList {
  readonly icon: IconName
  readonly title: string
  readonly hint: Markup | string
}

/** Renders a table with a search and with pages. @param records in the order of the rows */
export const recordList = <Record>(
  records: readonly Record[],
  { label, headings, cells, ...list }: RecordList<Record>,
): Markup =>
  searchable(records, list, (matches) => {
    const { page, pager } = pageOf(matches, list.url)
    const rows = page.map(
      (record) =>
        html`<tr>${cells(record).map((cell) => html`<td>${cell}</td>`)}</tr>
`,
    )
    return html`<div>${tableOf(label, headings, html`<tbody>${rows}</tbody>`)}${pager}</div>`
  })

/** Renders the form that searches records, and those that it finds. */
export function searchable<Record>(
  records: readonly Record[],
  { empty, url, search }: Pick<RecordList<Record>, 'empty' | 'url' | 'search'>,
  render: (matches: readonly Record[]) => Markup,
): Markup {
  if (records.length === 0) return emptyState(empty.icon, empty.title, empty.hint)
  if (search === undefined) return render(records)
  const { textOf, choice } = search
  const query = url.searchParams.get('q') ?? ''
  const option = choice?.options.find((one) => one === url.searchParams.get(choice.name))
  const matches = records
    .filter((record) => option === undefined || choice?.accepts(record, option))
    // The text of a record is costly, and pages are loaded each second.
    .filter((record) => query === '' || textOf(record).toLowerCase().includes(query.toLowerCase()))
  return html`<form class="filter" role="search"><label>Search <input type="search" name="q" value="${query}"></label>
${choice === undefined ? '' : choiceField(choice, option)}<button class="outline">Search</button></form>
${matches.length > 0 ? render(matches) : emptyState(empty.icon, 'Nothing found', html`<a href="${url.pathname}">Show everything</a>`)}`
}

const choiceField = <Record>({ name, label, options }: Choice<Record>, current = options[0]) =>
  html`<label>${label} <select name="${name}">${options.map((option) => html`<option${option === current ? ' selected' : ''}>${option}</option>`)}</select></label>
`

/** Renders a table. @param bodies its `tbody` elements */
export const tableOf = (label: string, headings: readonly string[], bodies: Markup): Markup =>
  scrollable(
    label,
    html`<table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
${bodies}
</table>`,
  )

/** Returns the records of the page that the address names, and links to its neighbors. */
export function pageOf<Record>(
  records: readonly Record[],
  url: URL,
): { readonly page: readonly Record[]; readonly pager: Markup } {
  const last = Math.max(1, Math.ceil(records.length / rowsOfPage))
  const number = Math.min(last, Math.max(1, Math.trunc(Number(url.searchParams.get('page'))) || 1))
  const page = records.slice((number - 1) * rowsOfPage, number * rowsOfPage)
  if (last === 1) return { page, pager: html`` }
  const link = (to: number, text: string) => {
    const target = new URLSearchParams(url.searchParams)
    target.set('page', String(to))
    return html`<a href="?${target.toString()}">${text}</a>`
  }
  const first = (number - 1) * rowsOfPage + 1
  return {
    page,
    pager: html`<nav class="pager" aria-label="Pages of the table"><span class="quiet">${first} to ${first + page.length - 1} of ${records.length}</span>
${number > 1 ? link(number - 1, 'Previous') : ''} ${number < last ? link(number + 1, 'Next') : ''}</nav>`,
  }
}
