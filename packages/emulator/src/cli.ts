#!/usr/bin/env node
import { defined } from './core/json.ts'
import { CommanderError } from 'commander'

import { listChoices, showChoices } from './cli-choices.ts'
import { isSuccessfulExit, loadChoices, readArguments, type CliOptions } from './cli-options.ts'
import { showTable } from './cli-table.ts'
import { EmulatorOptionsError } from './core/errors.ts'
import { createEmulator, type EmulatorOptions } from './emulator.ts'
import { SERVICE_NAMES, type ServiceName } from './services.ts'

const USAGE_ERROR = 2

async function run(options: CliOptions): Promise<void> {
  if (options.choices === true) {
    const choices = listChoices(options.services)
    process.stdout.write(options.json ? `${JSON.stringify(choices)}\n` : showChoices(choices))
    return
  }
  const emulator = await createEmulator(await toEmulatorOptions(options))
  const services = options.services ?? SERVICE_NAMES
  const served = await emulator.serve({ host: options.host, ports: options.ports, services })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void emulator.close().finally(() => process.exit(0)))
  const entries = services.map((name) => [name, served[name]] as const)
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ pid: process.pid, ...Object.fromEntries(entries) })}\n`
      : showTable(entries, options.control),
  )
}

async function toEmulatorOptions(options: CliOptions): Promise<EmulatorOptions> {
  const choices = typeof options.choices !== 'string' ? {} : await loadChoices(options.choices)
  const own = (name: ServiceName): object => defined({ ...options.set?.[name], choices: choices[name] })
  const { plan, apiKey } = options
  return {
    ...Object.fromEntries((options.services ?? SERVICE_NAMES).map((name) => [name, own(name)])),
    control: options.control,
    cors: options.cors ?? false,
    log: (level, message) => process.stderr.write(`${level}: ${message}\n`),
    ...defined({ seed: options.seed }),
    extraction: {
      ...own('extraction'),
      allowHttpWebhooks: options.allowHttpWebhooks,
      ...defined({ plan, apiKeys: apiKey === undefined ? undefined : [apiKey] }),
    },
  }
}

try {
  const write = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  }
  await run(readArguments(process.argv.slice(2), write))
} catch (error) {
  if (!(error instanceof CommanderError) && !(error instanceof EmulatorOptionsError)) throw error
  if (error instanceof EmulatorOptionsError) process.stderr.write(`error: ${error.message}\n`)
  process.exitCode = isSuccessfulExit(error) ? 0 : USAGE_ERROR
}
