import { posix } from 'node:path'

import { type Inputs, isAddress, nameOf } from '../inputs.ts'
import type { Problem } from '../problems.ts'
import { type Source, contractOf } from '../read/source.ts'
import type { Service } from '../services.ts'
import { applyOverlays } from './apply.ts'

/** The contracts of a service, with its overlays applied. */
export interface Contracts {
  readonly requests: Source
  readonly events: Source | undefined
  /**
   * The documents to write to the paths in the config option `overlaid`. The overlays are applied, but the schemas
   * aren't converted to JSON Schema 2020-12.
   */
  readonly documents: { readonly openapi: Source; readonly asyncapi: Source | undefined }
  /** The likely mistakes in the overlays. */
  readonly notes: readonly Problem[]
}

/**
 * Reads the contracts of a service, and applies its overlays.
 *
 * @throws GenerationError if a document can't be read, or an overlay can't be applied
 */
export async function readContracts(service: Service, inputs: Inputs): Promise<Contracts> {
  const { openapi, asyncapi } = service
  const overlays = await Promise.all((service.overlays ?? []).map((overlay) => inputs.readTree(overlay)))
  const isOfEvents = (overlay: Source) =>
    asyncapi !== undefined && extendsOne(overlay, asyncapi) && !extendsOne(overlay, openapi)
  const requests = applied(
    await inputs.readTree(openapi),
    overlays.filter((overlay) => !isOfEvents(overlay)),
  )
  const events =
    asyncapi === undefined ? undefined : applied(await inputs.readTree(asyncapi), overlays.filter(isOfEvents))
  return {
    requests: contractOf(requests.source),
    events: events && contractOf(events.source),
    documents: { openapi: requests.source, asyncapi: events?.source },
    notes: [...requests.notes, ...(events?.notes ?? [])],
  }
}

function applied(document: Source, overlays: readonly Source[]): ReturnType<typeof applyOverlays> {
  return overlays.length === 0 ? { source: document, notes: [] } : applyOverlays(document, overlays)
}

/**
 * Whether the `extends` of an overlay names `contract`. Only the file names have to be the same, because `extends`
 * may be the URL that the contract was downloaded from.
 */
function extendsOne({ value, file }: Source, contract: string): boolean {
  const target = value['extends']
  if (typeof target !== 'string') return false
  const resolved = isAddress(target) ? nameOf(target) : posix.join(posix.dirname(file), target)
  return resolved === nameOf(contract) || posix.basename(resolved) === posix.basename(nameOf(contract))
}
