import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

import {
  arrayOf,
  atPointer,
  type ContractError,
  escapeToken,
  FILES,
  invalidOptions,
  isAddress,
  isObject,
  objectOf,
  shownSource,
  type Spec,
} from '@concord/spec-model'

/** A service in the fidelity report of `concord-generate`. Lists only the members that are read here. */
interface ReportedService {
  readonly name: string
  readonly title: string
  /** The file or the URL of its contract. */
  readonly contract: string
  readonly departures: readonly ReportedDeparture[]
}

/** A place where the generated client departs from the contract. */
interface ReportedDeparture {
  readonly effect: string
  readonly place: ReportedPlace
  /**
   * Present only if `place` is in an overlay: the corresponding places in the contract, after its overlays were
   * applied.
   */
  readonly at?: readonly ReportedPlace[]
}

interface ReportedPlace {
  readonly file: string
  readonly pointer: string
}

/**
 * Reads the fidelity report of a generated client. Returns JSON pointers to the schemas and keywords at which the
 * client accepts more values than the contract.
 *
 * @throws ContractError if the report can't be read, or is about another contract.
 */
export function widenedPlaces(report: string, spec: Spec): ReadonlySet<string> {
  const { contract, departures } = serviceOf(spec, servicesIn(report), report)
  const places = placesOf(spec, contract)
  const widened = departures.filter(({ effect }) => effect === 'widened')
  return new Set(
    widened.flatMap(({ place, at = [place] }) =>
      at.flatMap(({ file, pointer }) => {
        const start = places.get(file)
        if (start === undefined) return []
        const found = `${start}${pointer.slice(1)}`
        // Loading a document removes `nullable`, since it converts OpenAPI 3.0 to 3.1. So a pointer to `nullable` is
        // valid if the surrounding schema exists.
        if (exists(spec, found) || exists(spec, found.slice(0, found.lastIndexOf('/')))) return [found]
        throw unsuitable(
          `The fidelity report ${report} refers to ${pointer} in ${file}, but the contract ${spec.file} doesn't contain this place.`,
        )
      }),
    ),
  )
}

const exists = ({ document }: Spec, pointer: string): boolean => atPointer(document, pointer) !== undefined

function servicesIn(report: string): readonly ReportedService[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(report, 'utf8'))
  } catch (cause) {
    throw unsuitable(`The fidelity report ${report} can't be read: ${(cause as Error).message}.`, cause)
  }
  const services = arrayOf(objectOf(value)['services'])
  if (services.length > 0 && services.every(isService)) return services
  throw unsuitable(`${report} isn't a fidelity report.`)
}

function serviceOf(spec: Spec, services: readonly ReportedService[], report: string): ReportedService {
  const title = String(objectOf(spec.document['info'])['title'])
  const named = services.filter((service) => service.title === title)
  const sameFile = named.filter(({ contract }) => isSameFile(spec, contract))
  const matching = sameFile.length > 0 ? sameFile : named
  const [service, other] = matching
  if (service && !other) return service
  const names = (service ? matching : services).map((one) => `${one.name} (${one.title})`).join(', ')
  throw unsuitable(
    service
      ? `The fidelity report ${report} has several services that match \`${title}\`: ${names}. Limit the report to one of them with \`concord-generate --service\`.`
      : `The fidelity report ${report} is about ${names}, not about the contract \`${title}\`.`,
  )
}

function isSameFile({ file }: Spec, contract: string): boolean {
  if (isAddress(contract)) return file === contract
  return `/${file.replaceAll('\\', '/')}`.endsWith(`/${contract.replace(/^(?:\.\.\/)+/, '')}`)
}

/**
 * Returns where each file of the contract is in the loaded document. The keys are the files' names in the report. The
 * values are JSON pointers.
 */
function placesOf({ document }: Spec, contract: string): ReadonlyMap<string, string> {
  const inside = Object.keys(objectOf(document[FILES])).map((file): [string, string] => {
    const path = file.replaceAll('\\', '/')
    const name = isAddress(path)
      ? shownSource(path)
      : isAddress(contract)
        ? new URL(path, contract).href
        : posix.join(posix.dirname(contract), path)
    return [name, `/${FILES}/${escapeToken(file)}`]
  })
  return new Map([...inside, [contract, '']])
}

function isService(value: unknown): value is ReportedService {
  if (!isObject(value)) return false
  const { name, title, contract, departures } = value
  return (
    [name, title, contract].every((text) => typeof text === 'string') &&
    Array.isArray(departures) &&
    departures.every(isDeparture)
  )
}

function isDeparture(value: unknown): value is ReportedDeparture {
  if (!isObject(value)) return false
  const { effect, place, at } = value
  return (
    typeof effect === 'string' &&
    isPlace(place) &&
    (at === undefined || (Array.isArray(at) && at.every(isPlace)))
  )
}

function isPlace(value: unknown): value is ReportedPlace {
  if (!isObject(value)) return false
  const { file, pointer } = value
  return typeof file === 'string' && typeof pointer === 'string' && /^#(?:\/|$)/.test(pointer)
}

function unsuitable(problem: string, cause?: unknown): ContractError {
  return invalidOptions(
    problem,
    'Pass the report that `npx concord-generate --report fidelity.json` writes for the same contract.',
    { cause },
  )
}
