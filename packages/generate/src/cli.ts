#!/usr/bin/env node
import { readFileSync } from 'node:fs'

import { nodeProblem, run } from './command/command.ts'

const { version, engines } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as {
  version: string
  engines: { node: string }
}

// In Bun and Deno, `process.versions.node` is only the version of Node that they imitate.
const isNode = !('Bun' in globalThis || 'Deno' in globalThis)
const problem = isNode ? nodeProblem(process.versions.node, engines.node) : undefined
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

// A reader of the output, such as `head`, may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

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
