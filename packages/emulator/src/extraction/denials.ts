import { COMMON_DENIALS, Denials, statusesOf, type DenialTable } from '../core/denials.ts'
import { isObject } from '../core/json.ts'

/** The facts that an error's message is based on. @public */
export interface DenialFacts {
  /** The value, file name or form part that the error is about. */
  readonly value?: string
  /** All problems that were found. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** The time until the same request can succeed, in milliseconds. */
  readonly waitMs?: number
  /** The number that exceeds `limit`. */
  readonly count?: number
  /** The number of pages in the document. */
  readonly documentPages?: number
  /** The name of the plan. */
  plan?: string
}

/** The errors with a documented status. */
const DOCUMENTED = {
  'invalid-schema': [400, ({ reasons = [] }) => `The schema is invalid: ${reasons.join('; ')}.`],
  'unsupported-file-type': [
    400,
    ({ value }) => `The type of the file ${value} is not supported. Send a PDF, PNG, JPG or JPEG file.`,
  ],
  'schema-and-blueprint': [400, 'Supply schema or blueprint_id, not both.'],
  'key-missing': [401, 'The API key is missing.'],
  'key-invalid': [401, 'The API key is invalid.'],
  'job-not-found': [404, 'The job was not found.'],
  'file-too-large': [
    413,
    ({ plan, limit }) => `The file is larger than the ${plan} plan allows (${limit} MB).`,
  ],
  'page-quota': [429, ({ limit }) => `The monthly page quota of ${limit} pages is exceeded.`],
  'page-count': [
    429,
    ({ count, limit, plan }) => `The document has ${count} pages; the ${plan} plan allows ${limit}.`,
  ],
  'request-rate': [429, ({ limit }) => `The request rate of ${limit} requests a minute is exceeded.`],
  'server-error': [500, 'The server failed to respond.'],
} as const satisfies DenialTable<DenialFacts>

/** The errors whose status is undocumented. The statuses here are the emulator's defaults. */
const CHOSEN = {
  ...COMMON_DENIALS,
  'request-rejected': [400, ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`],
  'webhook-not-https': [400, 'The webhook_url must be an HTTPS URL.'],
  'boolean-text-unknown': [400, ({ value }) => `${value} must be "true" or "false".`],
  'pipeline-unknown': [400, ({ value }) => `The pipeline ${value} does not exist.`],
  'process-blueprint-unknown': [400, 'The blueprint does not exist.'],
  'process-blueprint-without-schema': [400, 'The blueprint has no active version yet.'],
  'blueprint-not-found': [404, 'The blueprint was not found.'],
  'ground-truth-length': [400, 'ground_truth_data needs one object for each training document.'],
  'optimization-not-found': [404, 'The optimization job was not found.'],
  'optimized-schema-not-ready': [
    404,
    'The optimized schema is available once the optimization has completed.',
  ],
  'resume-unreadable': [400, 'Send the job_id of a failed optimization job, or a blueprint_id.'],
  'resume-not-failed': [400, 'Only a failed optimization job can be resumed.'],
  'preview-not-found': [404, 'The preview was not found.'],
} as const satisfies DenialTable<DenialFacts>

export const CHOSEN_STATUSES = statusesOf(CHOSEN)

/** The errors that the extraction service responds with. @public */
export type DenialKind = keyof typeof DOCUMENTED | keyof typeof CHOSEN

const denials = new Denials<DenialKind, DenialFacts>({
  service: 'extraction',
  documented: DOCUMENTED,
  chosen: CHOSEN,
  toBody: (message, kind, { count, limit, plan }) => ({
    detail:
      kind === 'page-count'
        ? { error: 'page_count_exceeded', message, page_count: count, max_pages: limit, plan }
        : message,
  }),
  rateMeanings: { 'page-quota': 'page-quota', 'page-count': 'page-count', 'request-rate': 'request-rate' },
})

export const { messageOf } = denials

export const deny: typeof denials.deny = (choices, kind, facts) => {
  const reply = denials.deny(choices, kind, facts)
  if (kind !== 'page-quota' && kind !== 'page-count') return reply
  // In the contract, a 429 whose `detail` is an object always means `page-count`, even if `choices.errorResponse`
  // returned this object for a `page-quota` error.
  const isObjectDetail = isObject(reply.json) && isObject(reply.json['detail'])
  return { ...reply, rateMeaning: isObjectDetail ? 'page-count' : kind }
}
