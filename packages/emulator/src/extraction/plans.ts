import { EmulatorOptionsError } from '../core/errors.ts'
import { factOf } from '../core/specification.ts'

/** The limits of a caller. `Infinity` means unlimited. @public */
export interface Plan {
  readonly name: string
  readonly pagesPerMonth: number
  /** In MB. `choices.sizes` defines how many bytes one MB has. */
  readonly maxFileMb: number
  readonly pagesPerDocument: number
  readonly requestsPerMinute: number
}

/** The name of a plan of the service. @public */
export type PlanName = 'free' | 'pro' | 'scale'

type PlanFacts = Record<
  PlanName,
  Omit<Plan, 'name' | 'pagesPerDocument'> & { pagesPerDocument: number | null }
>
const facts = factOf<PlanFacts>('extraction/openapi.yaml', 'plans')

const plan = (name: PlanName): Plan => {
  const { pagesPerDocument, ...limits } = facts[name]
  return { name, ...limits, pagesPerDocument: pagesPerDocument ?? Infinity }
}

/** The plans of the service, from its contract. @public */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: plan('free'),
  pro: plan('pro'),
  scale: plan('scale'),
}

export const RATE_WINDOW_MS = 60_000

/** @throws EmulatorOptionsError if no plan has this name. */
export function toPlan(plan: PlanName | Plan): Plan {
  if (typeof plan !== 'string') return plan
  if (Object.hasOwn(PLANS, plan)) return PLANS[plan]
  throw new EmulatorOptionsError(
    `Unknown plan \`${plan}\`. Valid plans: ${Object.keys(PLANS).join(', ')}. You can also pass an object with your own limits.`,
  )
}
