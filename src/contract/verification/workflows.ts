import { endpoint } from '../endpoint.ts'
import { listOf } from '../schema/collections.ts'
import { anyObject, anything, type MoreFields, type Open, open, schemaFor } from '../schema/fields.ts'
import { schema } from '../schema/schema.ts'
import * as z from '../schema/zod-core.ts'
import type { CheckType } from './check-data.ts'

/** A named bundle of checks (contract, section 2.7), normally made in the developer console. */
export interface Workflow extends MoreFields {
  /** What `sessions.create` takes as `workflow_id`. */
  readonly id: string
  /** For people to read. */
  readonly name: string
  /** Types of check that it runs. */
  readonly features: readonly Open<CheckType>[]
}

const workflow = schemaFor<Workflow>()(() =>
  z.looseObject({ id: z.string(), name: z.string(), features: listOf(open<CheckType>()) }),
)

/** The paths are inferred and the payloads not shown (contract, section 4.2). */
const unconfirmed = { status: 'unconfirmed' } as const

export const createWorkflow = endpoint({
  ...unconfirmed,
  operation: 'workflows.create',
  method: 'POST',
  path: '/api/v2/workflows',
  body: anyObject,
  response: workflow,
  replay: 'when-refused',
})

export const listWorkflows = endpoint({
  ...unconfirmed,
  operation: 'workflows.list',
  method: 'GET',
  path: '/api/v2/workflows',
  response: schema(() => listOf(workflow.zod)),
  replay: 'safe',
})

export const retrieveWorkflow = endpoint({
  ...unconfirmed,
  operation: 'workflows.retrieve',
  method: 'GET',
  path: '/api/v2/workflows/{id}',
  response: workflow,
  replay: 'safe',
})

export const updateWorkflow = endpoint({
  ...unconfirmed,
  operation: 'workflows.update',
  method: 'PATCH',
  path: '/api/v2/workflows/{id}',
  body: anyObject,
  response: workflow,
  replay: 'when-refused',
})

export const deleteWorkflow = endpoint({
  ...unconfirmed,
  operation: 'workflows.delete',
  method: 'DELETE',
  path: '/api/v2/workflows/{id}',
  response: anything,
  replay: 'when-refused',
})
