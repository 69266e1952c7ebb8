export type { Base } from './base.ts'
export { type Draft, draftChangesets, writeDrafts } from './changesets.ts'
export type { Place } from './document.ts'
export type { Change } from './findings.ts'
export {
  type PackagePlan,
  planRelease,
  type PlanOptions,
  type ReleasePlan,
  type ServicePlan,
} from './plan.ts'
export { PlanError } from './plan-error.ts'
export { exceeds, type Verdict } from './verdict.ts'
