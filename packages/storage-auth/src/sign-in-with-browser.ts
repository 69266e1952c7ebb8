import {
  ApiError,
  type CallOptions,
  type Clock,
  DeadlineError,
  type Duration,
  OptionsError,
  RateLimitedError,
} from '@concord/runtime'
import {
  checkOptionNames,
  functionOption,
  parseDuration,
  type RandomSource,
  signalOption,
  type OptionNames,
} from '@concord/runtime/internal'
import type { TokenResponse, User } from '@concord/storage-auth-validators'

import { browserSignIn } from './gen/facts.gen.ts'
import type { BrowserHost, CodeOutcome, LoopbackPage } from './node/browser-host.ts'
import { webAddress } from './options.ts'

/** Options of `StorageAuth.signInWithBrowser`. @public */
export interface BrowserSignInOptions {
  /** The base URL of the sign-in page. Default: the client's `webUrl`. */
  readonly webUrl?: string
  /**
   * Called with the URL of the sign-in page, which contains no secret. Default: the URL is written to standard error if no
   * browser could be opened.
   */
  readonly onAddress?: (url: string) => void
  /**
   * Whether to open the browser, or a function that opens it. Default: true. With `false`, pass `onAddress`, and show the
   * URL to the user of this machine.
   */
  readonly openBrowser?: boolean | ((url: string) => void | Promise<void>)
  /**
   * Called with the user who signed in, before anything is stored. Returning `false` discards the tokens, and the
   * sign-in keeps waiting. Use `confirm` if you know who should sign in, because the documented flow doesn't ensure
   * that a code belongs to this sign-in.
   */
  readonly confirm?: (user: User | undefined) => boolean | Promise<boolean>
  /** How long the user has to sign in. Default: `'5m'`. */
  readonly deadline?: Duration
  /** Ends the sign-in immediately, with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The parts of a client that a browser sign-in uses. */
interface BrowserSignIn<T> {
  readonly host: BrowserHost | undefined
  readonly webUrl: string | undefined
  readonly options: BrowserSignInOptions
  readonly ended: AbortSignal
  readonly clock: Clock
  readonly random: RandomSource
  exchange(code: string, call: CallOptions): Promise<TokenResponse>
  /** Stores the tokens. */
  begin(tokens: TokenResponse): Promise<T>
}

const NAMES: OptionNames<BrowserSignInOptions> = {
  webUrl: true,
  onAddress: true,
  openBrowser: true,
  confirm: true,
  deadline: true,
  signal: true,
}

/** @throws OptionsError if an option is unknown or invalid. */
export function checkBrowserSignIn(options: BrowserSignInOptions): void {
  checkOptionNames(options, NAMES, 'options')
  functionOption(options.onAddress, 'onAddress')
  functionOption(options.confirm, 'confirm')
  signalOption(options.signal)
  if (!['undefined', 'boolean', 'function'].includes(typeof options.openBrowser)) {
    throw new OptionsError(
      'openBrowser',
      'must be a boolean or a function.',
      'Pass false to keep the browser from opening, or a function that opens it.',
    )
  }
}

/**
 * The time limit for exchanging a code, in milliseconds from its arrival. The documentation says that a code is valid
 * for 60 seconds. A few seconds have already passed when the code arrives here.
 */
const CODE_LIMIT_MS = 55_000

export async function signInWithBrowser<T>(work: BrowserSignIn<T>): Promise<T> {
  const { host, options, clock, random } = work
  const { deadline = '5m', signal, onAddress, openBrowser = true } = options
  if (host === undefined) {
    throw new OptionsError(
      'signInWithBrowser',
      'needs a local server, which this JavaScript environment cannot run.',
      'Call `signInWithBrowser` in Node, or use signIn().',
    )
  }
  const webUrl = webAddress(options.webUrl ?? work.webUrl)
  if (openBrowser === false && onAddress === undefined) {
    throw new OptionsError(
      'onAddress',
      'is required if `openBrowser` is false.',
      'Pass `onAddress`, or omit `openBrowser`.',
    )
  }
  const signIn = await host.startSignIn<T>({
    parameter: 'token',
    limitMs: parseDuration(deadline),
    signal: signal === undefined ? work.ended : AbortSignal.any([signal, work.ended]),
    clock,
    random,
    accept: (code, ended) => accept(work, code, ended),
  })
  try {
    const url = signInUrl(webUrl, signIn.port)
    onAddress?.(url)
    // A caller's `openBrowser` function might never finish, so the sign-in's result ends this wait too.
    await Promise.race([signIn.result, openPage(host, url, options)])
    return await signIn.result
  } finally {
    await signIn.close()
  }
}

function signInUrl(webUrl: string, port: number): string {
  const { path, source } = browserSignIn
  return `${webUrl.replace(/\/+$/, '')}${path}?source=${source}&port=${port}`
}

async function openPage(
  host: BrowserHost,
  url: string,
  { openBrowser = true, onAddress }: BrowserSignInOptions,
): Promise<void> {
  if (openBrowser === false) return
  if (typeof openBrowser === 'function') {
    await openBrowser(url)
    return
  }
  // Not awaited, because the sign-in only needs the code that the page sends.
  host.openBrowser(url).catch(() => {
    if (onAddress === undefined) host.show(url)
  })
}

const REJECTED: LoopbackPage = {
  title: 'The sign-in did not work',
  text: 'The service did not accept the code. A code is valid for one minute and works once. Go back to the sign-in page and sign in again: the program is still waiting.',
}

const TOO_MANY: LoopbackPage = {
  title: 'Too many sign-ins',
  text: 'The service accepts only ten requests a minute, so this code could not be used in time. Wait a minute, go back to the sign-in page and sign in again: the program is still waiting.',
}

async function accept<T>(
  { exchange, begin, options }: BrowserSignIn<T>,
  code: string,
  signal: AbortSignal,
): Promise<CodeOutcome<T>> {
  let tokens: TokenResponse
  try {
    tokens = await exchange(code, { signal, deadline: CODE_LIMIT_MS })
  } catch (error) {
    if (RateLimitedError.is(error) || DeadlineError.is(error)) return { kind: 'rejected', page: TOO_MANY }
    if (ApiError.is(error) && isRejection(error.status)) return { kind: 'rejected', page: REJECTED }
    throw error
  }
  const { user } = tokens as Partial<TokenResponse>
  if (options.confirm !== undefined && !(await options.confirm(user))) {
    return {
      kind: 'rejected',
      page: {
        title: 'Not this account',
        text: 'You signed in to a different account than the program expects. Sign in again to the right account: the program is still waiting.',
      },
    }
  }
  const value = await begin(tokens)
  const who = typeof user?.email === 'string' ? ` as ${user.email}` : ''
  return {
    kind: 'accepted',
    value,
    page: {
      title: `You are signed in${who}`,
      text: 'You can close this page and return to the program. If this is not your account, sign out in the program.',
    },
  }
}

/**
 * Returns whether a status means that the service rejected the code. Only 401 is documented. Other statuses count
 * too, because a forged code must not end the sign-in. The exceptions are 404 and 405, which mean a wrong base URL. A
 * 5xx never gets here, because it becomes a SubmissionUncertainError, which is not an ApiError.
 */
function isRejection(status: number): boolean {
  return status >= 400 && status !== 404 && status !== 405
}
