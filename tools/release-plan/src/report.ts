import type { Change } from './findings.ts'
import { type PackagePlan, type ReleasePlan, verdictOf } from './plan.ts'
import { exceeds } from './verdict.ts'

/** Splits changes into those that are listed, and those that are only counted. */
export function split(changes: readonly Change[]): { shown: readonly Change[]; counted: readonly Change[] } {
  const isCounted = ({ kind }: Change): boolean => kind === 'text-changed' || kind === 'example-changed'
  return { shown: changes.filter((one) => !isCounted(one)), counted: changes.filter(isCounted) }
}

export function countedSentence(counted: readonly Change[]): string {
  const number = (kind: Change['kind'], word: string): string[] => {
    const count = counted.filter((one) => one.kind === kind).length
    return count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]
  }
  const parts = [...number('text-changed', 'description'), ...number('example-changed', 'example')]
  return `${parts.join(' and ')} changed`
}

/** Returns the packages whose declared bump is too low. */
export function lacking(plan: ReleasePlan): PackagePlan[] {
  return plan.packages.filter(({ bump, declared }) => exceeds(bump, declared))
}

/** Returns a sentence for each changed contract whose version is unchanged. */
export function versionSentences(plan: ReleasePlan, service: string): string[] {
  const kept = plan.services.find(({ name }) => name === service)?.keptVersions ?? []
  return kept.map(
    ({ file, version }) => `\`info.version\` of ${file} is still ${version}: raise it with this change.`,
  )
}

export function baseText({ base }: ReleasePlan): string {
  return base.kind === 'release' ? `the release ${base.label}` : base.label
}

export const NO_RELEASE =
  'Nothing has been released yet (there is no tag @concord/specs@x.y.z), so everything is new and no package needs a bump. ' +
  'To compare with a commit, pass --base, such as --base main.'

export function bumpText({ verdict, bump }: PackagePlan): string {
  return verdict === bump ? bump : `${bump} (${verdict} from 1.0 on)`
}

/** Returns a change's location as `file:line`, which many terminals can open. */
export function placeText({ place, was }: Change): string {
  const isGone = was !== undefined && was.pointer !== place.pointer && !was.pointer.startsWith(place.pointer)
  return `${place.file}:${place.line}${isGone ? ` (it was at line ${was.line})` : ''}`
}

/** Returns the changes that determine a package's bump. */
export function reasons(plan: ReleasePlan, { services, verdict }: PackagePlan): Change[] {
  return plan.changes.filter((change) => services.includes(change.service) && verdictOf(change) === verdict)
}
