import type { GeneratedCode, TestedPackage, TestedSockets } from '@concord/contract-kit'
import { bearerCredential, tokenCredential } from '@concord/runtime'
import * as validators from '@concord/speech-validators'

import * as channels from '../src/gen/channels.gen.ts'
import * as checks from '../src/gen/checks.gen.ts'
import * as operations from '../src/gen/operations.gen.ts'
import { Speech } from '../src/index.ts'

/** The client of this package. */
export const tested: TestedPackage = {
  service: 'speech',
  generated: {
    operations: operations as unknown as GeneratedCode['operations'],
    validators,
    checks,
  },
  connect: ({ servers, credentials: { apiKey, accessToken } }, options) =>
    new Speech({
      ...options,
      apiUrl: servers['{api_url}'] ?? '',
      agentUrl: servers['{agent_url}'] ?? '',
      // A client takes at most one of the two.
      ...(apiKey === undefined ? accessToken !== undefined && { accessToken } : { apiKey }),
    }),
}

/** The channels of this package. */
export const testedSockets: TestedSockets = {
  service: 'speech',
  channels: channels as unknown as TestedSockets['channels'],
  options: ({ servers, credentials: { apiKey, accessToken } }) => ({
    servers: { apiUrl: servers['{api_url}'] ?? '', agentUrl: servers['{agent_url}'] ?? '' },
    credentials: {
      ...(apiKey !== undefined && { apiKey: tokenCredential(apiKey) }),
      // A client takes at most one of the two.
      ...(apiKey === undefined &&
        accessToken !== undefined && { accessToken: bearerCredential(accessToken, 'accessToken') }),
    },
  }),
}
