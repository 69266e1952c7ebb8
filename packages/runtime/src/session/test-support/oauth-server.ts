import { json } from '../../http/test-support/fixtures.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'

export const flow = {
  authorizationUrl: 'https://id.test/authorize?tenant=a',
  deviceAuthorizationUrl: 'https://id.test/device',
  tokenUrl: 'https://id.test/token?tenant=a',
  refreshUrl: 'https://id.test/refresh',
  scopes: { read: 'Reads.', write: 'Writes.' },
} as const

export type Reply = (form: Record<string, string>, path: string) => Response

/** An authorization server that sends these responses in order, and then repeats the last one. */
export function server(...responses: readonly Reply[]) {
  const seen: { path: string; authorization: string | null; form: Record<string, string> }[] = []
  const clock = virtualClock()
  const transport = memoryTransport(async (request) => {
    const { pathname, search } = new URL(request.url)
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    seen.push({ path: pathname + search, authorization: request.headers.get('authorization'), form })
    return (responses[seen.length - 1] ?? responses.at(-1))!(form, pathname)
  })
  return { seen, clock, options: { clientId: 'my app', clientSecret: 'client:secret', transport, clock } }
}

/** The response to a request for a device code. */
export const deviceCode: Reply = () =>
  json({
    device_code: 'device-secret',
    user_code: 'AB-12',
    verification_uri: 'https://id.test/go',
    expires_in: 900,
  })

export const tokens =
  (accessToken: string, more: object = {}): Reply =>
  () =>
    json({ access_token: accessToken, token_type: 'bearer', expires_in: 3600, ...more })
export const denial =
  (error: string, status = 400): Reply =>
  () =>
    json({ error, error_description: 'No.' }, { status })
