import type { Workflow } from '../../contract/verification/workflows.ts'
import type { EmulatorWorkflow } from './options/options.ts'
import type { Saved } from './saved.ts'
import { serviceError } from './service-error.ts'

/** The workflows of the project. */
export class EmulatedWorkflows {
  readonly #workflows: Map<string, Workflow>

  constructor(workflows: readonly EmulatorWorkflow[], saved?: Saved<EmulatedWorkflows>) {
    this.#workflows = new Map(
      (saved ?? workflows).map((workflow) => [
        workflow.id,
        { ...workflow, features: [...workflow.features] as Workflow['features'] },
      ]),
    )
  }

  all(): readonly Workflow[] {
    return [...this.#workflows.values()]
  }

  save(): readonly Workflow[] {
    return [...this.#workflows.values()]
  }

  /** Returns the workflow with this id, or the first one without an id. Throws `workflow_not_found`. */
  get(id: string | undefined): Workflow {
    const workflow = id === undefined ? this.all()[0] : this.#workflows.get(id)
    if (workflow === undefined)
      throw serviceError('workflow_not_found', {
        message: `The project has no workflow with this id. It has ${[...this.#workflows.keys()].slice(0, 5).join(', ') || 'none'}.`,
      })
    return workflow
  }

  put(workflow: Workflow): Workflow {
    this.#workflows.set(workflow.id, workflow)
    return workflow
  }

  delete(id: string): void {
    this.#workflows.delete(this.get(id).id)
  }
}
