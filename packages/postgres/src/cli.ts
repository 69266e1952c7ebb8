#!/usr/bin/env node
import { run } from './cli/run.ts'

process.exitCode = await run(process.argv.slice(2), process.env, {
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(`${text}\n`),
})
