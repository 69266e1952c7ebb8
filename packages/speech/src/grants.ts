import { type CallOptions, type Client, ContractDriftError, OptionsError } from '@concord/runtime'

import type { GrantRequest } from '@concord/speech-validators'

import { grantToken } from './gen/operations.gen.ts'

/** How to request and read tokens. @public */
export interface GrantRule {
  /**
   * Returns the JWT in a grant. The documentation doesn't show the response, so there is no default; `presets` has the
   * emulator's.
   */
  readonly token: (grant: unknown) => unknown
  /** The body of the request, sent as JSON; its form is not documented. Default: no body. */
  readonly request?: unknown
}

/** Makes a function that requests a new token each time. @throws OptionsError */
export function tokenSource(client: Client, rule: GrantRule, options?: CallOptions): () => Promise<string> {
  if (typeof rule?.token !== 'function') {
    throw new OptionsError(
      'token',
      "`token` is missing: the documentation doesn't say where the token is in a grant response.",
      'Pass a function that finds it; for the emulator, use presets.emulator.grant.',
    )
  }
  return async () => {
    const grant = await client.send(grantToken, { body: rule.request as GrantRequest }, options)
    const token = rule.token(grant)
    if (typeof token === 'string' && token !== '') return token
    // The token may be elsewhere in the response, so the error doesn't contain the response.
    throw new ContractDriftError(
      'grantToken: `token` found no token in the response. Check where the service puts it.',
      [{ path: '', reason: 'has no token where `token` looked for it' }],
      undefined,
      { operation: 'grantToken' },
    )
  }
}
