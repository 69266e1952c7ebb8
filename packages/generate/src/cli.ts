#!/usr/bin/env node
import { readFileSync } from 'node:fs'

import { run } from './command/command.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  version,
  print: (text) => void process.stdout.write(`${text}\n`),
  printError: (text) => void process.stderr.write(`${text}\n`),
  stopped() {
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    return stop.signal
  },
})
