import {
  DownloadError,
  OptionsError,
  readText,
  type Client,
  type OperationDescriptor,
} from '@concord/runtime'
import { parseBaseUrl } from '@concord/runtime/internal'

import type { TextOptions } from './jobs.ts'

/** Sends the API key only if `withKey` is set and `url` is under `baseUrl`. */
export async function readJobText(
  client: Client,
  baseUrl: string,
  url: string,
  { withKey, ...reading }: TextOptions,
): Promise<string> {
  if (withKey !== true) return readText(client, url, reading)
  const { signal, maxBytes = Infinity } = reading
  const operation: OperationDescriptor<object, string> = {
    id: 'text_url',
    method: 'GET',
    path: pathBelow(baseUrl, url),
    server: 'baseUrl',
    security: ['apiKey'],
    parameters: [],
    responses: { 200: { kind: 'text', openStatus: true } },
    retry: { class: 'safe' },
    secrets: [],
  }
  const text = await client.send(operation, {}, signal === undefined ? {} : { signal })
  const bytesSoFar = new TextEncoder().encode(text).length
  if (bytesSoFar <= maxBytes) return text
  throw new DownloadError(
    `The text has ${bytesSoFar} bytes, but \`maxBytes\` allows ${maxBytes}. Pass a larger \`maxBytes\`.`,
    { failure: 'too-large', bytesSoFar },
  )
}

function pathBelow(baseUrl: string, textUrl: string): string {
  const { origin, prefix } = parseBaseUrl(baseUrl, 'baseUrl')
  const url = URL.parse(textUrl)
  if (url?.origin === origin && url.pathname.startsWith(`${prefix}/`) && url.username + url.password === '')
    return url.pathname.slice(prefix.length) + url.search
  throw new OptionsError(
    'withKey',
    'is set, but the URL of the text is not under `baseUrl`. Nothing was sent.',
    'Omit `withKey`, or fetch `result.text_url` yourself.',
  )
}
