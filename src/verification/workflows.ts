import type { Id } from '../contract/schema/open-types.ts'
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
  type Workflow,
} from '../contract/verification/workflows.ts'
import { type ApiPromise, type ListPromise, listPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { NoParams, OpenBody, RequestOptions } from '../http/params/options.ts'

/**
 * The workflows resource. Available as `client.experimental.workflows`.
 *
 * @experimental The contract does not confirm the paths and documents no payloads (section 4.2). Bodies are therefore
 *   open. If your service has another path, call `client.request`.
 */
export interface Workflows {
  /**
   * Creates a workflow. Retried only if the service executed nothing.
   *
   * @experimental
   *
   * @example
   * await client.experimental.workflows.create({ name: 'Adults', features: ['id_verification', 'age'] })
   */
  create(params: OpenBody, options?: RequestOptions): ApiPromise<Workflow>

  /**
   * Lists the workflows of the project. `await` gives the list, `for await` its items.
   *
   * @experimental
   *
   * @example
   * const workflows = await client.experimental.workflows.list()
   */
  list(params?: NoParams, options?: RequestOptions): ListPromise<Workflow[]>

  /**
   * Returns a workflow.
   *
   * @experimental
   * @throws {NotFoundError} `workflow_not_found`
   *
   * @example
   * const { features } = await client.experimental.workflows.retrieve('wf_1')
   */
  retrieve(id: Id<'workflow'>, options?: RequestOptions): ApiPromise<Workflow>

  /**
   * Updates a workflow. Retried only if the service executed nothing.
   *
   * @experimental
   * @throws {NotFoundError} `workflow_not_found`
   *
   * @example
   * await client.experimental.workflows.update('wf_1', { name: 'Adults only' })
   */
  update(id: Id<'workflow'>, params: OpenBody, options?: RequestOptions): ApiPromise<Workflow>

  /**
   * Deletes a workflow. Retried only if the service executed nothing.
   *
   * @experimental
   * @throws {NotFoundError} `workflow_not_found`
   *
   * @example
   * await client.experimental.workflows.delete('wf_1')
   */
  delete(id: Id<'workflow'>, options?: RequestOptions): ApiPromise<unknown>
}

export const createWorkflows = (http: HttpClient): Workflows => ({
  create: (params, options) => http.send(createWorkflow, { body: params }, options),
  list: (params = {}, options) => listPromise(listWorkflows, http.send(listWorkflows, { query: params }, options)),
  retrieve: (id, options) => http.send(retrieveWorkflow, { path: { id } }, options),
  update: (id, params, options) => http.send(updateWorkflow, { path: { id }, body: params }, options),
  delete: (id, options) => http.send(deleteWorkflow, { path: { id } }, options),
})
