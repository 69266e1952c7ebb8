import type { EmulatedService } from '../core/service-module.ts'
import type { ExtractionControl, ExtractionState } from './control.ts'

/** The extraction service in process. @public */
export interface EmulatedExtraction extends EmulatedService<ExtractionControl, ExtractionState> {
  /** The address to give a client that uses `fetch`. */
  readonly baseUrl: string
  /** A valid API key. */
  readonly apiKey: string
}

/** The extraction service where it is served. @public */
export interface ServedExtraction {
  /** Its address, without a slash at the end. */
  baseUrl: string
  /** A valid API key. */
  apiKey: string
}
