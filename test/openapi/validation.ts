import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { readDocument } from './read-document.ts'

/** Returns what is wrong with a value. Empty if nothing is. */
export type Validate = (schema: object, value: unknown) => readonly string[]

/** Creates a validator of a schema of the document, whose references it follows. */
export function documentValidator(): Validate {
  const { document } = readDocument()
  const ajv = new Ajv2020({ allErrors: true, strict: false, discriminator: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components })
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
    const validate = ajv.compile(JSON.parse(text))
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
  }
}
