import { RequestInvalidError, type OperationHandle } from '@concord/runtime'
import type { OptimizationJob, OptimizationRequest } from '@concord/extraction-validators'

/** An optimization run: its progress, its end, and a token to find it again. @public */
export type OptimizationHandle = OperationHandle<OptimizationJob, CompletedOptimization>

/** A completed optimization. Exactly as it was received it is the `snapshot` of its handle. @public */
export interface CompletedOptimization extends OptimizationJob {
  readonly status: 'completed'
  /** Fetches the optimized JSON Schema. Whether the service wraps it is not documented, so its type is open. */
  schema(): Promise<unknown>
}

/**
 * Checks what the contract says in words only: one object of expected values for each training document.
 *
 * @throws RequestInvalidError, with nothing sent.
 */
export function checkGroundTruth({ training_documents, ground_truth_data }: OptimizationRequest): void {
  // Whatever is no list is refused with its reason when the request is checked.
  if (!Array.isArray(training_documents) || !Array.isArray(ground_truth_data)) return
  if (training_documents.length === ground_truth_data.length) return
  const reason = `${ground_truth_data.length} objects for ${training_documents.length} training documents; there must be one for each`
  throw new RequestInvalidError(
    `startOptimization: /body/ground_truth_data: ${reason}. Nothing was sent.`,
    [{ path: '/body/ground_truth_data', reason }],
    { operation: 'startOptimization' },
  )
}
