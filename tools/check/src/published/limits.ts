/** What may be bundled for a web page: how large it may be at the most, and how large it ought to be. */
export interface SizeLimit {
  readonly what: string
  readonly code: string
  /** A larger one fails the checks; kept close to what it is, so that growth shows. */
  readonly limitBytes: number
  /** What the design asks for; not yet reached. */
  readonly targetBytes: number
}

export const limits: readonly SizeLimit[] = [
  {
    what: 'extraction: one operation with its schemas',
    code: `import { createClient } from '@concord/runtime'; import { getJob } from '@concord/extraction'; console.log(createClient, getJob)`,
    limitBytes: 20.5 * 1024,
    targetBytes: 14 * 1024,
  },
  {
    what: 'extraction: the whole client',
    code: `import { Extraction } from '@concord/extraction'; console.log(Extraction)`,
    limitBytes: 34.5 * 1024,
    targetBytes: 24 * 1024,
  },
]
