// npm run release:version, npm run release, npm run release -- --dry-run, npm run repository.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { usageError } from '../../check/src/usage-error.ts'

import { ReleaseError } from './release-error.ts'
import { moveRepository } from './repository.ts'
import { describeReleases, rehearse, release, version } from './release.ts'
import { root } from './workspace-copy.ts'

const { positionals, values } = readWords()
const [command, address, ...more] = positionals
const packed = mkdtempSync(join(tmpdir(), 'concord-packed-'))
const context = { folder: root, environment: process.env }
try {
  if (more.length > 0 || (address !== undefined && command !== 'repository'))
    throw new ReleaseError(`Unknown argument \`${positionals.at(-1)}\`. The only option is --dry-run.`)
  if (command === 'version') version(context)
  else if (command === 'repository') {
    const changed = moveRepository(root, address)
    console.log(changed.length === 0 ? 'Nothing to change.' : `Changed:\n  ${changed.join('\n  ')}`)
  } else if (command === 'publish' && values['dry-run']) await rehearse()
  else if (command === 'publish') {
    const releases = release(context, packed)
    const nothing = 'Every version is in the registry already. Nothing to publish.'
    console.log(releases.length === 0 ? nothing : `Published:\n${describeReleases(releases)}`)
  } else throw new ReleaseError(`Unknown command \`${command}\`. Commands: version, publish, repository.`)
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(packed, { recursive: true, force: true })
}

function readWords() {
  try {
    return parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean', default: false } } })
  } catch (error) {
    console.error(`release: ${usageError(error)} The only option is --dry-run.`)
    process.exit(2)
  }
}
