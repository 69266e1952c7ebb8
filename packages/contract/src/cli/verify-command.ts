import { basename } from 'node:path'

import { Command } from 'commander'
import { invalidOptions, loadSpec, type Spec } from '@concord/spec-model'

import type { Credentials } from '../oracle/security.ts'
import { typeOfFile } from '../suite/inputs.ts'
import { verifyPage } from '../verify/html.ts'
import { verifyJunit, verifyText } from '../verify/output.ts'
import type { VerifyReport } from '../verify/report.ts'
import { verify } from '../verify/verify.ts'
import { verifySockets } from '../verify/verify-sockets.ts'
import { socketSpecOf } from '../socket/socket-spec.ts'
import { ALLOW_HOST, hostsOf, isAsyncApi, pairs, percentage, positive, SPEC_HELP } from './options.ts'
import { readInput, writeOut } from './files.ts'
import { exitCodes, type Done, type CliContext } from './cli-context.ts'

interface VerifyFlags {
  readonly spec: string
  readonly sockets?: boolean
  readonly allowHost?: readonly string[]
  readonly listenMs?: number
  readonly baseUrl: string
  readonly server?: Readonly<Record<string, string>>
  readonly apiKeyEnv?: readonly string[]
  readonly param?: Readonly<Record<string, string>>
  readonly file?: Readonly<Record<string, string>>
  readonly allow?: readonly string[]
  readonly timeoutMs?: number
  readonly requestsPerMinute?: number
  readonly minCoverage?: number
  readonly strict?: boolean
  readonly json?: boolean
  readonly html?: string
  readonly junit?: string
}

export function verifyCommand({ env, out }: CliContext, done: Done): Command {
  return new Command('verify')
    .description('Uses safe requests to test whether a live or staging service conforms to the contract.')
    .requiredOption('--spec <file or name>', SPEC_HELP)
    .option(
      '--sockets',
      'if --spec names a service in @concord/specs, verify its WebSocket channels instead of its HTTP operations',
    )
    .option(...ALLOW_HOST)
    .requiredOption('--base-url <url>', 'the URL of the service, which can include a path')
    .option(
      '--server <template=url>',
      "the URL of another server, if the contract has several; <template> is the server's URL as written in the contract (for channels, the server's host and path); repeatable",
      pairs('template=url'),
    )
    .option(
      '--api-key-env <[scheme=]name>',
      'the environment variable that holds a credential; if the contract has several security schemes, also name the scheme; repeatable',
      (text: string, known: readonly string[] = []) => [...known, text],
    )
    .option(
      '--param <name=value>',
      'the value of a parameter, such as --param job_id=... or --param getJob.job_id=...; repeatable',
      pairs('name=value'),
    )
    .option(
      '--file <part=path>',
      'the name of a form part, and the path of the file to send as this part; used for operations passed to --allow; repeatable',
      pairs('part=path'),
    )
    .option(
      '--allow <name...>',
      "operations to call even though they may submit or change something; with --sockets, messages to send. Each operation is called once, with the credential, and with the contract's example values or generated values",
    )
    .option(
      '--listen-ms <number>',
      'how many milliseconds to listen on a WebSocket after each message (default: 1000)',
      positive,
    )
    .option('--timeout-ms <number>', 'the time limit of each request (default: 10000)', positive)
    .option('--requests-per-minute <number>', 'the maximum number of HTTP requests per minute', positive)
    .option(
      '--min-coverage <percent>',
      'the minimum percentage of operations that must succeed; with --sockets, the minimum percentage of channels on which the service must send a documented message',
      percentage,
    )
    .option(
      '--strict',
      'also fail if a check was not run, or has the verdict "nothing shown" (the response violates nothing, but does not prove that the service conforms)',
    )
    .option('--json', 'print JSON instead of text')
    .option('--junit <file>', 'also write JUnit XML to this file')
    .option('--html <file>', 'also write an HTML page to this file')
    .addHelpText(
      'after',
      '\nExample:\n  STAGING_KEY=... concord-contract verify --spec openapi.yaml --base-url https://staging.example/v2 --api-key-env STAGING_KEY --param job_id=42\n\nBy default, verify calls only operations that read, and sends nothing on WebSockets. --allow permits more. Keys are read from the environment and never printed.',
    )
    .action(async (flags: VerifyFlags) => {
      const { sockets = isAsyncApi(flags.spec) } = flags
      const report = sockets ? await ofSockets(flags, env) : await ofOperations(flags, env)
      out(flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${verifyText(report)}\n`)
      if (flags.junit !== undefined) await writeOut(flags.junit, verifyJunit(report))
      if (flags.html !== undefined) await writeOut(flags.html, verifyPage(report))
      done(report.passed ? exitCodes.passed : exitCodes.broken)
    })
}

async function ofOperations(flags: VerifyFlags, env: CliContext['env']): Promise<VerifyReport> {
  const spec = await loadSpec(flags.spec, hostsOf(flags))
  return verify({ ...shared(flags, spec, env), spec, files: await filesFrom(flags.file ?? {}) })
}

async function ofSockets(flags: VerifyFlags, env: CliContext['env']): Promise<VerifyReport> {
  const spec = await socketSpecOf(flags.spec, hostsOf(flags))
  return verifySockets({ ...shared(flags, spec, env), spec })
}

function shared(flags: VerifyFlags, spec: Pick<Spec, 'securitySchemes'>, env: CliContext['env']) {
  const { server: servers = {}, param: params = {}, apiKeyEnv = [] } = flags
  return { ...flags, servers, params, credentials: credentialsFrom(spec, apiKeyEnv, env) }
}

function credentialsFrom(
  spec: Pick<Spec, 'securitySchemes'>,
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  const schemes = Object.keys(spec.securitySchemes)
  const credentials: Record<string, string> = {}
  for (const text of given) {
    const equals = text.indexOf('=')
    const scheme = equals < 0 ? (schemes.length === 1 ? schemes[0] : undefined) : text.slice(0, equals)
    const name = text.slice(equals + 1)
    if (scheme === undefined) {
      throw schemes.length === 0
        ? invalidOptions('The contract has no security scheme.', `Leave out \`--api-key-env ${name}\`.`)
        : invalidOptions(
            `The contract has several security schemes, and \`--api-key-env ${name}\` doesn't say which one to use.`,
            `Name the scheme: ${schemes.map((one) => `\`--api-key-env ${one}=${name}\``).join(' or ')}.`,
          )
    }
    const secret = env[name]
    if (secret === undefined || secret === '') {
      throw invalidOptions(
        `The environment variable \`${name}\` is not set, or is empty.`,
        'Set the variable to the key, or name another variable. Do not pass the key itself on the command line.',
      )
    }
    credentials[scheme] = secret
  }
  return credentials
}

async function filesFrom(paths: Readonly<Record<string, string>>): Promise<Record<string, File>> {
  const files: Record<string, File> = {}
  for (const [part, path] of Object.entries(paths)) {
    const type = typeOfFile(path)
    const bytes = await readInput(path, 'Pass the path of a file.')
    files[part] = new File([bytes], basename(path), type === undefined ? {} : { type })
  }
  return files
}
