import type { Endpoint } from '../contract/endpoint.ts'
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
  type Workflow,
} from '../contract/verification/workflows.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { isWholePath } from '../http/params/path.ts'

/**
 * Workflows as records. Reached as `client.workflows`.
 *
 * @experimental The contract infers these paths and shows no payloads (section 4.2): bodies are open, and the
 *   path is an option of the client, `workflowsPath`.
 */
export class Workflows {
  readonly #http: HttpClient
  readonly #at: <Declared extends Endpoint>(endpoint: Declared) => Declared

  /** @internal */
  constructor(http: HttpClient, path: string | undefined) {
    this.#http = http
    if (path !== undefined && !isWholePath(path)) {
      throw new ConfigurationError('workflowsPath must be an encoded path that starts with one slash')
    }
    const base = path?.replace(/\/+$/, '') ?? listWorkflows.path
    this.#at = (endpoint) => ({ ...endpoint, path: base + endpoint.path.slice(listWorkflows.path.length) })
  }

  /**
   * Makes a workflow. Repeated only where nothing was done.
   *
   * @experimental
   * @see service contract, sections 2.7 and 4.2
   *
   * @example
   * await client.workflows.create({ name: 'Adults', features: ['id_verification', 'age'] })
   */
  create(params: Readonly<Record<string, unknown>>, options?: RequestOptions): ApiPromise<Workflow> {
    return this.#http.send(this.#at(createWorkflow), { body: params }, options)
  }

  /**
   * Lists the project's workflows.
   *
   * @experimental
   * @see service contract, sections 2.7 and 4.2
   *
   * @example
   * const workflows = await client.workflows.list()
   */
  list(options?: RequestOptions): ApiPromise<readonly Workflow[]> {
    return this.#http.send(this.#at(listWorkflows), {}, options)
  }

  /**
   * Reads a workflow.
   *
   * @experimental
   * @throws {NotFoundError} `workflow_not_found`
   * @see service contract, sections 2.7 and 4.2
   *
   * @example
   * const { features } = await client.workflows.retrieve('wf_1')
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Workflow> {
    return this.#http.send(this.#at(retrieveWorkflow), { path: { id } }, options)
  }

  /**
   * Changes a workflow. Repeated only where nothing was done.
   *
   * @experimental
   * @throws {NotFoundError} `workflow_not_found`
   * @see service contract, sections 2.7 and 4.2
   *
   * @example
   * await client.workflows.update('wf_1', { name: 'Adults only' })
   */
  update(
    id: string,
    params: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): ApiPromise<Workflow> {
    return this.#http.send(this.#at(updateWorkflow), { path: { id }, body: params }, options)
  }

  /**
   * Deletes a workflow. Repeated only where nothing was done.
   *
   * @experimental
   * @throws {NotFoundError} `workflow_not_found`
   * @see service contract, sections 2.7 and 4.2
   *
   * @example
   * await client.workflows.delete('wf_1')
   */
  delete(id: string, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(this.#at(deleteWorkflow), { path: { id } }, options)
  }
}
