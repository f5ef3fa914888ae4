import { memberStatuses } from '../../src/contract/organization/member-results.ts'
import { inviteMethods, memberRoles } from '../../src/contract/organization/roles.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { checkStatuses, checkTypes, dataSchemas } from '../../src/contract/verification/check-data.ts'
import { anyCheck } from '../../src/contract/verification/check-results.ts'
import { outcomes, sessionStatuses } from '../../src/contract/verification/session-status.ts'
import { docstrings } from './docstrings.ts'
import { isNull, type JsonSchema, mapValues, merged, toJsonSchema } from './json-schema.ts'
import { type FieldDescription, type ObjectDescription, ownDescriptions } from './params.ts'

const describedObjects: Readonly<Record<string, ObjectDescription>> = { ...docstrings, ...ownDescriptions }

/** @throws {TypeError} nothing describes an object of this name */
function describedObject(name: string): ObjectDescription {
  const found = describedObjects[name]
  if (found === undefined) throw new TypeError(`${name} is not described`)
  return found
}

interface ListedValues {
  readonly description: string
  readonly values: readonly string[]
}

/** The lists of values that the contract gives, by the name of their type. */
const listedValues = {
  SessionStatus: { description: 'The status of a session (contract, section 3.1).', values: sessionStatuses },
  Outcome: { description: 'A verdict. Never `IN_REVIEW` (contract, section 2.4).', values: outcomes },
  CheckType: { description: 'A type of check (contract, section 2.3).', values: checkTypes },
  CheckStatus: {
    description: 'The status of a check. Only `passed` is a pass (contract, section 3.2).',
    values: checkStatuses,
  },
  MemberRole: {
    description: 'The role of a member. The contract does not say what each may do (section 2.9).',
    values: memberRoles,
  },
  MemberStatus: { description: 'The status of a member (contract, section 3.3).', values: memberStatuses },
  InviteMethod: { description: 'How to invite new members (contract, section 4.9).', values: inviteMethods },
} as const satisfies Readonly<Record<string, ListedValues>>

const checkNames = {
  id_verification: 'IdVerificationCheck',
  liveness: 'LivenessCheck',
  face_match: 'FaceMatchCheck',
  age: 'AgeCheck',
  credential: 'CredentialCheck',
  location: 'LocationCheck',
} as const satisfies Record<(typeof checkTypes)[number], string>

const refTo = (name: string) => `#/components/schemas/${name}`

/** The schemas that a document names. Each is converted when it is first referred to. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>()

  /** The schemas by name, in the order of their names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Adds a schema that no declaration of the contract contains. Returns a reference to it. */
  add(name: string, create: () => JsonSchema): JsonSchema {
    if (!this.#schemas.has(name)) {
      // Reserves the name, because a schema may refer to itself.
      this.#schemas.set(name, {})
      this.#schemas.set(name, create())
    }
    return { $ref: refTo(name) }
  }

  /** Returns the schema of a payload or a body, whose objects have the name of their description. */
  named(schema: Schema, name: string): JsonSchema {
    return this.#refer(toJsonSchema(schema.zod), name)
  }

  /** Returns what describes an object as a whole. */
  descriptionOf(name: string): string {
    return describedObject(name).description
  }

  /** Returns the schema of a body or of a query, whose fields several descriptions describe. */
  fields(schema: Schema, names: readonly string[]): JsonSchema {
    return this.described(toJsonSchema(schema.zod), names)
  }

  /** Returns the schema of any check. */
  get check(): JsonSchema {
    return this.#check(undefined)
  }

  /** Returns the schema of an object, with what several descriptions say about its fields. */
  described(schema: JsonSchema, names: readonly string[]): JsonSchema {
    const fields = fieldsOf(names)
    const { properties = {} } = schema
    return {
      ...schema,
      properties: mapValues(properties, (property, name) => this.#describeField(property, fields[name])),
    }
  }

  /** The schema of a list of values, such as `SessionStatus`. */
  values(name: keyof typeof listedValues): JsonSchema {
    const { description, values } = listedValues[name]
    return this.add(name, () => ({ type: 'string', enum: [...values], description }))
  }

  #describeField(schema: JsonSchema, field: FieldDescription | undefined): JsonSchema {
    if (field === undefined) return schema
    const { description, of, values, default: fallback } = field
    return {
      ...(of === undefined ? schema : this.#refer(schema, of)),
      ...(description !== '' && { description }),
      // Those of the fields of a map are not values of the map.
      ...(values && !schema.additionalProperties && { examples: Object.keys(values) }),
      ...(fallback !== undefined && { default: fallback }),
    }
  }

  /** Replaces the part of a schema that has a name with a reference. */
  #refer(schema: JsonSchema, name: string): JsonSchema {
    const { anyOf, items, additionalProperties, properties, type } = schema
    if (anyOf) return { ...schema, anyOf: anyOf.map((one) => (isNull(one) ? one : this.#refer(one, name))) }
    if (items) return { ...schema, items: this.#refer(items, name) }
    if (additionalProperties) return { ...schema, additionalProperties: this.#refer(additionalProperties, name) }
    if (properties) return this.#referToObject(schema, name)
    if (!isListName(name) || type === undefined) return schema
    const reference = this.values(name)
    return type === 'string' ? reference : { anyOf: [reference, { type: 'null' }] }
  }

  #referToObject(schema: JsonSchema, name: string): JsonSchema {
    if (name === 'Check' || name === 'CheckFor') return this.#check(schema.properties?.type?.const)
    const { description } = describedObjects[name] ?? { description: '' }
    // The result of a check has a schema for each type of check.
    const type = knownType(schema.properties?.check?.properties?.type?.const)
    const ownName = type === undefined ? name : checkNames[type].replace(/Check$/, 'Result')
    return this.add(ownName, () => ({ ...this.described(schema, [name]), description }))
  }

  /** Returns the schema of a check of one type, or of any. */
  #check(type: unknown): JsonSchema {
    const one = knownType(type)
    if (one !== undefined) return this.#checkOf(one)
    return this.add('Check', () => ({
      oneOf: checkTypes.map((each) => this.#checkOf(each)),
      discriminator: { propertyName: 'type', mapping: mapValues(checkNames, refTo) },
      description: describedObject('CheckOf').description,
    }))
  }

  #checkOf(type: (typeof checkTypes)[number]): JsonSchema {
    const dataName = describedObject('CheckDataByType').fields[type]?.of
    return this.add(checkNames[type], () => {
      const schema = this.described(toJsonSchema(anyCheck.zod), ['CheckOf'])
      const data = this.#refer(toJsonSchema(dataSchemas[type].zod), String(dataName))
      return {
        ...merged(schema, { properties: { type: { const: type }, data } }),
        description: `A check of the type \`${type}\` (contract, section 2.3).`,
      }
    })
  }
}

const knownType = (type: unknown) => checkTypes.find((known) => known === type)

const isListName = (name: string): name is keyof typeof listedValues => Object.hasOwn(listedValues, name)

/** Returns what descriptions say about fields. If two describe a field, the first one counts. */
function fieldsOf(names: readonly string[]): Readonly<Record<string, FieldDescription>> {
  const all = names.map((name): Readonly<Record<string, FieldDescription>> => {
    const description = describedObject(name)
    const inherited = description.extends === undefined ? {} : fieldsOf([description.extends])
    return { ...inherited, ...description.fields }
  })
  return Object.assign({}, ...all.reverse())
}
