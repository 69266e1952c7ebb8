import type { GeneratedCode, TestedPackage } from '@concord/contract-kit'
import * as validators from '@concord/extraction-validators'

import * as checks from '../src/gen/checks.gen.ts'
import { extractionApiWithResponse } from '../src/gen/api.gen.ts'
import * as operations from '../src/gen/operations.gen.ts'
import { Extraction } from '../src/index.ts'

/** The client of this package. */
export const tested: TestedPackage = {
  service: 'extraction',
  generated: {
    operations: operations as unknown as GeneratedCode['operations'],
    validators,
    checks,
  },
  connect({ baseUrl, credentials: { apiKey } }, options) {
    const client = new Extraction({ ...options, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) })
    const { exchange } = client
    // `exchange` skips the client's own check of the one rule that the contract states only in prose: two arrays must have
    // the same length.
    return {
      exchange,
      withResponse: extractionApiWithResponse(exchange),
      [Symbol.asyncDispose]: () => client.close(),
    }
  },
  webhooks: { jobCompleted: 'jobCompletedEvent' },
  errorName(status, body) {
    const { detail } = (typeof body === 'object' && body !== null ? body : {}) as {
      detail?: { error?: unknown }
    }
    return status === 429 && detail?.error === 'page_count_exceeded' ? 'extraction.PageLimitError' : undefined
  },
}
