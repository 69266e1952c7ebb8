import { OptionsError } from '../../core/errors.ts'
import {
  type AuthorizationRequest,
  codeForm,
  startAuthorization,
  type StartedAuthorization,
} from '../oauth/grants.ts'
import { flowUrl, type OAuthFlow, type ScopeOf } from '../oauth/token-endpoint.ts'
import {
  type AddedNames,
  beginOAuth,
  checkOAuthSession,
  type OAuthSessionOptions,
} from '../oauth/oauth-session.ts'
import type { TokenSession } from '../token-session.ts'
import { type LoopbackPage, startLoopbackSignIn } from './loopback-server.ts'

/** Options of {@link signInWithBrowser}. @public */
export interface BrowserSignInOptions<Scope extends string = string>
  extends OAuthSessionOptions, Pick<AuthorizationRequest<Scope>, 'scopes' | 'parameters'> {
  /** Shows the URL to the user, by opening it in a browser or printing it. */
  readonly open: (url: string) => void | Promise<void>
  /** The path of the redirect URI that is registered with the server. Default: `/callback`. */
  readonly path?: string | undefined
  /** Ends the sign-in after this time, in milliseconds. Default: 5 minutes. */
  readonly limitMs?: number | undefined
}

const NAMES: AddedNames<BrowserSignInOptions> = {
  scopes: true,
  parameters: true,
  open: true,
  path: true,
  limitMs: true,
}

const LIMIT_MS = 300_000

const FOREIGN: LoopbackPage = {
  title: 'Not this sign-in',
  text: 'This page belongs to a sign-in that the program did not start. The program is still waiting for the sign-in that it started.',
}

/**
 * Signs a user in with a browser on this machine, using the authorization code grant with PKCE. A server on the
 * loopback interface waits for the browser to come back (RFC 8252, section 7.3). The port of this server differs each
 * time, so the authorization server must allow any port of `http://127.0.0.1`, as the RFC requires.
 *
 * @example
 * ```ts
 * const session =
 *   (await resumeOAuth(flow, options)) ?? (await signInWithBrowser(flow, { ...options, open: console.log }))
 * ```
 *
 * @throws AuthorizationError if the user or the server denied the sign-in, or at the time limit; ApiError if the server
 * rejects the code; OptionsError if an option is missing, unknown or invalid, or no port is free; on abort the signal's
 * own reason.
 * @public
 */
export async function signInWithBrowser<const Flow extends OAuthFlow>(
  flow: Flow,
  options: BrowserSignInOptions<ScopeOf<Flow>>,
): Promise<TokenSession> {
  const endpoints = checkOAuthSession(flow, options, NAMES)
  const { open, scopes, parameters, path = '/callback', limitMs = LIMIT_MS, ...own } = options
  if (typeof open !== 'function')
    throw new OptionsError(
      'open',
      open === undefined ? '`open` is missing.' : '`open` must be a function.',
      'Pass a function that opens the URL in a browser, or prints the URL.',
    )
  // Throws now if the flow has no `tokenUrl`, instead of after the user has signed in.
  flowUrl(flow, 'tokenUrl')
  const { clientId, signal, clock } = own
  let started: StartedAuthorization | undefined
  await using signIn = await startLoopbackSignIn<TokenSession>({
    // Every callback has a `state`, but a callback that reports an error has no `code`.
    parameter: 'state',
    path,
    limitMs,
    ...(signal && { signal }),
    ...(clock && { clock }),
    async accept(state, ending, query) {
      if (started === undefined || state !== started.state) return { kind: 'foreign', page: FOREIGN }
      const form = codeForm(started, `?${query}`)
      // The signal `ending` limits only this request, because the session outlives the sign-in.
      const value = await beginOAuth(endpoints, own, form, { repeat: 'spent', signal: ending })
      return { kind: 'accepted', value }
    },
  })
  const redirectUri = `http://127.0.0.1:${signIn.port}${path}`
  started = await startAuthorization<OAuthFlow>(flow, { clientId, redirectUri, scopes, parameters })
  await open(started.url)
  return await signIn.result
}
