import { createApp } from '../core/app.ts'
import { toBasePath } from '../core/base-path.ts'
import { commandsOf } from '../core/control-commands.ts'
import { commonControl } from '../core/control.ts'
import { withControl } from '../core/control-http.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { createFaults } from '../core/faults.ts'
import { createJournal } from '../core/journal.ts'
import { resolveChoices } from '../core/choices.ts'
import { randomText, randomUuid } from '../core/random.ts'
import { refusalFacts } from '../core/refusals.ts'
import type { CoreRefusal, Service } from '../core/service.ts'
import type { RunningService } from '../core/service-module.ts'
import type { SharedTools } from '../core/shared-tools.ts'
import { loadSpecification } from '../core/specification.ts'
import { readTransitions } from '../core/transitions.ts'
import { createAccounts } from './accounts.ts'
import { createApiKeys } from './api-keys.ts'
import { STORAGE_AUTH_CHOICES } from './choices.ts'
import { createCodes } from './codes.ts'
import type { StorageAuthContext, StorageAuthHandler } from './context.ts'
import { STORAGE_AUTH_COMMANDS, type StorageAuthControl } from './control.ts'
import { copyCounters, createCounters } from './counters.ts'
import { createApiKey, deleteApiKey, listApiKeys } from './handlers/api-keys.ts'
import { createToken, exchangeCode, refreshToken } from './handlers/tokens.ts'
import { ACCESS_TOKEN_SECONDS, TOKEN_REQUESTS_PER_MINUTE } from './limits.ts'
import { createLogins } from './logins.ts'
import type { NewStorageAccount, StorageCaller } from './model.ts'
import { toRequestsPerMinute, toSeconds, type StorageAuthOptions } from './options.ts'
import { refuse, type StorageRefusalKind } from './refusals.ts'
import { samplePages } from './sample-endpoint.ts'
import { signInPages } from './sign-in-page.ts'
import { createSigner } from './signer.ts'
import { readState } from './state.ts'
import { createTokenRate } from './token-rate.ts'
import { createTokens } from './tokens.ts'

/** Sets the storage authentication service up. */
export function createStorageAuthService(options: StorageAuthOptions, tools: SharedTools): RunningService {
  const { clock, random } = tools
  const choices = resolveChoices(STORAGE_AUTH_CHOICES, options.choices ?? {})
  const basePath = {
    authUrl: toBasePath(options.authPath ?? '/auth-api', 'authPath'),
    dataUrl: toBasePath(options.dataPath ?? '/data-api', 'dataPath'),
    webUrl: toBasePath(options.webPath ?? '', 'webPath'),
  }
  const specification = loadSpecification('storage-auth/openapi.yaml')
  const moves = (schema: string) => readTransitions(specification, schema)

  const counters = createCounters()
  const signer = createSigner(random)
  const accounts = createAccounts(random, choices)
  const logins = createLogins({ clock, accounts, choices, counters })
  const rate = createTokenRate({
    clock,
    choices,
    counters,
    requestsPerMinute: toRequestsPerMinute(options.tokenRequestsPerMinute ?? TOKEN_REQUESTS_PER_MINUTE),
  })
  const tokens = createTokens({
    clock,
    random,
    choices,
    counters,
    signer,
    checkMove: moves('RefreshToken'),
    accessTokenSeconds: toSeconds('accessTokenSeconds', options.accessTokenSeconds ?? ACCESS_TOKEN_SECONDS),
  })
  const codes = createCodes({ clock, random, choices, checkMove: moves('ExchangeCode') })
  const apiKeys = createApiKeys({ clock, random, choices, checkMove: moves('ApiKeyStatus') })
  const context: StorageAuthContext = {
    clock,
    choices,
    accounts,
    logins,
    signer,
    tokens,
    codes,
    apiKeys,
    rate,
    counters,
  }

  const pages = [...signInPages(context), ...samplePages(context)]
  const journal = createJournal()
  const faults = createFaults(random, [
    ...specification.operations.map(({ operationId }) => operationId),
    ...pages.map(({ name }) => name),
  ])

  const service: Service<StorageCaller> = {
    name: 'storage-auth',
    choices,
    specification,
    handlers: storageAuthHandlers(context),
    pages,
    authenticate(accessToken) {
      const account = tokens.findAccess(accessToken)
      return account && { account }
    },
    admit: (operation, _, sender) => (operation.security.length === 0 ? rate.admit(sender) : undefined),
    bodyLimitBytes: () => choices.largestBodyBytes,
    refuse: (refusal) => refuse(choices, kindOf(refusal), refusalFacts(refusal)),
    responseHeaders: () => ({}),
    tolerates: () => false,
  }

  const app = createApp(service, { ...tools, faults, journal, basePath })

  const given = (options.accounts ?? defaultAccounts(tools)).map((account) => ({
    ...account,
    id: account.id ?? randomUuid(random),
  }))
  const first = given.find(({ password }) => password !== undefined)
  if (first?.password === undefined)
    throw new EmulatorOptionsError('accounts must hold at least one account with a password, or be left out.')
  const fill = () => given.forEach((account) => accounts.add(account))
  fill()

  const one = (email: string | undefined) => (email === undefined ? undefined : accounts.demand(email))
  const control: StorageAuthControl = {
    ...commonControl({ clock, faults, journal }),
    reset() {
      for (const part of [journal, faults, accounts, logins, tokens, codes, apiKeys, rate, counters])
        part.clear()
      fill()
    },
    expireAccessTokens: (email) => tokens.expireAccess(one(email)),
    expireRefreshTokens: (email) => tokens.expireRefresh(one(email)),
    lockAccount: (email) => logins.lock(accounts.demand(email)),
    unlockAccount: (email) => logins.unlock(accounts.demand(email)),
    addAccount: (account) => void accounts.add(account),
    async issueTokens(email) {
      const { account: _, ...pair } = await tokens.issue(accounts.demand(email))
      return pair
    },
    issueCode: (email) => codes.issue(accounts.demand(email)),
    addApiKey(email, wanted) {
      const { id, key } = apiKeys.create(accounts.demand(email), wanted)
      return { id, key }
    },
    counters: () => copyCounters(counters),
  }
  const read = () => readState(context)
  return {
    app: tools.control ? withControl(app, commandsOf(control, STORAGE_AUTH_COMMANDS, read)) : app,
    addresses: basePath,
    credentials: { email: first.email, password: first.password },
    control,
    readState: read,
  }
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

/** Which error of this service one of the core is. */
function kindOf(refusal: CoreRefusal<StorageCaller>): StorageRefusalKind {
  switch (refusal.kind) {
    case 'request-refused':
      return refusal.operation.responses.has('400') ? 'invalid-body' : 'key-request-refused'
    case 'key-missing':
      return refusal.headers.has('x-api-key') ? 'api-key-on-key-management' : 'credential-missing'
    case 'key-invalid':
      return 'access-token-refused'
    default:
      return refusal.kind
  }
}

/** One handler for each operation of the contract. */
function storageAuthHandlers(context: StorageAuthContext): Record<string, StorageAuthHandler> {
  return {
    createToken: createToken(context),
    refreshToken: refreshToken(context),
    exchangeCode: exchangeCode(context),
    createApiKey: createApiKey(context),
    listApiKeys: listApiKeys(context),
    deleteApiKey: deleteApiKey(context),
  }
}
