import { PHASE_NAMES, PHASES } from '../jobs/model.ts'
import type { FleetStatus } from './status.ts'
import { costOf, paceOf, spanOf } from './words.ts'

export function toText({ schema, batches, services, workers, attention, orphans }: FleetStatus): string {
  const lines: string[] = []
  if (batches.length === 0) lines.push(`The schema ${schema} has no batches.`)
  for (const batch of batches) {
    const { service, total, phases, cost } = batch
    const counts = PHASES.filter((phase) => phases[phase] > 0).map(
      (phase) => `${phases[phase]} ${PHASE_NAMES[phase]}`,
    )
    lines.push(
      `${service}/${batch.batch}: ${phases.done} of ${total} done`,
      `  ${counts.join(', ') || 'empty'}`,
      `  ${paceOf(batch)}`,
      `  estimated cost of submitted requests: ${costOf(cost.submitted)}; of all requests: ${costOf(cost.all)}`,
    )
  }
  for (const { service, pausedMs, pauseReason } of services) {
    if (pausedMs !== undefined)
      lines.push(`${service} is paused for another ${spanOf(pausedMs)}: ${pauseReason}`)
  }
  lines.push(
    workers.length === 0
      ? 'no workers'
      : `workers: ${workers.map(({ name, seenMsAgo, holds }) => `${name} (seen ${spanOf(seenMsAgo)} ago, ${holds} in progress)`).join(', ')}`,
  )
  if (attention.length > 0) lines.push('', 'needs attention:')
  for (const { job, phase, reason, id } of attention)
    lines.push(
      `  ${job}: ${PHASE_NAMES[phase]}${id === undefined ? '' : ` (${id})`}. ${reason ?? ''}`.trimEnd(),
    )
  if (orphans.length > 0) lines.push('', 'accepted by the service, but no longer awaited:')
  for (const { job, id } of orphans) lines.push(`  ${job}: ${id}`)
  return `${lines.join('\n')}\n`
}
