import {
  createEmulator,
  frozenClock,
  type Emulator,
  type EmulatorOptions,
  type StorageAuthControl,
  type StorageAuthOptions,
  type StorageAuthState,
} from '../../src/index.ts'
import { requestInit } from './request-init.ts'

export const KIM = { email: 'kim@mail.example', password: 'a right password', name: 'Kim Berg' }
export const OLA = { email: 'ola@mail.example', name: 'Ola Lind', organizationId: 'org-south' }
export const MAX = { email: 'max@mail.example', password: 'another password' }

export interface TestTokens {
  access_token: string
  refresh_token: string
  expires_in: number
  user: Record<string, unknown>
}

export interface StorageResponse {
  status: number
  /** The parsed JSON, a string if it isn't JSON, or undefined without a body. */
  body: unknown
  headers: Headers
}

export interface TestStorage extends AsyncDisposable {
  emulator: Emulator
  control: StorageAuthControl
  readonly state: StorageAuthState
  /** Sends a request; an object is sent as JSON. */
  call(
    url: string,
    more?: { method?: string; json?: unknown; headers?: Record<string, string> },
  ): Promise<StorageResponse>
  login(email?: string, password?: string): Promise<StorageResponse>
  refresh(refreshToken: string): Promise<StorageResponse>
  exchange(code: string): Promise<StorageResponse>
  /** Signs in as Kim, and expects that to succeed. */
  tokens(): Promise<TestTokens>
  /** Calls the data endpoints with an access token. */
  keys(
    token: string,
    path?: string,
    more?: { method?: string; json?: unknown; headers?: Record<string, string> },
  ): Promise<StorageResponse>
  /** Calls the sample endpoint, which returns the credential that it accepted. */
  whoami(headers: Record<string, string>, query?: string): Promise<StorageResponse>
  /** Submits the form of the sign-in page. */
  page(query: string, form?: Record<string, string>): Promise<StorageResponse>
}

/** The storage authentication service with a frozen clock, and the accounts Kim, Ola (without a password) and Max. */
export async function startStorage(
  options: StorageAuthOptions = {},
  more: EmulatorOptions = {},
): Promise<TestStorage> {
  const emulator = await createEmulator({
    clock: frozenClock(),
    seed: 'storage',
    ...more,
    storageAuth: { accounts: [KIM, OLA, MAX], ...options },
  })
  const { authUrl, dataUrl, webUrl, control, fetch } = emulator.storageAuth

  const call: TestStorage['call'] = async (url, { method = 'GET', ...parts } = {}) =>
    resultOf(await fetch(url, requestInit({ method, ...parts })))
  const post = (path: string, json: unknown) => call(`${authUrl}${path}`, { method: 'POST', json })
  const login: TestStorage['login'] = (email = KIM.email, password = KIM.password) =>
    post('/auth/token', { email, password })

  return {
    emulator,
    control,
    get state() {
      return emulator.storageAuth.state
    },
    call,
    login,
    refresh: (refresh_token) => post('/auth/token/refresh', { refresh_token }),
    exchange: (code) => post('/auth/token/exchange', { code }),
    async tokens() {
      const { status, body } = await login()
      if (status !== 200) throw new Error(`the login got a ${status}`)
      return body as TestTokens
    },
    keys: (token, path = '', { headers = {}, ...rest } = {}) =>
      call(`${dataUrl}/v1/api-keys${path}`, {
        ...rest,
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    whoami: (headers, query = '') => call(`${dataUrl}/v1/_emulator/whoami${query}`, { headers }),
    async page(query, form) {
      const url = `${webUrl}/auth/signin${query}`
      return resultOf(
        await (form ? fetch(url, { method: 'POST', body: new URLSearchParams(form) }) : fetch(url)),
      )
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

async function resultOf(response: Response): Promise<StorageResponse> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text
  return { status: response.status, body, headers: response.headers }
}
