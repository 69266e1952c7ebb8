import { command, commonCommands } from '../core/common-commands.ts'
import type { ControlCommands } from '../core/control-http.ts'
import type { JsonObject } from '../core/specification.ts'
import type { StorageAuthControl, StorageAuthState } from './control.ts'
import type { NewStorageAccount } from './model.ts'

const TEXT: JsonObject = { type: 'string' }
const TEXTS: JsonObject = { type: 'array', items: TEXT }
const WORKSPACE: JsonObject = {
  type: 'object',
  properties: { workspaceId: TEXT, workspaceName: TEXT, role: TEXT },
  required: ['workspaceId', 'workspaceName', 'role'],
  additionalProperties: false,
}

interface ApiKeyArguments {
  email: string
  name: string
  organizations?: string[]
  expiresAt?: string
}

/** The control interface of the storage authentication service as commands over HTTP. */
export function storageAuthCommands(
  control: StorageAuthControl,
  readState: () => StorageAuthState,
): ControlCommands {
  return {
    ...commonCommands(control, readState),
    'expire-access-tokens': {
      arguments: { email: TEXT },
      optional: ['email'],
      run: ({ email }: { email?: string }) => ({ expired: control.expireAccessTokens(email) }),
    },
    'expire-refresh-tokens': {
      arguments: { email: TEXT },
      optional: ['email'],
      run: ({ email }: { email?: string }) => ({ expired: control.expireRefreshTokens(email) }),
    },
    'lock-account': command({ email: TEXT }, ({ email }: { email: string }) => control.lockAccount(email)),
    'unlock-account': command({ email: TEXT }, ({ email }: { email: string }) =>
      control.unlockAccount(email),
    ),
    'add-account': {
      arguments: {
        email: TEXT,
        password: TEXT,
        id: TEXT,
        name: TEXT,
        image: TEXT,
        organizationId: TEXT,
        role: TEXT,
        workspaces: { type: 'array', items: WORKSPACE },
      },
      optional: ['password', 'id', 'name', 'image', 'organizationId', 'role', 'workspaces'],
      run: (account: NewStorageAccount) => control.addAccount(account),
    },
    'issue-tokens': command({ email: TEXT }, ({ email }: { email: string }) => control.issueTokens(email)),
    'issue-code': command({ email: TEXT }, ({ email }: { email: string }) => ({
      code: control.issueCode(email),
    })),
    'add-api-key': {
      arguments: { email: TEXT, name: TEXT, organizations: TEXTS, expiresAt: TEXT },
      optional: ['organizations', 'expiresAt'],
      run: ({ email, ...apiKey }: ApiKeyArguments) => control.addApiKey(email, apiKey),
    },
    counters: { arguments: {}, reads: true, run: () => control.counters() },
  }
}
