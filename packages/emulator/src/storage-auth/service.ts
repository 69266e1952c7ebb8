import { resolveChoices, type ChoiceOverrides } from '../core/choices.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { randomText, randomUuid } from '../core/random.ts'
import { denialFacts } from '../core/denials.ts'
import { runService } from '../core/run-service.ts'
import type { CoreDenial, Service } from '../core/service.ts'
import {
  toBasePath,
  toSeconds,
  type EmulatedService,
  type RunningService,
  type SharedTools,
} from '../core/service-module.ts'
import { loadSpecification, type Specification } from '../core/specification.ts'
import { STORAGE_AUTH_CHOICES, type StorageAuthChoices } from './choices.ts'
import { readState, STORAGE_AUTH_COMMANDS, StorageAuthControl, type StorageAuthState } from './control.ts'
import { apiKeyHandlers } from './handlers/api-keys.ts'
import { tokenHandlers } from './handlers/tokens.ts'
import {
  ACCESS_TOKEN_SECONDS,
  FIRST_CALLBACK_PORT,
  SIGN_IN_PATH,
  SIGN_IN_SOURCE,
  TOKEN_REQUESTS_PER_MINUTE,
} from './limits.ts'
import type { NewStorageAccount, StorageCaller } from './model.ts'
import { deny, type StorageDenialKind } from './denials.ts'
import { samplePages } from './sample-endpoint.ts'
import { signInPages } from './sign-in-page.ts'
import { createContext, type StorageAuthContext } from './state.ts'

/** The options of the storage authentication service. @public */
export interface StorageAuthOptions {
  /**
   * The accounts that exist from the start. By default, `kim@mail.example` with a random password, and
   * `ola@mail.example` without a password. The emulated service's properties `email` and `password` belong to the
   * first account with a password.
   */
  readonly accounts?: readonly NewStorageAccount[]
  /**
   * How many requests per minute the three token endpoints accept in total from one IP address; by default 10, as
   * documented. `Infinity` disables the limit.
   */
  readonly tokenRequestsPerMinute?: number
  /** How long an access token is valid, in seconds; by default 3600, as documented. */
  readonly accessTokenSeconds?: number
  /** The path of the base URL `authUrl`; by default `/auth-api`. */
  readonly authPath?: string
  /** The path of the base URL `dataUrl`; by default `/data-api`. */
  readonly dataPath?: string
  /** The path of the base URL `webUrl`; by default none. */
  readonly webPath?: string
  /** Overrides choices; see `StorageAuthChoices`. */
  readonly choices?: ChoiceOverrides<StorageAuthChoices>
}

/** The base URLs of the storage authentication service, and an account that can sign in. @public */
export interface ServedStorageAuth {
  /** The base URL of the token endpoints, without a trailing slash. */
  readonly authUrl: string
  /** The base URL of the data endpoints and of the endpoints for API keys, without a trailing slash. */
  readonly dataUrl: string
  /** The base URL of the sign-in page, without a trailing slash. */
  readonly webUrl: string
  /** The email address of an account with a password. */
  readonly email: string
  /** The password of that account. */
  readonly password: string
}

/** The storage authentication service, emulated in the current process. @public */
export interface EmulatedStorageAuth
  extends EmulatedService<StorageAuthControl, StorageAuthState>, ServedStorageAuth {}

export function createStorageAuthService(options: StorageAuthOptions, tools: SharedTools): RunningService {
  const { random } = tools
  const choices = resolveChoices(STORAGE_AUTH_CHOICES, options.choices ?? {})
  const basePaths = {
    authUrl: toBasePath(options.authPath ?? '/auth-api', 'authPath'),
    dataUrl: toBasePath(options.dataPath ?? '/data-api', 'dataPath'),
    webUrl: toBasePath(options.webPath ?? '', 'webPath'),
  }
  const limit = toRequestsPerMinute(options.tokenRequestsPerMinute ?? TOKEN_REQUESTS_PER_MINUTE)
  const specification = loadSpecification('storage-auth/openapi.yaml')
  const accessTokenSeconds = options.accessTokenSeconds ?? ACCESS_TOKEN_SECONDS
  const context = createContext(
    choices,
    specification,
    toSeconds('accessTokenSeconds', accessTokenSeconds),
    tools,
  )
  const given = (options.accounts ?? defaultAccounts(tools)).map((account) => ({
    ...account,
    id: account.id ?? randomUuid(random),
  }))
  const first = given.find(({ password }) => password !== undefined)
  if (first?.password === undefined)
    throw new EmulatorOptionsError(
      '`accounts` must contain at least one account with a password, or be omitted.',
    )
  const { accounts, logins, tokens, codes, apiKeys, requests, counters } = context
  const port = FIRST_CALLBACK_PORT
  const signIn = `${SIGN_IN_PATH}?source=${SIGN_IN_SOURCE}&port=${port}`
  return runService(
    createService(context, specification, limit),
    {
      basePaths,
      credentials: { email: first.email, password: first.password },
      pages: { [`Sign in (then redirects to http://localhost:${port}/callback)`]: basePaths.webUrl + signIn },
      state: [accounts, logins, tokens, codes, apiKeys, requests, counters],
      fill: () => given.forEach((account) => accounts.add(account)),
      createControl: (controlTools) => new StorageAuthControl(controlTools, context),
      commands: STORAGE_AUTH_COMMANDS,
      readState: () => readState(context),
    },
    tools,
  )
}

function createService(
  context: StorageAuthContext,
  specification: Specification,
  limit: number,
): Service<StorageCaller> {
  const { choices, tokens, requests, counters } = context
  return {
    name: 'storage-auth',
    choices,
    specification,
    handlers: { ...tokenHandlers(context), ...apiKeyHandlers(context) },
    pages: [...signInPages(context), ...samplePages(context)],
    authenticate(accessToken) {
      const account = tokens.findAccess(accessToken)
      return account && { account }
    },
    admit(operation, _, sender) {
      if (operation.security.length > 0) return undefined
      const waitMs = requests.take(choices.addressOf(sender), { ...choices.rate, limit })
      if (waitMs === undefined) return undefined
      counters.rateLimited++
      return deny(choices, 'request-rate', { limit, waitMs })
    },
    bodyLimitBytes: () => choices.largestBodyBytes,
    deny: (denial) => deny(choices, kindOf(denial), denialFacts(denial)),
  }
}

function toRequestsPerMinute(requests: number): number {
  if (requests === Infinity || (Number.isInteger(requests) && requests > 0)) return requests
  throw new EmulatorOptionsError(
    `\`tokenRequestsPerMinute\` must be a whole number above 0, or \`Infinity\` (no limit), not ${requests}.`,
  )
}

function defaultAccounts({ random }: SharedTools): NewStorageAccount[] {
  const password = randomText(random, 16, 'abcdefghijkmnpqrstuvwxyz23456789')
  return [
    {
      email: 'kim@mail.example',
      password,
      name: 'Kim Berg',
      image: 'https://images.example/kim.png',
      workspaces: [{ workspaceId: 'workspace-harbour', workspaceName: 'Harbour', role: 'editor' }],
    },
    { email: 'ola@mail.example', name: 'Ola Lind', organizationId: 'org-south' },
  ]
}

function kindOf(denial: CoreDenial<StorageCaller>): StorageDenialKind {
  switch (denial.kind) {
    case 'request-rejected':
      return denial.operation.responses.has('400') ? 'invalid-body' : 'key-request-rejected'
    case 'key-missing':
      return denial.headers.has('x-api-key') ? 'api-key-on-key-management' : 'credential-missing'
    case 'key-invalid':
      return 'access-token-rejected'
    default:
      return denial.kind
  }
}
