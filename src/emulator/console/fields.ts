import { html } from 'hono/html'
import type { Markup } from '../pages/page.ts'

type Option = string | readonly [value: string, label: string]

const option = (one: Option) => {
  const [value, label] = typeof one === 'string' ? [one, one] : one
  return html`<option value="${value}">${label}</option>
`
}

/** A choice among options, the first being the default. A group has a name of its own. */
export const selectField = (
  name: string,
  label: string,
  options: readonly Option[],
  groups: Readonly<Record<string, readonly Option[]>> = {},
): Markup => html`<p><label>${label}
<select name="${name}">
${options.map(option)}${Object.entries(groups).map(
  ([group, members]) => html`<optgroup label="${group}">
${members.map(option)}</optgroup>
`,
)}</select></label></p>`

const times: ReadonlyMap<string, number> = new Map([
  ['once', 1],
  ['3 times', 3],
  ['until switched off', Number.POSITIVE_INFINITY],
])

/** How often something happens. */
export const timesField = selectField('times', 'How often', [...times.keys()])

export const readTimes = (form: URLSearchParams) => times.get(form.get('times') ?? '') ?? 1

/** How often something will still happen, in words. */
export const timesLeft = (left: number) =>
  left === Number.POSITIVE_INFINITY ? 'until switched off' : left === 1 ? 'once' : `${left} times`
