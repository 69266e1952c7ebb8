import { Command } from 'commander'
import { loadSpec, shownSource } from '@concord/spec-model'

import { junit, type JunitCase } from '../coverage/junit.ts'
import { readHar } from '../recorded/har.ts'
import { judgeHar, judgeSocketHar, type JudgedEntry } from '../recorded/judge-har.ts'
import { socketSpecOf } from '../socket/socket-spec.ts'
import { ALLOW_HOST, hostsOf, isAsyncApi, SPEC_HELP } from './options.ts'
import { writeOut } from './files.ts'
import { exitCodes, type Done, type CliContext } from './cli-context.ts'

interface CheckFlags {
  readonly spec: string
  /** True if the option has no value. Then only WebSockets are checked. */
  readonly sockets?: boolean | string
  readonly allowHost?: readonly string[]
  readonly baseUrl?: string
  readonly json?: boolean
  readonly junit?: string
}

export function checkCommand({ out }: CliContext, done: Done): Command {
  return new Command('check')
    .description('Checks recorded requests, responses and messages against the contract.')
    .argument('<file>', 'a HAR file, written by `proxy --har` or by a browser')
    .requiredOption('--spec <file or name>', SPEC_HELP)
    .option(
      '--sockets [file or name]',
      'also check the WebSockets in the recording against this AsyncAPI file or service in @concord/specs. Without a value, check only WebSockets, against --spec',
    )
    .option(...ALLOW_HOST)
    .option('--base-url <url>', 'the URL of the service (default: the URL in the recording)')
    .option('--json', 'print JSON instead of text')
    .option('--junit <file>', 'also write JUnit XML to this file')
    .addHelpText(
      'after',
      '\nExits with 1 if an entry of the recording violates the contract, or if no entry belongs to the contract.',
    )
    .action(async (file: string, flags: CheckFlags) => {
      const har = readHar(file)
      const { spec, sockets = isAsyncApi(spec), baseUrl } = flags
      const hosts = hostsOf(flags)
      const channels = sockets === true ? spec : sockets
      const recordings = [
        ...(sockets === true ? [] : [judgeHar(await loadSpec(spec, hosts), har, baseUrl)]),
        ...(channels === false ? [] : [judgeSocketHar(await socketSpecOf(channels, hosts), har, baseUrl)]),
      ]
      const judged = recordings.flat().toSorted((one, other) => one.entry - other.entry)
      const ignored = har.log.entries.length - judged.length
      const broken = judged.filter(({ findings }) => findings.length > 0).length
      const passed = broken === 0 && judged.length > 0
      if (flags.json) out(`${JSON.stringify({ passed, judged, ignored }, null, 2)}\n`)
      else {
        for (const one of judged) out(lineOf(one))
        out(`${judged.length} checked, ${broken} violated the contract; ${ignored} not in the contract\n`)
        if (judged.length === 0)
          out('failed: nothing in the recording belongs to the contract; check --base-url\n')
      }
      if (flags.junit !== undefined) await writeOut(flags.junit, junitOf(shownSource(flags.spec), judged))
      done(passed ? exitCodes.passed : exitCodes.broken)
    })
}

function lineOf({ entry, operation, method, path, status, findings }: JudgedEntry): string {
  const mark = findings.length > 0 ? 'BROKEN' : 'ok    '
  const lines = findings.map(({ at, message }) => `         ${at}: ${message}\n`)
  return `${mark} #${entry} ${method} ${path} ${status}${operation === undefined ? '' : ` (${operation})`}\n${lines.join('')}`
}

function junitOf(service: string, judged: readonly JudgedEntry[]): string {
  const cases = judged.map(({ entry, operation, method, path, status, findings }): JunitCase => {
    const lines = findings.map(({ at, message }) => `${at}: ${message}`)
    const [message] = lines
    return {
      classname: `check.${operation ?? 'unknown'}`,
      name: `#${entry} ${method} ${path} ${status}`,
      ...(message !== undefined && { failure: { message, text: lines.join('\n') } }),
    }
  })
  const message = 'nothing in the recording belongs to the contract'
  const none = {
    classname: 'check',
    name: 'at least one entry belongs to the contract',
    failure: { message, text: message },
  }
  return junit(`check ${service}`, [['recording', cases.length > 0 ? cases : [none]]])
}
