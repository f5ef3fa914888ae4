import type { Endpoint, OperationFacts } from '../endpoint.ts'
import type { Id, Unlisted } from '../schema/open-types.ts'
import { anyObject, anything, id, open, schema, schemaFor, untyped } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import type { CheckType } from './check-data.ts'

/** A named set of checks (contract, section 2.7), normally defined in the developer console. */
export interface Workflow {
  /** The workflow's id. `sessions.create` takes it as `workflow_id`. */
  readonly id: Id<'workflow'>
  /** Display name. */
  readonly name: string
  /** The types of check that the workflow runs. */
  readonly features: (CheckType | Unlisted)[]
}

const workflow = /* @__PURE__ */ schemaFor<Workflow>()(() =>
  untyped(z.looseObject({ id: id<'workflow'>(), name: z.string(), features: z.array(open<CheckType>()) })),
)

/** The contract does not confirm the paths and documents no payloads (section 4.2). */
const unconfirmed = <const Facts>(facts: Facts) => ({ section: '4.2', unconfirmed: true, ...facts }) as const

export const createWorkflow = /* @__PURE__ */ unconfirmed({
  operation: 'experimental.workflows.create',
  method: 'POST',
  path: '/api/v2/workflows',
  body: anyObject,
  response: workflow,
  replay: 'if-not-executed',
}) satisfies Endpoint

export const listWorkflows = /* @__PURE__ */ unconfirmed({
  operation: 'experimental.workflows.list',
  method: 'GET',
  path: '/api/v2/workflows',
  response: /* @__PURE__ */ schema(() => z.array(workflow.zod)),
  replay: 'safe',
}) satisfies Endpoint

export const retrieveWorkflow = /* @__PURE__ */ unconfirmed({
  operation: 'experimental.workflows.retrieve',
  errors: ['workflow_not_found'],
  method: 'GET',
  path: '/api/v2/workflows/{id}',
  response: workflow,
  replay: 'safe',
}) satisfies Endpoint

export const updateWorkflow = /* @__PURE__ */ unconfirmed({
  operation: 'experimental.workflows.update',
  errors: ['workflow_not_found'],
  method: 'PATCH',
  path: '/api/v2/workflows/{id}',
  body: anyObject,
  response: workflow,
  replay: 'if-not-executed',
}) satisfies Endpoint

export const deleteWorkflow = /* @__PURE__ */ unconfirmed({
  operation: 'experimental.workflows.delete',
  errors: ['workflow_not_found'],
  method: 'DELETE',
  path: '/api/v2/workflows/{id}',
  response: anything,
  replay: 'if-not-executed',
}) satisfies Endpoint

/** The operations on workflows, as a type. */
export interface WorkflowOperations {
  readonly 'experimental.workflows.create': OperationFacts<'POST /api/v2/workflows', never>
  readonly 'experimental.workflows.list': OperationFacts<'GET /api/v2/workflows', never>
  readonly 'experimental.workflows.retrieve': OperationFacts<'GET /api/v2/workflows/{id}', 'workflow_not_found'>
  readonly 'experimental.workflows.update': OperationFacts<'PATCH /api/v2/workflows/{id}', 'workflow_not_found'>
  readonly 'experimental.workflows.delete': OperationFacts<'DELETE /api/v2/workflows/{id}', 'workflow_not_found'>
}

/** The operations on workflows. */
export const workflowEndpoints = [
  createWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
  deleteWorkflow,
] as const
