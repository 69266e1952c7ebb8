import type { Duration } from '../core/option-checks.ts'

/** How something is downloaded. @public */
export interface DownloadOptions {
  readonly signal?: AbortSignal
  /** Milliseconds until the headers are there, and for each silence in the body; default the client's. */
  readonly timeoutMs?: number
  /** Limit for the whole download, its repetitions included. */
  readonly deadline?: Duration
  /** Refuse more than this; default no limit. */
  readonly maxBytes?: number
  /** The SHA-256 that the content must have, in hexadecimal. */
  readonly sha256?: string
  /** Told how much has come. */
  readonly onProgress?: (progress: DownloadProgress) => void
}

/** How far a download has come. @public */
export interface DownloadProgress {
  readonly bytesReceived: number
  /** Where the server said it. */
  readonly totalBytes?: number
}

/** What was downloaded. @public */
export interface Downloaded {
  readonly path: string
  readonly sizeBytes: number
  /** The media type, where the server gave one. */
  readonly contentType?: string
}
