import type { ExtractionContext } from './context.ts'
import type { ExtractionState } from './control.ts'

/** Copies what the service knows, without secrets. */
export function readState({
  clock,
  accounts,
  jobs,
  devices,
  blueprints,
  optimizations,
}: ExtractionContext): ExtractionState {
  const state = {
    now: clock.now(),
    keys: accounts.all().map((account) => ({
      keyPrefix: account.keyPrefix,
      plan: account.plan.name,
      pagesUsed: account.pagesUsed,
      pagesLeft: accounts.pagesLeft(account),
      cycleResetsAt: account.cycleResetsAt,
    })),
    jobs: jobs.all().map((job) => ({
      id: job.id,
      status: job.status,
      fileName: job.fileName,
      pageCount: job.pageCount,
      pipeline: job.pipeline,
      pipelineVersion: job.pipelineVersion,
      error: job.error,
      webhookUrl: job.webhookUrl,
      webhookDelivered: job.webhookDelivered,
      webhookAttempts: job.webhookAttempts,
      previewToken: job.previewToken,
    })),
    devices: devices.all().map((authorization) => ({
      userCode: authorization.userCode,
      agentName: authorization.agentName,
      state: devices.stateOf(authorization),
      polls: authorization.polls,
      tooFastPolls: authorization.tooFastPolls,
      expiresAt: authorization.expiresAt,
    })),
    blueprints: blueprints.all().map(({ id, name, versions, activeVersion }) => ({
      id,
      name,
      versions: versions.length,
      activeVersion,
    })),
    optimizations: optimizations
      .all()
      .map(({ id, blueprintId, status, iteration }) => ({ id, blueprintId, status, iteration })),
  }
  // A copy through JSON: what is absent stays absent, and nobody can change the service through it.
  return JSON.parse(JSON.stringify(state)) as ExtractionState
}
