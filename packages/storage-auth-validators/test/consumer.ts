// The code of a consumer of these schemas, with its own zod. It is type-checked and run with the lowest and the highest
// supported zod, and with zod/mini in place of zod.
import {
  type ApiKey,
  type ApiKeyStatus,
  type CreatedApiKey,
  type CreateApiKeyRequest,
  type TokenResponse,
  type User,
  apiKey,
  apiKeyStatus,
  type createApiKeyRequest,
  createTokenRequest,
  createdApiKey,
  type tokenResponse,
  user,
} from '@concord/storage-auth-validators'
import * as z from 'zod'

/** A record of its users on a user's own server. */
export const person = z.object({
  user,
  keys: z.array(apiKey),
  newest: z.optional(apiKey),
  state: z.nullable(apiKeyStatus),
  byName: z.record(z.string(), apiKey),
})

/** A form that contains a login. */
export const form = z.object({ login: createTokenRequest, remember: z.boolean() })

/** Either of two bodies. */
export const incoming = z.union([createdApiKey, z.object({ ping: z.literal(true) })])

export type Person = z.infer<typeof person>

type Assignable<From, To> = [From] extends [To] ? true : false
const holds = <_Statement extends true>(): void => {}

// The inferred types and the generated ones are assignable to each other, also with exactOptionalPropertyTypes.
holds<Assignable<z.infer<typeof apiKey>, ApiKey>>()
holds<Assignable<ApiKey, z.infer<typeof apiKey>>>()
holds<Assignable<z.infer<typeof createdApiKey>, CreatedApiKey>>()
holds<Assignable<CreatedApiKey, z.infer<typeof createdApiKey>>>()
holds<Assignable<z.infer<typeof tokenResponse>, TokenResponse>>()
holds<Assignable<TokenResponse, z.infer<typeof tokenResponse>>>()
holds<Assignable<CreateApiKeyRequest, z.input<typeof createApiKeyRequest>>>()
holds<Assignable<Person['user'], User>>()
holds<Assignable<Person['keys'][number], ApiKey>>()
holds<Assignable<NonNullable<Person['newest']>, ApiKey>>()
holds<Assignable<Person['state'], ApiKeyStatus | null>>()
holds<Assignable<Person['byName'][string], ApiKey>>()

// An open enum keeps its values for completion and accepts any other string.
holds<Assignable<'active', ApiKeyStatus>>()
holds<Assignable<'suspended', ApiKeyStatus>>()

// The key is in the response that created it, and isn't a documented field of a record.
holds<Assignable<CreatedApiKey['key'], string>>()
holds<Assignable<'key', keyof ApiKey> extends false ? true : never>()
holds<Assignable<CreatedApiKey, ApiKey>>()
