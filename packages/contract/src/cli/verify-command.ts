import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

import { Command } from 'commander'
import { ContractError, loadSocketSpec, loadSpec, type Spec } from '@concord/spec-model'

import type { Credentials } from '../oracle/security.ts'
import { typeOfFile } from '../suite/inputs.ts'
import { verifyPage } from '../verify/html.ts'
import { verifyJunit, verifyText } from '../verify/output.ts'
import type { VerifyReport } from '../verify/report.ts'
import { verify } from '../verify/verify.ts'
import { verifySockets } from '../verify/verify-sockets.ts'
import { ALLOW_HOST, hostsOf, isAsyncApi, pairs, positive, SPEC_HELP } from './options.ts'
import { writeOut } from './output.ts'
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

/** `verify`: asks a live service. */
export function verifyCommand({ env, out }: CliContext, done: Done): Command {
  return new Command('verify')
    .description('Asks a live or staged service, by safe requests, whether it keeps to the contract.')
    .requiredOption('--spec <file or name>', SPEC_HELP)
    .option(
      '--sockets',
      'the WebSocket channels of a service of @concord/specs instead of its HTTP operations',
    )
    .option(...ALLOW_HOST)
    .requiredOption('--base-url <url>', 'where the service is; it may have a path')
    .option(
      '--server <template=url>',
      'the address of a further server of the contract',
      pairs('template=url'),
    )
    .option(
      '--api-key-env <[scheme=]name>',
      'the environment variable that holds a credential; the scheme is needed where the contract has several',
      (text: string, known: readonly string[] = []) => [...known, text],
    )
    .option(
      '--param <name=value>',
      'the value of a parameter, such as --param job_id=... or --param getJob.job_id=...',
      pairs('name=value'),
    )
    .option('--file <part=path>', 'the file for a form part, with --allow', pairs('part=path'))
    .option(
      '--allow <name...>',
      'also calls these operations, once each, although they may submit or change something; with --sockets, also sends these messages',
    )
    .option(
      '--listen-ms <number>',
      'how long to listen on a WebSocket after each message (default: 1000)',
      positive,
    )
    .option('--timeout-ms <number>', 'milliseconds for one request (default: 10000)', positive)
    .option('--requests-per-minute <number>', 'no more than this', positive)
    .option(
      '--min-coverage <percent>',
      'fail unless this percentage of operations or channels answers with a success',
      positive,
    )
    .option('--strict', 'fail when anything is not run or shows nothing')
    .option('--json', 'JSON instead of text')
    .option('--junit <file>', 'also writes JUnit XML')
    .option('--html <file>', 'also writes a page')
    .addHelpText(
      'after',
      '\nExample:\n  STAGING_KEY=... concord-contract verify --spec openapi.yaml --base-url https://staging.example/v2 --api-key-env STAGING_KEY --param job_id=42\n\nOnly operations that read are called, and WebSockets are only listened to, unless --allow names more. Keys are read from the environment and never shown.',
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
  const { requestsPerMinute } = flags
  return verify({
    spec,
    ...shared(flags, spec, env),
    files: await filesFrom(flags.file ?? {}),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
  })
}

async function ofSockets(flags: VerifyFlags, env: CliContext['env']): Promise<VerifyReport> {
  const spec = await loadSocketSpec(flags.spec, hostsOf(flags))
  const { listenMs } = flags
  return verifySockets({ spec, ...shared(flags, spec, env), ...(listenMs === undefined ? {} : { listenMs }) })
}

function shared(flags: VerifyFlags, spec: Pick<Spec, 'securitySchemes'>, env: CliContext['env']) {
  const { baseUrl, server, param, allow, timeoutMs, minCoverage, strict } = flags
  return {
    baseUrl,
    credentials: credentialsFrom(spec, flags.apiKeyEnv ?? [], env),
    ...(server ? { servers: server } : {}),
    ...(param ? { params: param } : {}),
    ...(allow ? { allow } : {}),
    ...(minCoverage === undefined ? {} : { minCoverage }),
    ...(strict ? { strict } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

/** Reads the credentials that options name from the environment. @throws ContractError when one is not set. */
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
      throw new ContractError(
        'invalid-options',
        `--api-key-env ${name} does not say for which scheme it is.`,
        `Write it as ${schemes.map((one) => `${one}=${name}`).join(' or ')}.`,
      )
    }
    const secret = env[name]
    if (secret === undefined || secret === '') {
      throw new ContractError(
        'invalid-options',
        `The environment variable ${name} is not set.`,
        'Set it to the key, or name another one. The key itself does not belong on the command line.',
      )
    }
    credentials[scheme] = secret
  }
  return credentials
}

async function filesFrom(paths: Readonly<Record<string, string>>): Promise<Record<string, File>> {
  const files: Record<string, File> = {}
  for (const [part, path] of Object.entries(paths)) {
    try {
      const type = typeOfFile(path)
      files[part] = new File([await readFile(path)], basename(path), type === undefined ? {} : { type })
    } catch (cause) {
      throw new ContractError(
        'invalid-options',
        `${path} could not be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
        'Pass the path of a file.',
        { cause },
      )
    }
  }
  return files
}
