#!/usr/bin/env node
import { run } from './cli/run.ts'

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    }),
})
