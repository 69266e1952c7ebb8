import type { CoverageReport } from '@concord/contract'

/**
 * Lists the parts of a contract that aren't covered, in sentences that name the file to edit: first the operations and
 * channels without a step in the walk, then everything else.
 */
export function missingCoverage({ service, rows, problems }: CoverageReport): string[] {
  const walk = `packages/${service}/contract/walk.ts`
  const uncovered = rows.filter(({ cells }) => cells.emulator.state === 'missing')
  const keys = new Set(uncovered.map(({ key }) => `not covered: ${key} | emulator`))
  const byOperation = Map.groupBy(uncovered, ({ operation }) => operation)
  const steps = [...byOperation].map(([operation, missing]) => {
    if (!missing.every(({ direction }) => direction === 'response'))
      return `${walk} has no step for these parts of ${operation}: ${missing.map(({ key }) => key).join('; ')}. Add steps that show them.`
    const statuses = [...new Set(missing.map(({ status }) => status))]
    const example = `step('${operation}', '${statuses[0]}', 'what the step shows', (at) => at.call({ /* the input */ }))`
    return `${walk} has no step for ${operation} with ${statuses.join(', ')}. Add one for each, for example \`${example}\`; \`control.faults\` of the emulator makes errors.`
  })
  return [...steps, ...problems.filter((problem) => !keys.has(problem))]
}
