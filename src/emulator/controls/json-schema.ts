import {
  $ZodCheckGreaterThan,
  $ZodCheckLessThan,
  $ZodEnum,
  $ZodLiteral,
  $ZodNumber,
  $ZodNumberFormat,
  $ZodObject,
  $ZodOptional,
  $ZodPipe,
  $ZodRecord,
  type $ZodType,
  $ZodUnion,
} from 'zod/v4/core'
import { keywordsOf } from '../model/options/fields.ts'

/** The part of JSON Schema that describes the fields of controls. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** Converts a schema. The converter of zod is larger than a client, which would load it as well. */
export const jsonSchemaOf = (type: $ZodType): JsonSchema => ({ ...formOf(type), ...keywordsOf(type) })

function formOf(type: $ZodType): JsonSchema {
  if (type instanceof $ZodOptional) return jsonSchemaOf(type._zod.def.innerType)
  if (type instanceof $ZodPipe) return jsonSchemaOf(type._zod.def.in)
  if (type instanceof $ZodUnion) return { anyOf: type._zod.def.options.map(jsonSchemaOf) }
  if (type instanceof $ZodEnum || type instanceof $ZodLiteral) return { enum: [...type._zod.values] }
  if (type instanceof $ZodRecord) return { type: 'object', additionalProperties: jsonSchemaOf(type._zod.def.valueType) }
  if (type instanceof $ZodObject) {
    const fields = Object.entries(type._zod.def.shape)
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, jsonSchemaOf(field)])),
      additionalProperties: false,
      required: fields.filter(([, { _zod }]) => _zod.optin !== 'optional').map(([name]) => name),
    }
  }
  if (type instanceof $ZodNumber) {
    const { checks = [] } = type._zod.def
    const minimum = checks.find((check) => check instanceof $ZodCheckGreaterThan)?._zod.def.value
    const maximum = checks.find((check) => check instanceof $ZodCheckLessThan)?._zod.def.value
    return { type: type instanceof $ZodNumberFormat ? 'integer' : 'number', minimum, maximum }
  }
  const { type: name } = type._zod.def
  return name === 'string' || name === 'boolean' ? { type: name } : {}
}
