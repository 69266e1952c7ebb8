import { RequestInvalidError, type OperationHandle } from '@concord/runtime'
import { checkOptionNames, type OptionNames } from '@concord/runtime/internal'
import type { OptimizationJob, OptimizationRequest } from '@concord/extraction-validators'

/**
 * The `job_id` of an optimization run. Any string is accepted, but passing a `JobId` (the id of a document's job) is
 * a type error: both ids are called `job_id` on the wire, so they are easily confused.
 *
 * @public
 */
export type OptimizationId = string & { readonly __idOf?: 'optimization' }

/** A handle for an optimization run. @public */
export interface OptimizationHandle extends OperationHandle<OptimizationJob, CompletedOptimization> {
  readonly id: OptimizationId
}

/** A completed optimization run. The handle's `snapshot` is the run exactly as it was received. @public */
export interface CompletedOptimization extends OptimizationJob {
  readonly status: 'completed'
  /**
   * Fetches the optimized JSON Schema. Returns `unknown`, because the documentation doesn't say whether the response
   * is the schema itself or an object that contains the schema.
   */
  schema(): Promise<unknown>
}

const FIELDS: OptionNames<OptimizationRequest> = {
  name: true,
  description: true,
  document_type: true,
  initial_schema: true,
  training_documents: true,
  ground_truth_data: true,
  target_accuracy: true,
  max_iterations: true,
  max_cost_usd: true,
  validation_split: true,
}

/** Rejects unknown fields: a run with a misspelled limit would have no limit. @throws OptionsError */
export function checkOptimization(request: unknown): void {
  checkOptionNames(request, FIELDS, 'request', 'Pass undocumented fields in `extra.body` of the options.')
}

/**
 * Checks a rule that the contract can state only in prose: one object of expected values for each training document.
 *
 * @throws RequestInvalidError before anything is sent.
 */
export function checkGroundTruth(request: OptimizationRequest | undefined): void {
  const { training_documents, ground_truth_data } = request ?? {}
  // Both fields are optional in the contract. If a field is present but isn't an array, the request check rejects it.
  if (!Array.isArray(training_documents) || !Array.isArray(ground_truth_data)) return
  if (training_documents.length === ground_truth_data.length) return
  const reason = `must have one object for each of the ${training_documents.length} training documents, but has ${ground_truth_data.length}`
  throw new RequestInvalidError(
    `startOptimization: /body/ground_truth_data ${reason}. Nothing was sent.`,
    [{ path: '/body/ground_truth_data', reason }],
    { operation: 'startOptimization' },
  )
}
