// Writes the table of contracts in specs/README.md; with --check, only reports whether the table is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { CONTRACT_LIST, contractList } from './contract-list.ts'

const root = join(import.meta.dirname, '../../..')
const list = contractList(root)
const differs = readFileSync(join(root, CONTRACT_LIST), 'utf8') !== list
if (differs && process.argv.includes('--check')) {
  console.error(
    `The table in ${CONTRACT_LIST} is out of date. Run \`npm run generate\` and commit the result.`,
  )
  process.exitCode = 1
} else if (differs) {
  writeFileSync(join(root, CONTRACT_LIST), list)
  console.error(`changed  ${CONTRACT_LIST}`)
}
