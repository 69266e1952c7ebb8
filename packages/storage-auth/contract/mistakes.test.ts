import { inCheck, inSchema, plantMistakes } from '@concord/contract-kit'

import { tested } from './subject.ts'

const planter = await plantMistakes(tested)

planter.inDescriptors()

planter.inSources([
  [
    'an unchecked token',
    'validator',
    inCheck('TokenResponse', `acceptsRefreshToken(value['refresh_token'])`, 'true'),
  ],
  [
    'an unchecked expiry',
    'validator',
    inCheck('CreateApiKeyRequest', `acceptsTimestamp(value['expiresAt'])`, 'true'),
  ],
  [
    'a required secret made optional',
    'validator',
    inSchema('tokenResponse', 'refresh_token: refreshToken', 'refresh_token: z.optional(refreshToken)'),
  ],
  ['a field under another name', 'drift', inSchema('tokenResponse', 'access_token:', 'accessToken:')],
  ['a null that is lost', 'drift', inSchema('apiKey', 'expiresAt: z.nullish(', 'expiresAt: z.optional(')],
  ['unknown fields rejected', 'validator', inSchema('apiKey', 'z.looseObject', 'z.strictObject')],
  [
    'an open status that is closed',
    'validator',
    { file: 'schemas.gen.ts', from: /(export const apiKeyStatus = )[^\n]*/, to: `$1z.enum(['active'])` },
  ],
  [
    'two operations swapped in the API',
    'attempts',
    {
      file: 'api.gen.ts',
      from: /refreshToken: (.*)exchange\(refreshToken,/,
      to: 'refreshToken: $1exchange(exchangeCode,',
    },
  ],
  [
    'a path parameter under another name',
    'attempts',
    { file: 'operations.gen.ts', from: `'/v1/api-keys/{key_id}'`, to: `'/v1/api-keys/{id}'` },
  ],
])
planter.reportsNothing()
