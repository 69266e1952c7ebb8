/** What may be bundled for a web page, and how large it may become. */
export const limits: readonly {
  readonly what: string
  readonly code: string
  readonly limitBytes: number
}[] = [
  {
    what: 'extraction: one operation with its schemas',
    code: `import { createClient } from '@concord/runtime'; import { getJob } from '@concord/extraction'; console.log(createClient, getJob)`,
    limitBytes: 14 * 1024,
  },
  {
    what: 'extraction: the whole client',
    code: `import { Extraction } from '@concord/extraction'; console.log(Extraction)`,
    limitBytes: 24 * 1024,
  },
]
