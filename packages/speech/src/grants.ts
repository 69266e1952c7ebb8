import { type CallOptions, type Client, ContractDriftError, OptionsError } from '@concord/runtime'

import { grantToken } from './gen/operations.gen.ts'

/** How tokens are asked for, and where they stand in the answer. @public */
export interface GrantRule {
  /**
   * Gives the JWT of a grant. The documentation does not show the answer, so there is no default; `presets` has that of
   * the emulator.
   */
  readonly token: (grant: unknown) => unknown
  /** The body of the request, sent as JSON; its form is not documented. Default: no body. */
  readonly request?: unknown
}

/** Makes a function that asks for a new token each time. @throws OptionsError */
export function tokenSource(client: Client, rule: GrantRule, options?: CallOptions): () => Promise<string> {
  if (typeof rule?.token !== 'function') {
    throw new OptionsError(
      'token',
      '`token` is missing: the documentation does not say where a grant carries the token.',
      'Pass a function that finds it; for the emulator, use presets.emulator.grant.',
    )
  }
  return async () => {
    const input = rule.request === undefined ? {} : { body: rule.request }
    const grant = await client.send(grantToken, input, options)
    const token = rule.token(grant)
    if (typeof token === 'string' && token !== '') return token
    // The answer may hold the token at another place, so it is not handed on.
    throw new ContractDriftError(
      'grantToken: the function given as `token` found no token in the answer. Look where it really stands.',
      [{ path: '', reason: 'holds no token where it was looked for' }],
      undefined,
      { operation: 'grantToken' },
    )
  }
}
