import { onTestFinished } from 'vitest'

import { readChannels } from '../../src/core/channels.ts'
import type { Fault } from '../../src/core/faults.ts'
import { memorySockets } from '../../src/core/memory-socket.ts'
import { serveOverHttp } from '../../src/core/node-server.ts'
import { jsonReply } from '../../src/core/reply.ts'
import type { SocketService } from '../../src/core/socket-service.ts'
import { startService } from './small-service.ts'
import { inProcess, overNetwork } from './sockets.ts'

/** A minimal service with all features of channels. */
const market = {
  asyncapi: '3.0.0',
  servers: {
    main: { host: '{api_url}', protocol: 'wss', security: [{ $ref: '#/components/securitySchemes/key' }] },
  },
  channels: {
    prices: {
      address: '/prices',
      'x-socket-rules': {
        keepAlive: { message: 'ping', payload: { type: 'ping' }, minIntervalMs: 1, maxIntervalMs: 2 },
        idleCloseMs: 10_000,
        emptyBinaryCloses: true,
      },
      messages: {
        subscribe: { payload: { $ref: './shared.yaml#/Subscribe' } },
        ping: { payload: { type: 'object', required: ['type'], properties: { type: { const: 'ping' } } } },
        raw: { contentType: 'application/octet-stream' },
        price: {
          payload: { type: 'object', required: ['price'], properties: { price: { type: 'number' } } },
        },
      },
      bindings: {
        ws: {
          query: {
            type: 'object',
            required: ['depth'],
            properties: { depth: { type: 'integer' }, of: { type: ['array', 'string'] } },
          },
        },
      },
    },
  },
  operations: {
    hear: {
      action: 'receive',
      channel: { $ref: '#/channels/prices' },
      messages: ['subscribe', 'ping', 'raw'].map((key) => ({ $ref: `#/channels/prices/messages/${key}` })),
    },
    tell: {
      action: 'send',
      channel: { $ref: '#/channels/prices' },
      messages: ['price', 'raw'].map((key) => ({ $ref: `#/channels/prices/messages/${key}` })),
    },
  },
  components: { securitySchemes: { key: { type: 'httpApiKey', in: 'header', name: 'X-Key' } } },
}
const shared = {
  Subscribe: {
    type: 'object',
    required: ['type', 'symbol'],
    properties: { type: { const: 'subscribe' }, symbol: { type: 'string' } },
  },
}

export interface Setup {
  random?: () => number
  handlers?: SocketService<string>['handlers']
  messageLimitBytes?: number
}

export async function startMarket({
  handlers,
  messageLimitBytes = 1_000_000,
  random = () => 0.5,
}: Setup = {}) {
  const seen: unknown[] = []
  let open = 0
  const sockets: SocketService<string> = {
    specification: readChannels(market, '/market.yaml', () => shared),
    handlers: handlers ?? {
      prices(connection) {
        return {
          message(key, payload) {
            seen.push([key, payload])
            if (key === 'subscribe') connection.send('price', { price: 5 })
            if (key === 'raw') connection.send('raw', payload)
          },
          rejected: (mismatches) => seen.push(mismatches),
          closed: () => seen.push('closed'),
        }
      },
    },
    admit() {
      if (open >= 2) return jsonReply(429, { detail: 'too many' }, { 'x-open': String(open) })
      open++
      return () => void open--
    },
    deny: (denial) =>
      jsonReply(denial.kind === 'query-rejected' ? 400 : 401, {
        kind: denial.kind,
        ...('mismatches' in denial ? { mismatches: denial.mismatches } : {}),
      }),
    closeFor: (cause) => ({ code: 4000, reason: cause }),
    messageLimitBytes,
  }
  const service = startService(
    { openapi: '3.1.0' },
    {
      name: 'market',
      deny: ({ kind }) => jsonReply(kind === 'server-error' ? 500 : 404, { kind }),
      responseHeaders: () => ({ 'x-emulator': 'market' }),
      sockets,
    },
    { apiUrl: '/api' },
    random,
  )
  const { app, closer } = service
  if (!app.sockets) throw new Error('This emulator has no sockets.')
  const factory = memorySockets(app.sockets)
  const server = await serveOverHttp(app, '127.0.0.1', 0)
  onTestFinished(async () => {
    closer.abort(new DOMException('closed', 'AbortError'))
    await server.close()
  })
  const ways = {
    'in process': (path: string, headers: Record<string, string>) =>
      inProcess(factory)(`ws://market.invalid/api${path}`, headers),
    'over the network': (path: string, headers: Record<string, string>) =>
      overNetwork(`${server.url}/api${path}`, headers),
  }
  return {
    ...service,
    seen,
    openCount: () => open,
    factory,
    async connect(way: Way, path = '/prices?depth=5', headers: Record<string, string> = { 'x-key': 'good' }) {
      const socket = ways[way](path, headers)
      await socket.settled
      return socket
    },
  }
}

/** Starts the service, with a fault if one is given, and opens a WebSocket. */
export async function openMarket(way: Way, setup: Setup = {}, fault?: Fault) {
  const service = await startMarket(setup)
  if (fault) service.faults.add(fault)
  return { ...service, socket: await service.connect(way) }
}

type Way = 'in process' | 'over the network'
export const ways: Way[] = ['in process', 'over the network']
