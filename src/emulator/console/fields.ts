import { html } from 'hono/html'
import * as z from 'zod/mini'
import { parseJson } from '../../runtime/bytes.ts'
import type { Control } from '../controls/control.ts'
import { jsonSchemaOf } from '../controls/json-schema.ts'
import type { Markup } from '../pages/design/components.ts'

type Option = string | readonly [value: string, label: string]

const optionElement = (option: Option) => {
  const [value, label] = typeof option === 'string' ? [option, option] : option
  return html`<option value="${value}">${label}</option>
`
}

/** Renders a select field. The first option is the default. @param groups options below a heading */
export const selectField = (
  name: string,
  label: string,
  options: readonly Option[],
  groups: Readonly<Record<string, readonly Option[]>> = {},
): Markup => html`<p><label>${label}
<select name="${name}">
${options.map(optionElement)}${Object.entries(groups).map(
  ([group, members]) => html`<optgroup label="${group}">
${members.map(optionElement)}</optgroup>
`,
)}</select></label></p>`

/** Returns the texts that a field of a control takes. */
export function choicesOf(control: Control, name: string): readonly string[] {
  const { enum: texts = [], anyOf = [] } = jsonSchemaOf(control.fields).properties?.[name] ?? {}
  return [...texts, ...anyOf.flatMap((one) => one.enum ?? [])].map(String)
}

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

/** The select field for the number of times that something happens. */
export const timesField = selectField('times', 'How often', [
  ['1', 'once'],
  ['3', '3 times'],
  ['Infinity', 'until removed'],
])

/** Describes how many times something will still happen. */
export const timesLeft = (left: number) =>
  left === Number.POSITIVE_INFINITY ? 'until removed' : left === 1 ? 'once' : `${left} times`
