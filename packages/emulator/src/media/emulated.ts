import type { EmulatedService } from '../core/service-module.ts'
import type { MediaControl, MediaState } from './control.ts'

/** The media service in process. @public */
export interface EmulatedMedia extends EmulatedService<MediaControl, MediaState> {
  /** The address to give a client that uses `fetch`. */
  readonly baseUrl: string
  /** A valid API secret. */
  readonly apiSecret: string
}

/** The media service where it is served. @public */
export interface ServedMedia {
  /** Its address, without a slash at the end. */
  baseUrl: string
  /** A valid API secret. */
  apiSecret: string
}
