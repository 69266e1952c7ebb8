import { counted } from '../http/exchange.ts'
import { Command } from 'commander'
import { invalidOptions, loadSpec } from '@concord/spec-model'

import { htmlPage } from '../coverage/html.ts'
import { junitXml } from '../coverage/junit.ts'
import { columns } from '../coverage/matrix.ts'
import { contractRows, readReport } from '../coverage/read-report.ts'
import { terminalTable } from '../coverage/terminal.ts'
import { socketSpecOf } from '../socket/socket-spec.ts'
import { ALLOW_HOST, hostsOf, isAsyncApi } from './options.ts'
import { readInput, writeOut } from './files.ts'
import { exitCodes, type Done, type CliContext } from './cli-context.ts'

interface CoverageFlags {
  readonly spec: string
  readonly sockets?: string
  readonly allowHost?: readonly string[]
  readonly report?: string
  readonly json?: boolean
  readonly html?: string
  readonly junit?: string
}

export function coverageCommand({ out }: CliContext, done: Done): Command {
  return new Command('coverage')
    .description(
      'Lists the operations, responses and messages in the contract. With --report, shows how much of the contract a test run covered.',
    )
    .requiredOption('--spec <file or name>', 'an OpenAPI or AsyncAPI file, or a service in @concord/specs')
    .option('--sockets <file or name>', 'the AsyncAPI file with the WebSocket channels of the same service')
    .option(...ALLOW_HOST)
    .option('--report <file>', 'the JSON report of a contract suite')
    .option('--json', 'print JSON instead of a table')
    .option('--html <file>', 'also write an HTML page to this file; needs --report')
    .option('--junit <file>', 'also write JUnit XML to this file; needs --report')
    .addHelpText(
      'after',
      "\nWith a report, exits with 1 if anything is missing or failed. Responses that the contract suite lists as unreachable are shown, but don't count as failures.",
    )
    .action(async (flags: CoverageFlags) => {
      const hosts = hostsOf(flags)
      const spec = await (isAsyncApi(flags.spec)
        ? socketSpecOf(flags.spec, hosts)
        : loadSpec(flags.spec, hosts))
      const sockets = flags.sockets === undefined ? undefined : await socketSpecOf(flags.sockets, hosts)
      if (flags.report === undefined) {
        if (flags.html !== undefined || flags.junit !== undefined) {
          throw invalidOptions(
            '`--html` and `--junit` need `--report`.',
            'Add `--report` with the JSON report of a contract suite.',
          )
        }
        const rows = contractRows(spec, sockets)
        if (flags.json) out(`${JSON.stringify(rows, null, 2)}\n`)
        else {
          for (const row of rows) {
            const needed = columns.filter((column) => row.notApplicable[column] === undefined)
            out(`${row.key}: ${needed.join(', ')}\n`)
          }
          out(`${counted(rows.length, 'row')}\n`)
        }
        return
      }
      const text = String(await readInput(flags.report, 'Pass the JSON report that a contract suite wrote.'))
      const report = readReport(spec, text, { file: flags.report, sockets })
      out(flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${terminalTable(report)}\n`)
      if (flags.html !== undefined) await writeOut(flags.html, htmlPage(report))
      if (flags.junit !== undefined) await writeOut(flags.junit, junitXml(report))
      done(report.passed ? exitCodes.passed : exitCodes.broken)
    })
}
