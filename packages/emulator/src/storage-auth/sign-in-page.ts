import { html, htmlReply } from '../core/html.ts'
import type { Reply } from '../core/reply.ts'
import type { Page, PageCall } from '../core/service.ts'
import { FIRST_CALLBACK_PORT, LAST_CALLBACK_PORT, SIGN_IN_PATH, SIGN_IN_SOURCE } from './limits.ts'
import type { StorageAccount } from './model.ts'
import { messageOf } from './denials.ts'
import type { StorageAuthContext } from './state.ts'

/** Creates the sign-in page. A sign-in redirects to a program on the user's machine, with an exchange code. */
export function signInPages(context: StorageAuthContext): Page[] {
  const { choices, accounts, logins, codes } = context

  function respond(call: PageCall): Reply {
    const port = readPort(call.query)
    if (port === undefined) return badQuery()
    return call.method === 'POST' ? signIn(port, call) : page(200, 'Sign in', loginForm(externals()))
  }

  function signIn(port: number, { form, remoteAddress, headers }: PageCall): Reply {
    const external = accounts.find(form.get('external') ?? '')
    if (choices.page.offersExternalSignIn && external && external.password === undefined) {
      const waitMs = choices.lock.stops.includes('external-sign-in') ? logins.lockedForMs(external) : 0
      return waitMs > 0
        ? deniedPage(messageOf(choices, 'locked', { waitMs }))
        : toCallback(port, codes.issue(external))
    }
    const email = form.get('email') ?? ''
    const address = choices.addressOf({ remoteAddress, headers })
    const password = form.get('password') ?? ''
    const outcome = logins.attempt({ email, password, place: 'sign-in-page', address })
    if ('account' in outcome) return toCallback(port, codes.issue(outcome.account))
    return deniedPage(messageOf(choices, outcome.denied, outcome.facts), email)
  }

  function deniedPage(problem: string, email = ''): Reply {
    return page(choices.page.loginDeniedStatus, 'Sign in', loginForm(externals(), problem, email))
  }

  function badQuery(): Reply {
    const text = `The URL of this page must have the query parameters source=api and port=NUMBER. NUMBER must be from ${FIRST_CALLBACK_PORT} to ${LAST_CALLBACK_PORT}. The program that opened this page listens on that port.`
    return page(choices.page.badQueryStatus, 'This URL is invalid', html`<p role="alert">${text}</p>`)
  }

  function toCallback(port: number, code: string): Reply {
    const location = `http://localhost:${port}/callback?token=${encodeURIComponent(code)}`
    const body = html`<p><a href="${location}">Continue</a></p>`
    const reply = page(choices.page.redirectStatus, 'Signed in', body)
    return { ...reply, headers: { ...reply.headers, location } }
  }

  const externals = (): StorageAccount[] =>
    choices.page.offersExternalSignIn ? accounts.all().filter(({ password }) => password === undefined) : []

  const common = { baseUrlName: 'webUrl', path: SIGN_IN_PATH, handle: respond }
  return [
    { ...common, name: 'page:signin', method: 'GET' },
    { ...common, name: 'page:signin-form', method: 'POST' },
  ]
}

function readPort(query: URLSearchParams): number | undefined {
  const text = query.get('port') ?? ''
  if (query.get('source') !== SIGN_IN_SOURCE || !/^\d{5}$/.test(text)) return undefined
  const port = Number(text)
  return port >= FIRST_CALLBACK_PORT && port <= LAST_CALLBACK_PORT ? port : undefined
}

function loginForm(externals: readonly StorageAccount[], problem = '', email = ''): string {
  const alert = problem === '' ? '' : html`<p role="alert">${problem}</p>`
  const login = html`<form method="post">
    <p>
      <label for="email">Email</label><br />
      <input id="email" name="email" type="email" autocomplete="username" value="${email}" required />
    </p>
    <p>
      <label for="password">Password</label><br />
      <input id="password" name="password" type="password" autocomplete="current-password" required />
    </p>
    <p><button>Sign in</button></p>
  </form>`
  if (externals.length === 0) return alert + login
  const buttons = externals.map(
    (account) =>
      html`<p><button name="external" value="${account.email}">Continue as ${account.email}</button></p>`,
  )
  const external = `<form method="post"><fieldset><legend>Accounts without a password</legend>${buttons.join('')}</fieldset></form>`
  return alert + login + external
}

function page(status: number, title: string, body: string): Reply {
  const reply = htmlReply(status, title, body)
  return {
    ...reply,
    // The redirect's URL contains an exchange code, which must not get into a cache or a `Referer` header.
    headers: { ...reply.headers, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  }
}
