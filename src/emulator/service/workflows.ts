import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
  type Workflow,
} from '../../contract/verification/workflows.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { type Operation, serve } from './operation.ts'

function workflowOf(id: string, fields: Readonly<Record<string, unknown>>): Workflow {
  const { name, features } = fields
  if (typeof name !== 'string') throw serviceError('validation_error', { message: 'name: must be a string' })
  if (
    !Array.isArray(features) ||
    !features.every((feature): feature is Workflow['features'][number] => typeof feature === 'string')
  )
    throw serviceError('validation_error', { message: 'features: must be an array of strings' })
  return { ...fields, id, name, features }
}

/**
 * Serves workflows (contract, section 4.2). The contract confirms neither paths nor payloads, so the fields are stored
 * and returned as they are.
 */
export function workflowOperations({ workflows, random }: ServiceState): Operation[] {
  return [
    serve(createWorkflow, ({ body }) => workflows.put(workflowOf(random.id('wf_'), body))),
    serve(listWorkflows, () => [...workflows.all()]),
    serve(retrieveWorkflow, ({ ids }) => workflows.get(ids.id ?? '')),
    serve(updateWorkflow, ({ ids, body }) => {
      const workflow = workflows.get(ids.id ?? '')
      return workflows.put(workflowOf(workflow.id, { ...workflow, ...body }))
    }),
    serve(deleteWorkflow, ({ ids }) => {
      workflows.delete(ids.id ?? '')
      return null
    }),
  ]
}
