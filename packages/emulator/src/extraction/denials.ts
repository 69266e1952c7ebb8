import { isObject } from '../core/json.ts'
import { chooseError, denialReply, type DenialChoices, type DenialDefinition } from '../core/denials.ts'
import type { Reply } from '../core/reply.ts'

/** The errors with a documented status. */
const DOCUMENTED_STATUSES = {
  'invalid-schema': 400,
  'unsupported-file-type': 400,
  'schema-and-blueprint': 400,
  'key-missing': 401,
  'key-invalid': 401,
  'job-not-found': 404,
  'file-too-large': 413,
  'page-quota': 429,
  'page-count': 429,
  'request-rate': 429,
  'server-error': 500,
} as const

/** The errors without a documented status, with the emulator's default statuses. */
export const CHOSEN_STATUSES = {
  'request-rejected': 400,
  'body-too-large': 413,
  'route-unknown': 404,
  'method-unknown': 405,
  'webhook-not-https': 400,
  'boolean-text-unknown': 400,
  'pipeline-unknown': 400,
  'process-blueprint-unknown': 400,
  'process-blueprint-without-schema': 400,
  'blueprint-not-found': 404,
  'ground-truth-length': 400,
  'optimization-not-found': 404,
  'optimized-schema-not-ready': 404,
  'resume-unreadable': 400,
  'resume-not-failed': 400,
  'preview-not-found': 404,
}

/** The errors that the extraction service responds with. @public */
export type DenialKind = keyof typeof DOCUMENTED_STATUSES | keyof typeof CHOSEN_STATUSES

/** The facts that an error's message is about. @public */
export interface DenialFacts {
  /** The invalid value, if the error is about one. */
  readonly value?: string
  /** Everything that is wrong. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** How long until the same request can succeed, in milliseconds. */
  readonly waitMs?: number
  /** The number that was counted against the limit. */
  readonly count?: number
  /** The pages of the document. */
  readonly documentPages?: number
  /** The name of the plan. */
  plan?: string
}

const DEFINITION: DenialDefinition<DenialKind, DenialFacts> = {
  service: 'extraction',
  documentedStatuses: DOCUMENTED_STATUSES,
  messages: {
    'invalid-schema': ({ reasons = [] }) => `The schema is invalid: ${reasons.join('; ')}.`,
    'unsupported-file-type': ({ value }) =>
      `The file type is not supported: ${value}. Send a PDF, PNG, JPG or JPEG file.`,
    'schema-and-blueprint': () => 'Supply schema or blueprint_id, not both.',
    'key-missing': () => 'The API key is missing.',
    'key-invalid': () => 'The API key is invalid.',
    'job-not-found': () => 'The job was not found.',
    'file-too-large': ({ plan, limit }) => `The file is larger than the ${plan} plan allows (${limit} MB).`,
    'page-quota': ({ limit }) => `The monthly page quota of ${limit} pages is exceeded.`,
    'page-count': ({ count, limit, plan }) =>
      `The document has ${count} pages; the ${plan} plan allows ${limit}.`,
    'request-rate': ({ limit }) => `The request rate of ${limit} requests a minute is exceeded.`,
    'server-error': () => 'The server failed to respond.',
    'request-rejected': ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`,
    'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
    'route-unknown': () => 'Nothing was found at this URL.',
    'method-unknown': ({ reasons = [] }) => `This URL only accepts ${reasons.join(', ')}.`,
    'webhook-not-https': () => 'The webhook_url must be an HTTPS URL.',
    'boolean-text-unknown': ({ value }) => `${value} must be "true" or "false".`,
    'pipeline-unknown': ({ value }) => `The pipeline ${value} does not exist.`,
    'process-blueprint-unknown': () => 'The blueprint does not exist.',
    'process-blueprint-without-schema': () => 'The blueprint has no active version yet.',
    'blueprint-not-found': () => 'The blueprint was not found.',
    'ground-truth-length': () => 'ground_truth_data needs one object for each training document.',
    'optimization-not-found': () => 'The optimization job was not found.',
    'optimized-schema-not-ready': () =>
      'The optimized schema is available once the optimization has completed.',
    'resume-unreadable': () => 'Send the job_id of a failed optimization job, or a blueprint_id.',
    'resume-not-failed': () => 'Only a failed optimization job can be resumed.',
    'preview-not-found': () => 'The preview was not found.',
  },
  toBody: (message, kind, { count, limit, plan }) => ({
    detail:
      kind === 'page-count'
        ? { error: 'page_count_exceeded', message, page_count: count, max_pages: limit, plan }
        : message,
  }),
  rateMeanings: { 'page-quota': 'page-quota', 'page-count': 'page-count', 'request-rate': 'request-rate' },
}

type Choices = DenialChoices<DenialKind, DenialFacts>

export function deny(choices: Choices, kind: DenialKind, facts: DenialFacts = {}): Reply {
  const reply = denialReply(DEFINITION, choices, { kind, facts })
  if (kind !== 'page-quota' && kind !== 'page-count') return reply
  // In the contract, a page-limit object means `page-count` and a string means `page-quota`, whichever limit was exceeded.
  const isObjectDetail = isObject(reply.json) && isObject(reply.json['detail'])
  return { ...reply, rateMeaning: isObjectDetail ? 'page-count' : kind }
}

/** Returns the message of an error, for a page. */
export function denialMessage(choices: Choices, kind: DenialKind, facts: DenialFacts = {}): string {
  return chooseError(DEFINITION, choices, { kind, facts }).message
}
