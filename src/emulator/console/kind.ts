import { html } from 'hono/html'
import * as z from 'zod/mini'
import { parseJson } from '../../runtime/bytes.ts'
import type { Control, ControlledEmulator } from '../controls/control.ts'
import { type JsonSchema, jsonSchemaOf } from '../controls/json-schema.ts'
import { badge, card, emptyState, factList, type Markup, scrollable } from '../pages/design/components.ts'
import type { IconName } from '../pages/design/icons.ts'

/** One kind of record. The page that lists its records, and the page of each record, are made from it. */
export interface Kind<Row = unknown> {
  readonly title: string
  readonly icon: IconName
  /** Returns one or two sentences below the main heading. */
  about(emulator: ControlledEmulator): Markup | string
  /** Returns the records in the order of the rows. */
  records(emulator: ControlledEmulator): readonly Row[]
  /** Returns what else the overview shows than how many there are. @default nothing */
  detail?(rows: readonly Row[], emulator: ControlledEmulator): string
  /** Shown while there are no records. */
  readonly empty: readonly [title: string, hint: Markup | string]
  /** Returns the cells of a row, by their headings. */
  cells(row: Row, emulator: ControlledEmulator): Readonly<Record<string, Markup | string>>
  /** Returns the text that a record is searched by. @default no search */
  textOf?(row: Row): string
  /** A field of the search, which selects records by one choice. @default none */
  readonly filter?: Filter<Row>
  /** Returns the forms next to the list. @default none */
  actions?(emulator: ControlledEmulator): readonly Action[]
  /** What actions have set and is not used up: its title, and its items. @default none */
  readonly pending?: { readonly title: string; items(emulator: ControlledEmulator): readonly Markup[]; clear: Action }
  /** The page of one record. @default none */
  readonly record?: RecordPage<Row>
}

interface Filter<Row> {
  readonly label: string
  /** Without a choice, all records are shown. */
  readonly choices: readonly string[]
  accepts(row: Row, choice: string): boolean
}

interface RecordPage<Row> {
  readonly title: string
  idOf(row: Row): string
  statusOf(row: Row): string | undefined
  /** Returns the forms next to the title. They get the id of the record. @default none */
  actions?(row: Row): readonly Action[]
  facts(row: Row, emulator: ControlledEmulator): Parameters<typeof factList>[0]
  /** Returns the content of each card, by its heading. */
  cards(row: Row, view: View): Readonly<Record<string, Markup>>
}

/** A form that calls a control. It has a field for each field of the control that is a text, a number or a choice. */
export interface Action {
  readonly control: Control
  readonly title: string
  /** Fields that are sent and not shown. */
  readonly preset?: Readonly<Record<string, string | number>>
  /** Texts that fields suggest. */
  readonly suggestions?: Readonly<Record<string, readonly string[]>>
  /** Sets the look of the button. @default the one of a main action */
  readonly variant?: 'outline' | 'danger'
}

/** What a page is rendered for. */
export interface View {
  readonly emulator: ControlledEmulator
  /** Address of the page. Its query selects records. */
  readonly url: URL
}

/** What a page shows next to the navigation. */
export interface Frame {
  /** @default 200 */
  readonly status?: number
  /** The main heading. */
  readonly title: string
  /** What stands next to the main heading. @default none */
  readonly nextToTitle?: Markup
  /** One or two sentences below it. @default none */
  readonly about?: Markup | string
  readonly content: Markup
}

/** Checks the members of a kind, and forgets the type of its records. */
export const kind = <Row>(facts: Kind<Row>): Kind => facts

/** A part of a page that changes while someone looks at it. @param name unique in the page */
export const live = (name: string, content: Markup): Markup =>
  html`<div class="stack" data-live="${name}">${content}</div>`

/** Renders the page that lists the records of a kind. @param address of the page, without a query */
export function listPage(kind: Kind, address: string, view: View): Frame {
  const { title, pending, actions } = kind
  const { emulator } = view
  const list = live('records', searchableList(kind, view))
  const cards = (actions?.(emulator) ?? []).map((action) =>
    card(action.title, html`<p class="quiet">${action.control.summary}</p>${formOf(action, address)}`),
  )
  if (pending !== undefined) {
    const items = pending.items(emulator)
    const content = html`<ul class="list">${items.map((item) => html`<li>${item}</li>`)}</ul>${formOf(pending.clear, address)}`
    cards.push(live('pending', card(pending.title, items.length === 0 ? html`<p class="quiet">None.</p>` : content)))
  }
  return {
    title,
    about: html`<span data-live="about">${kind.about(emulator)}</span>`,
    content: cards.length === 0 ? list : html`<div class="columns">${list}<div class="stack">${cards}</div></div>`,
  }
}

/** Renders the page of a record. Returns `undefined` if the record does not exist. */
export function recordPage({ records, record }: Kind, id: string, address: string, view: View): Frame | undefined {
  const row = record && records(view.emulator).find((one) => record.idOf(one) === id)
  if (row === undefined) return undefined
  const status = record?.statusOf(row)
  const forms = record?.actions?.(row).map((action) => formOf({ ...action, preset: { id, ...action.preset } }, address))
  const cards = Object.entries(record?.cards(row, view) ?? {})
  return {
    title: record?.title ?? '',
    nextToTitle: html`<span class="row" data-live="status">${status === undefined ? '' : badge(status)} ${forms ?? ''}</span>`,
    about: html`<code>${id}</code>`,
    content: html`<div class="columns"><div class="stack">${cards.map(([heading, content]) => live(heading, card(heading, content)))}</div>
${live('Details', card('Details', factList(record?.facts(row, view.emulator) ?? [])))}</div>`,
  }
}

/** Rows of one page of a table. */
export const rowsOfPage = 100

/** Renders the form that searches records, and those that it finds. */
function searchableList(kind: Kind, view: View): Markup {
  const { title, textOf, filter } = kind
  const { emulator, url } = view
  const rows = kind.records(emulator)
  if (rows.length === 0 || textOf === undefined) return tableOf(title, kind, rows, view)
  const query = url.searchParams.get('q') ?? ''
  const parameter = filter?.label.toLowerCase() ?? ''
  const choice = filter?.choices.find((one) => one === url.searchParams.get(parameter))
  const matches = rows
    .filter((row) => choice === undefined || filter?.accepts(row, choice))
    // The text of a record is costly, and pages are loaded each second.
    .filter((row) => query === '' || textOf(row).toLowerCase().includes(query.toLowerCase()))
  return html`<form class="filter" role="search"><label>Search <input type="search" name="q" value="${query}"></label>
${filter === undefined ? '' : html`<label>${filter.label} ${selectOf(parameter, ['', ...filter.choices], { selected: choice, none: 'any' })}</label>`}
<button class="outline">Search</button></form>
${matches.length > 0 ? tableOf(title, kind, matches, view) : emptyState(kind.icon, 'Nothing found', html`<a href="${url.pathname}">Show everything</a>`)}`
}

/** Renders the rows of the page that the address names, with links to its neighbors. @param label for screen readers */
export function tableOf<Row>(label: string, kind: Kind<Row>, rows: readonly Row[], { emulator, url }: View): Markup {
  if (rows.length === 0) return emptyState(kind.icon, ...kind.empty)
  const last = Math.ceil(rows.length / rowsOfPage)
  const number = Math.min(last, Math.max(1, Math.trunc(Number(url.searchParams.get('page'))) || 1))
  const first = (number - 1) * rowsOfPage
  const shown = rows.slice(first, first + rowsOfPage).map((row) => kind.cells(row, emulator))
  const link = (to: number, text: string) => {
    const target = new URLSearchParams(url.searchParams)
    target.set('page', String(to))
    return html`<a href="?${target.toString()}">${text}</a>`
  }
  return html`${scrollable(
    label,
    html`<table>
<thead><tr>${Object.keys(shown[0] ?? {}).map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${shown.map(
      (cells) => html`<tr>${Object.values(cells).map((cell) => html`<td>${cell}</td>`)}</tr>
`,
    )}</tbody></table>`,
  )}${
    last === 1
      ? ''
      : html`<nav class="pager" aria-label="Pages of the table"><span class="quiet">${first + 1} to ${first + shown.length} of ${rows.length}</span>
${number > 1 ? link(number - 1, 'Previous') : ''} ${number < last ? link(number + 1, 'Next') : ''}</nav>`
  }`
}

/** Renders the form of an action. @param address of its page */
export function formOf({ control, title, preset = {}, suggestions = {}, variant }: Action, address: string): Markup {
  const { properties = {}, required = [] } = jsonSchemaOf(control.fields)
  const look =
    variant === undefined ? '' : html` class="outline"${variant === 'danger' ? html` data-variant="danger"` : ''}`
  return html`<form method="post" action="${address}/${control.name}">
${Object.entries(preset).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${Object.entries(
  properties,
)
  .filter(([name]) => !Object.hasOwn(preset, name))
  .map(([name, schema]) =>
    fieldOf(`${control.name}.${name}`, name, schema, {
      isRequired: required.includes(name),
      suggestions: suggestions[name],
    }),
  )}
<button${look}>${title}</button>
</form>`
}

/** Renders a field. Objects have none. @param id unique in the page */
function fieldOf(
  id: string,
  name: string,
  schema: JsonSchema,
  {
    isRequired,
    suggestions = [],
  }: { readonly isRequired: boolean; readonly suggestions?: readonly string[] | undefined },
): Markup | string {
  const forms = [schema, ...(schema.anyOf ?? [])]
  const types = forms.map(({ type }) => String(type))
  const texts = forms.flatMap((form) => form.enum ?? []).filter((one) => typeof one === 'string')
  const choices = types.includes('boolean') ? ['true', 'false'] : texts
  if (choices.length === 0 && !types.some((type) => /^(?:string|integer|number)$/.test(type))) return ''
  const described = html` aria-describedby="${id}"${isRequired ? ' required' : ''}`
  const input = html`<input name="${name}"${described}${suggestions.length === 0 ? '' : html` list="${id}.list"`}>`
  const label = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return html`<p><label>${label.charAt(0).toUpperCase() + label.slice(1)}
${choices.length === 0 ? input : selectOf(name, ['', ...choices], { more: described })}</label>
<small class="quiet" id="${id}">${String(schema.description ?? '')}</small></p>
${suggestions.length === 0 ? '' : html`<datalist id="${id}.list">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`}`
}

const selectOf = (
  name: string,
  choices: readonly string[],
  {
    selected = choices[0],
    none = '',
    more = '',
  }: { readonly selected?: string | undefined; readonly none?: string; readonly more?: Markup | string },
) =>
  html`<select name="${name}"${more}>${choices.map((one) => html`<option value="${one}"${one === selected ? ' selected' : ''}>${one || none}</option>`)}</select>`

/** Returns the fields of a form as the control takes them: a text, or the number or the boolean that it is. */
export const readForm = ({ fields }: Control, form: Iterable<[string, string]>): object =>
  Object.fromEntries(
    [...form]
      .filter(([, text]) => text !== '')
      .map(([name, text]) => {
        const type: z.core.$ZodType | undefined = fields.shape[name]
        const isText = type !== undefined && z.safeParse(type, text).success
        return [name, isText ? text : (parseJson(text) ?? text)]
      }),
  )
