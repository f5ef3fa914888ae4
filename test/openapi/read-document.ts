import { createOpenApiDocument } from '../../tools/openapi/document.ts'

/** The parts of an OpenAPI document that the tests read. */
interface Document {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, ResponseObject>>
  }
}

interface PathItem extends Readonly<Record<string, unknown>> {
  readonly servers?: readonly { readonly url: string }[]
}

interface Media {
  readonly schema?: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: object
  readonly description?: string
  readonly example?: unknown
}

interface ResponseObject {
  readonly description?: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, Media>>
}

interface OperationObject {
  readonly operationId: string
  readonly 'x-operations'?: readonly string[]
  readonly 'x-unconfirmed'?: boolean
  readonly 'x-billable'?: boolean
  readonly 'x-contract-section': string
  readonly deprecated?: boolean
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

/** An operation, with its method and its path. */
export interface DocumentOperation extends OperationObject {
  readonly method: string
  readonly path: string
}

/** Creates the document, as a program reads it that only has its JSON. */
export function readDocument() {
  const document: Document = JSON.parse(JSON.stringify(createOpenApiDocument()))
  const at = (pointer: string) =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((part, name) => Object(part)[name.replaceAll('~1', '/')], document)
  /** Follows a reference. */
  const resolve = <T extends object>(part: T): T =>
    '$ref' in part && typeof part.$ref === 'string' ? resolve(at(part.$ref) as T) : part
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([name]) => name !== 'servers')
      .map(
        ([method, operation]): DocumentOperation => ({
          ...(operation as OperationObject),
          method: method.toUpperCase(),
          path,
        }),
      ),
  )
  return { document, operations, resolve }
}
