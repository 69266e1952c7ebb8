import { Command } from 'commander'
import { loadSocketSpec } from '@concord/spec-model'

import { playSocketClient } from '../socket/serve/socket-player.ts'
import { pairs, positive } from './options.ts'
import { watcher } from './serve-commands.ts'
import { exitCodes, type Done, type Surroundings } from './surroundings.ts'
import { credentialsFrom } from './verify-command.ts'

interface PlayFlags {
  readonly spec: string
  readonly baseUrl: string
  readonly server?: Readonly<Record<string, string>>
  readonly channel?: readonly string[]
  readonly apiKeyEnv?: readonly string[]
  readonly listenMs: number
  readonly json?: boolean
}

/** `play`: plays the client of every WebSocket channel of a contract. */
export function playCommand(surroundings: Surroundings, done: Done): Command {
  const { out, env } = surroundings
  return new Command('play')
    .description(
      'Plays the client of every WebSocket channel of a contract, with its examples, and judges what the service says.',
    )
    .requiredOption('--spec <file or name>', 'an AsyncAPI 3.0 file, or a service of @concord/specs')
    .requiredOption('--base-url <url>', 'where the service is')
    .option(
      '--server <template=url>',
      'the address of a further server of the contract',
      pairs('template=url'),
    )
    .option('--channel <name...>', 'only these channels')
    .option(
      '--api-key-env <[scheme=]name>',
      'the environment variable that holds a credential; the scheme is needed where the contract has several',
      (text: string, known: readonly string[] = []) => [...known, text],
    )
    .option('--listen-ms <number>', 'how long to listen after the last message', positive, 1000)
    .option('--json', 'one line of JSON for each event')
    .action(async (flags: PlayFlags) => {
      const spec = await loadSocketSpec(flags.spec)
      const watch = watcher(flags, surroundings)
      const servers = Object.fromEntries(
        spec.channels.map((one) => [one.server, flags.server?.[one.server] ?? flags.baseUrl]),
      )
      const played = await playSocketClient({
        spec,
        upstream: servers,
        credentials: credentialsFrom(spec, flags.apiKeyEnv ?? [], env),
        listenMs: flags.listenMs,
        onEvent: watch.heard,
        ...(flags.channel ? { channels: flags.channel } : {}),
      })
      for (const { channel, received, findings } of flags.json ? [] : played)
        out(`${channel}: received ${received.join(', ') || 'nothing'}; ${findings.length} findings\n`)
      done(played.some((one) => one.findings.length > 0) ? exitCodes.broken : exitCodes.passed)
    })
}
