import type { ContractSubject, SocketSubject } from '@concord/contract'
import {
  clientSubject,
  socketSubject,
  type GeneratedCode,
  type TestedPackage,
  type TestedSockets,
} from '@concord/contract-kit'
import { bearerCredential, tokenCredential } from '@concord/runtime'
import * as validators from '@concord/speech-validators'

import * as generatedChannels from '../src/gen/channels.gen.ts'
import * as checks from '../src/gen/checks.gen.ts'
import * as operations from '../src/gen/operations.gen.ts'
import { Speech } from '../src/index.ts'

/** The generated code, unchanged. */
export const generated: GeneratedCode = {
  operations: operations as unknown as GeneratedCode['operations'],
  validators,
  checks,
}
/** The generated channels, unchanged. */
export const channels = generatedChannels as unknown as TestedSockets['channels']

const tested: TestedPackage = {
  service: 'speech',
  generated,
  connect: ({ servers, credentials: { apiKey, accessToken } }, options) =>
    new Speech({
      ...options,
      apiUrl: servers['{api_url}'] ?? '',
      agentUrl: servers['{agent_url}'] ?? '',
      // A client takes at most one of the two.
      ...(apiKey === undefined ? accessToken !== undefined && { accessToken } : { apiKey }),
    }),
}

/** Returns this package's client in the form that the contract tests take. */
export function speechSubject(code: GeneratedCode = generated): ContractSubject {
  return clientSubject(tested, code)
}

/** Returns this package's channels in the form that the contract tests take. */
export function speechSockets(changed: TestedSockets['channels'] = channels): Promise<SocketSubject> {
  return socketSubject({
    service: 'speech',
    channels: changed,
    options: ({ servers, credentials: { apiKey, accessToken } }) => ({
      servers: { apiUrl: servers['{api_url}'] ?? '', agentUrl: servers['{agent_url}'] ?? '' },
      credentials: {
        ...(apiKey !== undefined && { apiKey: tokenCredential(apiKey) }),
        // A client takes at most one of the two.
        ...(apiKey === undefined &&
          accessToken !== undefined && { accessToken: bearerCredential(accessToken, 'accessToken') }),
      },
    }),
  })
}
