import {
  ApiError,
  type CallOptions,
  type Clock,
  DeadlineError,
  type Duration,
  OptionsError,
  parseDuration,
  type RandomSource,
} from '@concord/runtime'
import type { TokenResponse, User } from '@concord/storage-auth-validators'

import type { BrowserHost, CodeOutcome } from './browser-host.ts'
import { checkAddress } from './options.ts'

/** Options of `StorageAuth.signInWithBrowser`. @public */
export interface BrowserSignInOptions {
  /** The address that the sign-in page is under. Default: that of the client. */
  readonly webUrl?: string
  /**
   * Told the address of the sign-in page. Default: it is written to standard error where no browser could be opened. The
   * address holds nothing secret.
   */
  readonly onAddress?: (address: string) => void
  /**
   * Whether the browser is opened, or a function that opens it. Default: true. With `false` give `onAddress`, and show
   * the address to somebody at this machine.
   */
  readonly openBrowser?: boolean | ((address: string) => void | Promise<void>)
  /**
   * Asked who has signed in before anything is kept. Answering `false` throws the tokens away, and the sign-in goes on.
   * Use it where you know who should sign in: the documented flow has nothing that ties an answer to its question.
   */
  readonly confirm?: (user: User | undefined) => boolean | Promise<boolean>
  /** How long a person has. Default `'5m'`. */
  readonly deadline?: Duration
  /** Ends the sign-in at once, with its own reason. */
  readonly signal?: AbortSignal
}

/** What a sign-in with a browser is made from. */
export interface BrowserSignIn<T> {
  readonly host: BrowserHost | undefined
  readonly webUrl: string | undefined
  readonly options: BrowserSignInOptions
  readonly clock: Clock
  readonly random: RandomSource
  exchange(code: string, call: CallOptions): Promise<TokenResponse>
  /** Keeps the tokens. */
  begin(tokens: TokenResponse): Promise<T>
}

/** A code lives for 60 seconds, as documented; some of them pass on the way. */
const CODE_LIMIT_MS = 55_000

/** Opens the sign-in page, waits for its code, and exchanges it. */
export async function signInWithBrowser<T>(work: BrowserSignIn<T>): Promise<T> {
  const { host, options, clock, random } = work
  const { deadline = '5m', signal, onAddress, openBrowser = true } = options
  if (host === undefined) {
    throw new OptionsError(
      'signInWithBrowser',
      'needs a local server, which this host does not have.',
      'Sign in where Node runs, or with signIn.',
    )
  }
  const webUrl = options.webUrl ?? work.webUrl
  checkAddress(webUrl, 'webUrl', 'https://storage.example')
  if (openBrowser === false && onAddress === undefined) {
    throw new OptionsError('onAddress', 'is missing, and no browser is to be opened.', 'Give one of the two.')
  }
  const signIn = await host.startSignIn<T>({
    parameter: 'token',
    limitMs: parseDuration(deadline),
    ...(signal === undefined ? {} : { signal }),
    clock,
    random,
    accept: (code, ended) => accept(work, code, ended),
  })
  try {
    const address = signInAddress(webUrl, signIn.port)
    onAddress?.(address)
    await lead(host, address, options)
    return await signIn.result
  } finally {
    await signIn.close()
  }
}

function signInAddress(webUrl: string, port: number): string {
  return `${webUrl.replace(/\/+$/, '')}/auth/signin?source=api&port=${port}`
}

async function lead(
  host: BrowserHost,
  address: string,
  { openBrowser = true, onAddress }: BrowserSignInOptions,
): Promise<void> {
  if (openBrowser === false) return
  if (typeof openBrowser === 'function') {
    await openBrowser(address)
    return
  }
  // Nobody waits for the opener: what counts is the callback. Without a browser the address is the way.
  host.openBrowser(address).catch(() => {
    if (onAddress === undefined) host.show(address)
  })
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
    if (isRefusal(error)) return { kind: 'refused' }
    throw error
  }
  const { user } = tokens as Partial<TokenResponse>
  if (options.confirm !== undefined && !(await options.confirm(user))) {
    return {
      kind: 'refused',
      page: {
        title: 'Not this account',
        text: 'The program does not take this account. Sign in with another one; it still waits.',
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
      text: 'You can close this page and go back to the program. If you have not just signed in yourself, sign out in the program.',
    },
  }
}

/** A code that is no good, or that could not be shown in time; another one may come. */
function isRefusal(error: unknown): boolean {
  if (DeadlineError.is(error)) return true
  return ApiError.is(error) && [400, 401, 429].includes(error.status)
}
