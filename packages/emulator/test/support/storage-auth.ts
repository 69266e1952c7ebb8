import {
  createEmulator,
  frozenClock,
  type EmulatorOptions,
  type StorageAuthOptions,
} from '../../src/index.ts'
import { requestInit, type RequestParts } from './request-init.ts'

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

/** Starts the service with a frozen clock, and the accounts Kim, Ola (without a password) and Max. */
export async function startStorage(options: StorageAuthOptions = {}, more: EmulatorOptions = {}) {
  const emulator = await createEmulator({
    clock: frozenClock(),
    seed: 'storage',
    ...more,
    storageAuth: { accounts: [KIM, OLA, MAX], ...options },
  })
  const { authUrl, dataUrl, webUrl, control, fetch } = emulator.storageAuth

  const call = async (url: string, { method = 'GET', ...parts }: RequestParts = {}) =>
    resultOf(await fetch(url, requestInit({ method, ...parts })))
  const post = (path: string, json: unknown) => call(`${authUrl}${path}`, { method: 'POST', json })
  const login = (email = KIM.email, password = KIM.password) => post('/auth/token', { email, password })

  return {
    emulator,
    control,
    get state() {
      return emulator.storageAuth.state
    },
    call,
    login,
    refresh: (refresh_token: string) => post('/auth/token/refresh', { refresh_token }),
    exchange: (code: string) => post('/auth/token/exchange', { code }),
    /** Signs in as Kim, and expects that to succeed. */
    async tokens() {
      const { status, body } = await login()
      if (status !== 200) throw new Error(`the login got a ${status}`)
      return body as TestTokens
    },
    /** Calls the data endpoints with an access token. */
    keys: (token: string, path = '', { headers = {}, ...rest }: RequestParts = {}) =>
      call(`${dataUrl}/v1/api-keys${path}`, {
        ...rest,
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    /** Calls the sample endpoint, which returns the credential that it accepted. */
    whoami: (headers: Record<string, string>, query = '') =>
      call(`${dataUrl}/v1/_emulator/whoami${query}`, { headers }),
    /** Opens the sign-in page, or submits its form. */
    async page(query: string, form?: Record<string, string>) {
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

export type TestStorage = Awaited<ReturnType<typeof startStorage>>
