#!/usr/bin/env node
import { CommanderError } from 'commander'

import { isWellEnded, loadChoices, readArguments, type CliOptions } from './cli-options.ts'
import { EmulatorOptionsError } from './core/errors.ts'
import { createEmulator } from './emulator.ts'

const USAGE_ERROR = 2

async function run(options: CliOptions): Promise<void> {
  const choices = options.choices === undefined ? {} : await loadChoices(options.choices)
  const emulator = await createEmulator({
    control: options.control,
    log: (level, message) => process.stderr.write(`${level}: ${message}\n`),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    extraction: {
      allowHttpWebhooks: options.allowHttpWebhooks,
      ...(choices.extraction ? { choices: choices.extraction } : {}),
      ...(options.plan === undefined ? {} : { plan: options.plan }),
      ...(options.apiKey === undefined ? {} : { apiKeys: [options.apiKey] }),
    },
  })
  const served = await emulator.serve({ host: options.host, ports: options.ports })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void emulator.close().finally(() => process.exit(0)))
  process.stdout.write(options.json ? toJson(served.extraction) : toTable(served.extraction, options))
}

interface Served {
  url: string
  apiKey: string
}

function toJson(extraction: Served): string {
  return `${JSON.stringify({ pid: process.pid, extraction })}\n`
}

function toTable(extraction: Served, { control }: CliOptions): string {
  const rows = [
    ['Service', 'Address', 'API key'],
    ['extraction', extraction.url, extraction.apiKey],
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  )
  const hint = control ? `\nThe control interface is at ${extraction.url}/_control/state\n` : ''
  return `${lines.join('\n')}\n${hint}\nStop with Ctrl+C.\n`
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
  process.exitCode = isWellEnded(error) ? 0 : USAGE_ERROR
}
