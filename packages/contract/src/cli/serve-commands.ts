import { counted } from '../http/exchange.ts'
import { Command } from 'commander'
import { loadSpec, shownSource } from '@concord/spec-model'

import type { ListeningServer } from '../http/listen.ts'
import { serveMock, serveProxy } from '../http/serve.ts'
import type { SeenExchange } from '../http/serve-requests.ts'
import { serveSocketMock } from '../socket/serve/socket-mock.ts'
import { serveSocketProxy } from '../socket/serve/socket-proxy.ts'
import type { SeenSocketEvent } from '../socket/serve/seen.ts'
import { transcriptLine } from '../socket/serve/transcript.ts'
import { HarRecorder } from '../recorded/recorder.ts'
import { serveReplay } from '../recorded/replay.ts'
import { socketSpecOf } from '../socket/socket-spec.ts'
import { ALLOW_HOST, hostsOf, isAsyncApi, port, SPEC_HELP } from './options.ts'
import { checkWritable, writeOut } from './files.ts'
import { exitCodes, type Done, type CliContext } from './cli-context.ts'

interface ServeFlags {
  readonly spec: string
  readonly port: number
  readonly host: string
  readonly json?: boolean
  /** True if the option has no value. Then only channels are served. */
  readonly sockets?: boolean | string
  readonly allowHost?: readonly string[]
}

export function mockCommand(context: CliContext, done: Done): Command {
  return serving(new Command('mock'), '4010')
    .description(
      'Serves a mock that responds with examples from the contract. To select another response, send a Prefer header.',
    )
    .action(async ({ sockets: given, ...flags }: ServeFlags) => {
      const watch = watcher(flags, context)
      const sockets = given ?? isAsyncApi(flags.spec)
      const hosts = hostsOf(flags)
      const beside =
        typeof sockets === 'string'
          ? { sockets: await socketSpecOf(sockets, hosts), onEvent: watch.heard }
          : {}
      await using server =
        sockets === true
          ? await serveSocketMock({
              ...flags,
              spec: await socketSpecOf(flags.spec, hosts),
              onEvent: watch.heard,
            })
          : await serveMock({
              ...flags,
              ...beside,
              spec: await loadSpec(flags.spec, hosts),
              onExchange: watch.seen,
            })
      await untilStopped(server, 'mock', { ...flags, sockets }, context)
      done(exitCodes.passed)
    })
}

export function proxyCommand(context: CliContext, done: Done): Command {
  return serving(new Command('proxy'), '4011')
    .description(
      'Forwards everything to a service, byte for byte, and checks both directions against the contract.',
    )
    .requiredOption('--upstream <url>', 'the URL of the service')
    .option(
      '--har <file>',
      'write a recording of all traffic to this file (HAR 1.2), without the values that the contract marks as secret',
    )
    .addHelpText(
      'after',
      '\nStop the proxy with Ctrl-C. It then exits with 1 if a client or the service violated the contract.',
    )
    .action(async (flags: ServeFlags & { upstream: string; har?: string }) => {
      const watch = watcher(flags, context)
      const { har, sockets: given, ...rest } = flags
      const sockets = given ?? isAsyncApi(flags.spec)
      const hosts = hostsOf(flags)
      const beside = typeof sockets === 'string' ? await socketSpecOf(sockets, hosts) : undefined
      const spec =
        sockets === true ? await socketSpecOf(flags.spec, hosts) : await loadSpec(flags.spec, hosts)
      const recorder = har === undefined ? undefined : new HarRecorder(spec, context.version, beside)
      if (har !== undefined) await checkWritable(har)
      const options = { ...rest, ...(recorder && { recorder }), onEvent: watch.heard }
      const server =
        'channels' in spec
          ? await serveSocketProxy({ ...options, spec })
          : await serveProxy({ ...options, spec, ...(beside && { sockets: beside }), onExchange: watch.seen })
      try {
        await untilStopped(server, 'proxy', { ...flags, sockets }, context)
      } finally {
        await server.close()
        if (recorder && har !== undefined) await writeOut(har, `${JSON.stringify(recorder.har(), null, 2)}\n`)
      }
      if (recorder && !flags.json) {
        const more =
          recorder.leftOut > 0
            ? `; ${recorder.leftOut} exchanges or messages were left out, because a recording can't exceed 256 MiB`
            : ''
        context.out(`${counted(recorder.size, 'entry', 'entries')} recorded in ${har}${more}\n`)
      }
      const { exchanges, broken } = watch.counts
      const onSockets = 'handshakes, messages and closes'
      const kinds = beside ? `exchanges, ${onSockets}` : onSockets
      const what =
        beside || sockets ? `${counted(exchanges, 'event')} (${kinds})` : counted(exchanges, 'exchange')
      if (!flags.json) context.out(`${what}; ${broken} violated the contract\n`)
      done(broken > 0 ? exitCodes.broken : exitCodes.passed)
    })
}

export function replayCommand(context: CliContext, done: Done): Command {
  return new Command('replay')
    .description(
      'Replays the HTTP responses and WebSockets of a recording (from `proxy --har` or a browser), without the service.',
    )
    .argument('<file>', 'a HAR file')
    .option(
      '--base-url <url>',
      'the URL of the recorded service; its path is removed from recorded paths: with --base-url https://api.example/v2, the recorded path /v2/jobs is replayed at /jobs',
    )
    .option('--port <number>', 'the port to listen on; 0 for any free port', port, port('4013'))
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--json', 'print one line of JSON for each request')
    .addHelpText(
      'after',
      '\nStop the server with Ctrl-C. It then exits with 1 if a request was not in the recording.',
    )
    .action(async (file: string, flags: ReplayFlags) => {
      let unmatched = 0
      const { json, baseUrl, ...where } = flags
      await using server = await serveReplay({
        har: file,
        ...where,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        onRequest(seen) {
          if (seen.unmatched !== undefined) unmatched += 1
          const { method, path, status, unmatched: why } = seen
          const line = `${why === undefined ? 'ok    ' : 'UNKNOWN'} ${method} ${path} ${status}${why === undefined ? '' : `\n         ${why}`}`
          context.out(`${json ? JSON.stringify(seen) : line}\n`)
        },
      })
      await untilStopped(server, 'replay', { spec: file, ...(json ? { json } : {}) }, context)
      done(unmatched > 0 ? exitCodes.broken : exitCodes.passed)
    })
}

interface ReplayFlags {
  readonly port: number
  readonly host: string
  readonly baseUrl?: string
  readonly json?: boolean
}

function serving(command: Command, defaultPort: string): Command {
  return command
    .requiredOption('--spec <file or name>', SPEC_HELP)
    .option(
      '--sockets [file or name]',
      'also serve the channels of this AsyncAPI file or service in @concord/specs, on the same port. Without a value, serve only the channels of --spec',
    )
    .option(...ALLOW_HOST)
    .option('--port <number>', 'the port to listen on; 0 for any free port', port, port(defaultPort))
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--json', 'print one line of JSON for each exchange')
}

async function untilStopped(
  server: ListeningServer,
  what: string,
  { spec, sockets, json }: Pick<ServeFlags, 'spec' | 'sockets' | 'json'>,
  { out, stopped }: CliContext,
): Promise<void> {
  const stop = stopped()
  const shown = shownSource(spec)
  const beside = typeof sockets === 'string' && sockets !== spec ? shownSource(sockets) : undefined
  out(
    json
      ? `${JSON.stringify({ listening: server.url, spec: shown, sockets: beside })}\n`
      : `${what} of ${shown}${beside === undefined ? '' : ` and ${beside}`} is listening on ${server.url}\n`,
  )
  await stop
}

/** Counts exchanges and WebSocket events, and prints them without their content. */
function watcher(
  { json }: Pick<ServeFlags, 'json'>,
  { out }: CliContext,
): {
  seen: (exchange: SeenExchange) => void
  heard: (event: SeenSocketEvent) => void
  counts: { exchanges: number; broken: number }
} {
  const counts = { exchanges: 0, broken: 0 }
  const note = (one: SeenExchange | SeenSocketEvent, text: string): void => {
    counts.exchanges += 1
    if (one.findings.length > 0) counts.broken += 1
    out(`${json ? JSON.stringify(one) : text}\n`)
  }
  return {
    counts,
    heard: (event) => note(event, transcriptLine(event)),
    seen: (exchange) => note(exchange, exchangeLines(exchange)),
  }
}

function exchangeLines({ method, path, status, findings }: SeenExchange): string {
  const line = `${findings.length > 0 ? 'BROKEN' : 'ok    '} ${method} ${path} ${status}`
  return [line, ...findings.map(({ at, message }) => `         ${at}: ${message}`)].join('\n')
}
