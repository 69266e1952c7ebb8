import { resolveChoices, type ChoiceOverrides } from '../core/choices.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { denialFacts } from '../core/denials.ts'
import { runService } from '../core/run-service.ts'
import type { Service } from '../core/service.ts'
import {
  toBasePath,
  type EmulatedService,
  type RunningService,
  type SharedTools,
} from '../core/service-module.ts'
import { loadSpecification, type Specification } from '../core/specification.ts'
import { MEDIA_CHOICES, type MediaChoices } from './choices.ts'
import { MEDIA_COMMANDS, MediaControl, readState, type MediaState } from './control.ts'
import { avatarHandlers, documentHandlers } from './handlers/knowledge.ts'
import { managementHandlers } from './handlers/management.ts'
import { sessionHandlers } from './handlers/sessions.ts'
import { taskHandlers } from './handlers/tasks.ts'
import type { MediaOrganization } from './model.ts'
import { mediaPages } from './pages.ts'
import { deny } from './denials.ts'
import { createContext, type MediaContext } from './state.ts'
import { toCredits, toTier, type MediaTier, type MediaTierNumber } from './tiers.ts'

/** The options of the media service. @public */
export interface MediaOptions {
  /** The organization's tier: the number of a documented tier, or custom limits. By default 1. */
  tier?: MediaTierNumber | MediaTier
  /** The initial balance in credits; by default 10,000. The documentation doesn't specify this balance. */
  credits?: number
  /** The API secrets that are valid from the start; by default one new secret. */
  readonly apiSecrets?: readonly string[]
  /** Overrides choices; see `MediaChoices`. */
  readonly choices?: ChoiceOverrides<MediaChoices>
  /**
   * Whether the emulator accepts input URLs that use `http://` or an IP address. The real service rejects them. By
   * default `false`.
   */
  readonly allowLocalInputs?: boolean
  /** The prefix of every path, for instance `/tenant`; by default none. */
  readonly basePath?: string
}

/** The base URL and the credential of the media service. @public */
export interface ServedMedia {
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string
  /** A valid API secret. */
  readonly apiSecret: string
}

/** The media service, emulated in the current process. @public */
export interface EmulatedMedia extends EmulatedService<MediaControl, MediaState>, ServedMedia {}

export function createMediaService(options: MediaOptions, tools: SharedTools): RunningService {
  const choices = resolveChoices(MEDIA_CHOICES, options.choices ?? {})
  const tier = toTier(options.tier ?? 1)
  const credits = toCredits(options.credits ?? 10_000)
  const basePath = toBasePath(options.basePath ?? '')
  const specification = loadSpecification('media/openapi.yaml')
  const context = createContext(choices, specification, options.allowLocalInputs ?? false, tools)
  const { scripts, organizations, outputs, uploads, avatars, documents } = context
  const secrets = options.apiSecrets ?? [organizations.newSecret()]
  const [apiSecret] = secrets
  if (apiSecret === undefined)
    throw new EmulatorOptionsError('`apiSecrets` must contain at least one secret, or be omitted.')
  const addSecret = (secret: string) => organizations.addSecret(tier, credits, secret)
  const state = [scripts, organizations, outputs, uploads, avatars, documents]
  return runService(
    createService(context, specification),
    {
      basePaths: { baseUrl: basePath },
      credentials: { apiSecret },
      state: [...state, context.submissions, context.tasks, context.sessions],
      fill: () => secrets.forEach(addSecret),
      createControl: (controlTools) => new MediaControl(controlTools, context, addSecret),
      commands: MEDIA_COMMANDS,
      readState: () => readState(context),
    },
    tools,
  )
}

function createService(context: MediaContext, specification: Specification): Service<MediaOrganization> {
  const { choices, organizations } = context
  return {
    name: 'media',
    choices,
    specification,
    handlers: {
      ...avatarHandlers(context),
      ...documentHandlers(context),
      ...managementHandlers(context),
      ...sessionHandlers(context),
      ...taskHandlers(context),
    },
    pages: mediaPages(context),
    authenticate: (secret) => organizations.bySecret(secret),
    bodyLimitBytes: () => choices.sizes.jsonBytes,
    deny: (denial) => deny(choices, denial.kind, denialFacts(denial)),
    tolerates: ({ path }) =>
      choices.otherVersions === 'served' && path.toLowerCase() === 'header/x-service-version',
  }
}
